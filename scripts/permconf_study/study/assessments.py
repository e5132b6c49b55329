"""The costly step of a study: the permutation nulls and tests of a chunk of data sets.

A data set that fails becomes a row with its error; it does not stop the study and is not redrawn.
"""

import logging
import traceback
from dataclasses import replace

import numpy as np

from permconf.data.features import rows_of
from permconf.data.mixed_confounders import analysed_confounder
from permconf.data.split import checked_split
from permconf.engine.adjustment import adjusted_learner, adjusted_split, make_adjustment
from permconf.engine.contracts import labelled
from permconf.engine.nulls import NULLS
from permconf.errors import OF_THE_MACHINE, one_line
from permconf.inference.assess import assess_split
from permconf.inference.combined_test import RESULTS, confounder_tests
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf_study.study.splits import SPLITS, whole_groups

log = logging.getLogger("permconf")

_COUNTS = ("n_train", "n_test", "n_permutations", "flagged", "fixed", "inner")
_RESULTS = (
    *("n_train", "n_test", "observed", "restricted_mean", "restricted_sd", "baseline_mean", "baseline_sd"),
    *("n_permutations", "response_p", "confounding_z", "confounding_p", "corrected", "corrected_quantile"),
    *("flagged", "fixed"),
)


def assess_datasets(datasets, analysis, *, stream, seed):
    """Assess data sets. Returns the columns of the table of tests and of the table of draws."""
    learner = make_learner(analysis["learner"])
    metrics = {name: make_metric(name) for name in analysis["metrics"]}
    tests: list[dict] = []
    draws: list[tuple] = []
    for dataset in datasets:
        for name, results in _assessed(dataset, analysis, learner, metrics, Streams(seed, stream, dataset.number)):
            if isinstance(results, BaseException):
                tests.append(_failed_row(dataset, name, analysis, results))
                continue
            tests.append(_row(dataset.number, *results))
            draws += _draw_parts(dataset.number, *results) if analysis["draws"] == "all" else []
    _warn_of_fixed_rows(tests)
    return {name: [row[name] for row in tests] for name in tests[0]}, _draw_columns(draws)


def _assessed(dataset, analysis, learner, metrics, streams):
    """For each metric its name and results, or the error. If one of several metrics fails, each is tried by itself."""
    try:
        return list(zip(metrics, assess_dataset(dataset, analysis, learner, metrics, streams), strict=True))
    except OF_THE_MACHINE:
        raise
    except (Exception, SystemExit) as error:
        if len(metrics) == 1 or dataset.error:
            log.exception("data set %d failed", dataset.number)
            return [(name, error) for name in metrics]
    nulls = {*analysis["nulls"], *(["standard"] if any(m.analytic_null is None for m in metrics.values()) else [])}
    alone = analysis | {"nulls": [null for null in NULLS if null in nulls]}  # as if all metrics were assessed together
    return [pair for name in metrics for pair in _assessed(dataset, alone, learner, {name: metrics[name]}, streams)]


def _warn_of_fixed_rows(tests):
    touched = {row["dataset"] for row in tests if row["fixed"]}
    if touched:
        log.warning(
            "%d of %d data sets have rows in levels of the confounder with one row or one response, where nothing can"
            " be permuted (column `fixed` counts them)",
            len(touched),
            len({row["dataset"] for row in tests}),
        )


def replay(datasets, numbers, analysis, *, stream, seed):
    """The tests and draws of chosen data sets, recomputed; with the same seed they are bit-identical.

    `datasets` are those of a scenario (any iterable), `numbers` the ones to replay. Returns what `assess_datasets`
    returns, with all draws whatever `analysis` keeps.
    """
    numbers = set(map(int, numbers))
    chosen = [dataset for dataset in datasets if dataset.number in numbers]
    missing = sorted(numbers - {dataset.number for dataset in chosen})
    if missing or not chosen:
        raise ValueError(f"there is no data set {', '.join(map(str, missing)) or 'to replay'}")
    return assess_datasets(chosen, analysis | {"draws": "all"}, stream=stream, seed=seed)


def assess_dataset(dataset, analysis, learner, metrics, streams):
    """Split one data set and assess it: for each metric an assessment, confounder tests by kind, and columns of
    what its predictions show.
    """
    split = dataset_split(dataset, analysis, streams, task=next(iter(metrics.values())).task, learner=learner)
    learner, metrics = _by_labels(learner, metrics, dataset.y, split)
    adjustment = make_adjustment(analysis.get("adjustment", "none"))
    split = adjusted_split(adjustment, split, streams.rng("adjustment"))
    learner = adjusted_learner(learner, adjustment, split.c_train)
    engine = {"learner": learner, "metrics": metrics, "streams": streams}
    assessments = assess_split(split, permutations=analysis["permutations"], nulls=analysis["nulls"], **engine)
    tested = confounder_tests(split, analysis.get("confounder_tests", {}), **engine)
    shown = _shown_by_predictions(split, analysis.get("predictions"), **engine)
    return [(assessments[name], tested[name], shown[name]) for name in metrics]


