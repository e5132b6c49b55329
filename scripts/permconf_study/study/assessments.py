"""The costly step of a study: the permutation nulls and tests of a chunk of data sets.

A data set that fails becomes a row with its error; it does not stop the study and is not redrawn.
"""

import logging
import traceback
from typing import Any, NamedTuple

import numpy as np

from permconf.data.sample import Sample
from permconf.engine.evaluate import NULLS, evaluate
from permconf.engine.folds import Folds
from permconf.errors import SYSTEM_ERRORS, one_line
from permconf.inference.assess import RESULTS, assessments
from permconf.inference.confounder_tests import RESULTS as SHUFFLE_RESULTS
from permconf.inference.confounder_tests import confounder_tests
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf_study.study.splits import SPLITS, whole_groups

log = logging.getLogger("permconf")


class Observed(NamedTuple):
    """A data set and metric without permutations, in place of an assessment."""

    metric: str
    n_train: int
    n_test: int
    observed: float
    flagged: int
    restricted: Any = None
    standard: Any = None

    @property
    def problem(self):
        """Why there is no result; "" if there is one."""
        return "" if np.isfinite(self.observed) else f"metric {self.metric!r} is not defined"


_COUNTS = ("n_train", "n_test", "n_permutations", "flagged", "fixed", "inner")


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
    except SYSTEM_ERRORS:
        raise
    except (Exception, SystemExit) as error:
        if len(metrics) == 1 or dataset.error:
            log.exception("data set %d failed", dataset.number)
            return [(name, error) for name in metrics]
    nulls = {*analysis["nulls"], *(["standard"] if any(m.analytic_null is None for m in metrics.values()) else [])}
    alone = analysis | {"nulls": [null for null in NULLS if null in nulls]}  # as if all metrics were assessed together
    return [pair for name in metrics for pair in _assessed(dataset, alone, learner, {name: metrics[name]}, streams)]


def _warn_of_fixed_rows(tests):
    touched = {row["dataset"] for row in tests if row.get("fixed")}
    if touched:
        log.warning(
            "%d of %d data sets have rows in levels of the confounder with one row or one response, where nothing can"
            " be permuted (column `fixed` counts them)",
            len(touched),
            len({row["dataset"] for row in tests}),
        )


def assess_dataset(dataset, analysis, learner, metrics, streams):
    """Assess one data set: for each metric an assessment, confounder tests by kind, and columns of what its
    predictions show; a metric whose assessment has a problem has an error instead.
    """
    sample = dataset_sample(dataset, analysis, next(iter(metrics.values())).task)
    evaluation = e = evaluate_sample(sample, analysis, streams, learner=learner, metrics=metrics)
    found: dict = {name: Observed(name, e.n_train, e.n_test, e.observed(name), e.flagged) for name in metrics}
    if analysis["permutations"]:
        found = assessments(evaluation, analysis["permutations"], analysis["nulls"])
    tested = confounder_tests(evaluation, analysis.get("confounder_tests", {}))
    rows = split_rows(sample, analysis["split"], streams)
    shown = _shown_by_predictions(evaluation, sample, rows, analysis.get("predictions"))
    return [
        ValueError(found[name].problem) if found[name].problem else (found[name], tested[name], shown[name])
        for name in metrics
    ]


def _shown_by_predictions(evaluation, sample, rows, options):
    """What the predictions of the test rows show, by metric; nothing without options."""
    if not options:
        return {name: {} for name in evaluation.metrics}
    from permconf_study.study.predictions import prediction_results  # needs pandas, which takes a third of a second

    return prediction_results(evaluation, sample, rows, **options)


def dataset_sample(dataset, analysis, task=None):
    """A data set as a sample, with its confounder as the analysis treats it."""
    if dataset.error:
        raise ValueError(f"not simulated: {dataset.error.strip().splitlines()[-1]}")
    if dataset.sample is not None:
        return dataset.sample
    return Sample.of(dataset.X, dataset.y, dataset.c, task=task, treatment=analysis.get("confounder", "levels"))


def evaluate_sample(sample, analysis, streams, *, learner=None, metrics=None):
    """The learner of an analysis, evaluated on its training and test set of a sample."""
    return evaluate(
        sample,
        Folds.split(*split_rows(sample, analysis["split"], streams)),
        learner=analysis["learner"] if learner is None else learner,
        metrics=metrics or {},
        adjustment=analysis.get("adjustment", "none"),
        streams=streams,
    )


def split_rows(sample, split, streams):
    """Training and test rows of a sample; each kind of split has its own random stream."""
    options = {key: value for key, value in split.items() if key != "name"}
    y, c, rng = sample.response.given, sample.confounders.labels, streams.rng(f"split/{split['name']}")
    rows = SPLITS[split["name"]](y, c, rng=rng, **options)
    return rows if sample.subjects is None else whole_groups(*rows, sample.subjects.codes)


def _row(number, assessment, tested, shown):
    results = {name: getattr(assessment, name) for name in RESULTS if hasattr(assessment, name)}
    for kind, test in tested.items():
        results |= {f"{kind}_{name}": getattr(test, name) for name in SHUFFLE_RESULTS}
    status = {"status": "ok", "error": "", "traceback": ""}
    return {"dataset": number, "metric": assessment.metric, **results, **status, **shown}


def _failed_row(dataset, metric, analysis, error):
    made = RESULTS if analysis["permutations"] else [name for name in RESULTS if name in Observed._fields]
    results = {name: 0 if name in _COUNTS else float("nan") for name in made}
    for kind in analysis.get("confounder_tests", {}):
        results |= {f"{kind}_{name}": 0 if name in _COUNTS else float("nan") for name in SHUFFLE_RESULTS}
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
    from permconf_study.study.predictions import undefined

    return undefined(**analysis["predictions"])


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
