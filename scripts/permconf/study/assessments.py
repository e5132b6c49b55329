"""The costly step of a study: the permutation nulls and tests of a chunk of data sets.

A data set that fails becomes a row with its error; it does not stop the study and is not redrawn.
"""

import logging
import traceback
from dataclasses import replace

import numpy as np

from permconf.errors import one_line
from permconf.learners import make_learner
from permconf.method.adjustment import adjusted_learner, adjusted_split, make_adjustment
from permconf.method.assess import assess_split
from permconf.method.combined_test import RESULTS, confounder_tests, result_names
from permconf.method.mixed_confounders import analysed_confounder
from permconf.method.nulls import NULLS
from permconf.method.random_streams import Streams
from permconf.method.split import checked_split
from permconf.metrics import make_metric
from permconf.study.splits import SPLITS

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
    tests, draws = [], []
    for dataset in datasets:
        try:
            assessed = assess_dataset(dataset, analysis, learner, metrics, Streams(seed, stream, dataset.number))
        except Exception as error:
            log.exception("data set %d failed", dataset.number)
            tests += [_failed_row(dataset, name, analysis.get("confounder_tests", {}), error) for name in metrics]
            continue
        tests += [_row(dataset.number, *results) for results in assessed]
        if analysis["draws"] == "all":
            draws += [part for results in assessed for part in _draw_parts(dataset.number, *results)]
    _warn_of_fixed_rows(tests)
    return {name: [row[name] for row in tests] for name in tests[0]}, _draw_columns(draws)


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
    """Split one data set and assess it: for each metric an assessment, and confounder tests by kind."""
    split = dataset_split(dataset, analysis, streams, task=next(iter(metrics.values())).task)
    adjustment = make_adjustment(analysis.get("adjustment", "none"))
    split = adjusted_split(adjustment, split, streams.rng("adjustment"))
    learner = adjusted_learner(learner, adjustment, split.c_train)
    engine = {"learner": learner, "metrics": metrics, "streams": streams}
    assessments = assess_split(split, permutations=analysis["permutations"], nulls=analysis["nulls"], **engine)
    tested = confounder_tests(split, analysis.get("confounder_tests", {}), **engine)
    return [(assessments[name], tested[name]) for name in metrics]


def dataset_split(dataset, analysis, streams, *, task):
    """The training and test set of a data set, checked and encoded, by the `split` and `confounder` of an analysis."""
    dataset = levelled(dataset, analysis.get("confounder", "levels"))
    rows = split_rows(dataset, analysis["split"], streams)
    return checked_split(*(v[part] for part in rows for v in (dataset.X, dataset.y, dataset.c)), task=task)


def levelled(dataset, binning):
    """The data set with its confounder as it is analysed: as levels, unless it is smooth."""
    if dataset.error:
        raise ValueError(f"not simulated: {dataset.error.strip().splitlines()[-1]}")
    return replace(dataset, c=analysed_confounder(dataset.c, binning))


def split_rows(dataset, split, streams):
    """Training and test rows of one data set; each kind of split has its own random stream."""
    options = {key: value for key, value in split.items() if key != "name"}
    return SPLITS[split["name"]](dataset.y, dataset.c, rng=streams.rng(f"split/{split['name']}"), **options)


def _row(number, assessment, tested):
    results = {name: getattr(assessment, name) for name in _RESULTS}
    for kind, test in tested.items():
        results |= {f"{kind}_{name}": getattr(test, name) for name in RESULTS[kind]}
    return {"dataset": number, "metric": assessment.metric, **results, "status": "ok", "error": "", "traceback": ""}


def _failed_row(dataset, metric, tests, error):
    results = {name: 0 if name in _COUNTS else float("nan") for name in _RESULTS}
    for kind, name in result_names(tests):
        results[f"{kind}_{name}"] = 0 if name in _COUNTS else float("nan")
    message = f"{type(error).__name__}: {one_line(error)}"
    failure = {
        "status": "failed",
        "error": message,
        "traceback": dataset.error or "".join(traceback.format_exception(error)),
    }
    return {"dataset": dataset.number, "metric": metric, **results, **failure}


def _draw_parts(number, assessment, tested):
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