def _by_labels(learner, metrics, y, split):
    """Learner and metrics that see classes by the labels of a response all of whose classes are in the split."""
    if split.y_train.dtype != np.uint8 or (labels := np.unique(y)).size != split.y_train.max(initial=0) + 1:
        return learner, metrics
    return labelled(learner, labels), {name: labelled(metric, labels) for name, metric in metrics.items()}


def _shown_by_predictions(split, options, *, learner, metrics, streams):
    """What the predictions of the test rows show, by metric; nothing without options."""
    if not options:
        return {name: {} for name in metrics}
    from permconf_study.study.predictions import prediction_results  # needs pandas, which takes a third of a second

    return prediction_results(split, learner, metrics, streams, **options)


def dataset_split(dataset, analysis, streams, *, task, learner=None):
    """The training and test set of a data set, checked and encoded, by the `split` and `confounder` of an analysis."""
    confounders, dataset = dataset.c, levelled(dataset, analysis.get("confounder", "levels"))
    rows = train, test = split_rows(dataset, analysis["split"], streams)
    X = [rows_of(dataset.X, part) for part in rows]
    X = dataset.encoding.matrices(*X) if dataset.encoding else X
    (y_train, c_train), (y_test, c_test) = ((dataset.y[part], dataset.c[part]) for part in rows)
    split = checked_split(X[0], y_train, c_train, X[1], y_test, c_test, task=task, learner=learner)
    as_given = {"confounders_train": rows_of(confounders, train), "confounders_test": rows_of(confounders, test)}
    if dataset.groups is not None:
        as_given |= {"groups_train": dataset.groups[train], "groups_test": dataset.groups[test]}
    return replace(split, **as_given)


def levelled(dataset, binning):
    """The data set with its confounder as it is analysed: as levels, unless it is smooth."""
    if dataset.error:
        raise ValueError(f"not simulated: {dataset.error.strip().splitlines()[-1]}")
    return replace(dataset, c=analysed_confounder(dataset.c, binning))


def split_rows(dataset, split, streams):
    """Training and test rows of one data set; each kind of split has its own random stream."""
    options = {key: value for key, value in split.items() if key != "name"}
    rows = SPLITS[split["name"]](dataset.y, dataset.c, rng=streams.rng(f"split/{split['name']}"), **options)
    return rows if dataset.groups is None else whole_groups(*rows, dataset.groups)


def _row(number, assessment, tested, shown):
    results = {name: getattr(assessment, name) for name in _RESULTS}
    for kind, test in tested.items():
        results |= {f"{kind}_{name}": getattr(test, name) for name in RESULTS}
    status = {"status": "ok", "error": "", "traceback": ""}
    return {"dataset": number, "metric": assessment.metric, **results, **status, **shown}


def _failed_row(dataset, metric, analysis, error):
    results = {name: 0 if name in _COUNTS else float("nan") for name in _RESULTS}
    for kind in analysis.get("confounder_tests", {}):
        results |= {f"{kind}_{name}": 0 if name in _COUNTS else float("nan") for name in RESULTS}
    message = f"{type(error).__name__}: {one_line(error)}"
    failure = {
        "status": "failed",
        "error": message,
        "traceback": dataset.error or "".join(traceback.format_exception(error)),
    }
    return {"dataset": dataset.number, "metric": metric, **results, **failure, **_nothing_shown(analysis)}


def _nothing_shown(analysis):
    if not analysis.get("predictions"):
        return {}
    from permconf_study.study.predictions import UNDEFINED

    return UNDEFINED


def _draw_parts(number, assessment, tested, _):
    draws = {null: getattr(assessment, null) for null in NULLS} | {k: t.draws for k, t in tested.items()}
    return [(number, assessment.metric, null, values) for null, values in draws.items() if values is not None]


def _draw_columns(parts):
    """Draws of all nulls in long form: dataset, metric, null, value."""
    sizes = [len(draws) for *_, draws in parts]
    columns = {
        name: np.repeat(np.array([part[k] for part in parts], kind), sizes)
        for k, (name, kind) in enumerate((("dataset", np.int64), ("metric", object), ("null", object)))
    }
    return columns | {"value": np.concatenate([draws for *_, draws in parts]) if parts else np.empty(0)}
