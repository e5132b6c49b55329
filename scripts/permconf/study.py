"""The costly step of a study: the permutation nulls and tests of a chunk of data sets.

An error in one data set becomes a row that says so; it neither stops the study nor is it redrawn.
"""

import logging
import traceback

import numpy as np

from permconf.inference import assess_split
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.nulls import NULLS, encode_response
from permconf.seeds import Streams
from permconf.splits import SPLITS, Split

log = logging.getLogger("permconf")

_COUNTS = ("n_train", "n_test", "n_permutations", "flagged")
_RESULTS = (
    "n_train",
    "n_test",
    "observed",
    "restricted_mean",
    "restricted_sd",
    "baseline_mean",
    "baseline_sd",
    "n_permutations",
    "response_p",
    "confounding_z",
    "confounding_p",
    "corrected",
    "corrected_quantile",
    "flagged",
)


def assess_datasets(datasets, analysis, *, stream, seed):
    """Assess data sets. Returns the columns of the table of tests and those of the table of draws."""
    learner = make_learner(analysis["learner"])
    metrics = {name: make_metric(name) for name in analysis["metrics"]}
    tests, draws = [], []
    for dataset in datasets:
        try:
            assessments = assess_dataset(dataset, analysis, learner, metrics, Streams(seed, stream, dataset.number))
        except Exception:
            log.exception("data set %d failed", dataset.number)
            tests += [_failed_row(dataset.number, metric, traceback.format_exc()) for metric in metrics]
            continue
        tests += [_row(dataset.number, assessment) for assessment in assessments.values()]
        if analysis["draws"] == "all":
            draws += [(dataset.number, assessment) for assessment in assessments.values()]
    return {name: [row[name] for row in tests] for name in tests[0]}, _draw_columns(draws)


def replay(datasets, numbers, analysis, *, stream, seed):
    """The tests and draws of chosen data sets, computed again: with the same seed they are the same, bit for bit.

    `datasets` are those of a scenario (any iterable), `numbers` the ones to replay. Returns what `assess_datasets`
    does, with the draws whether or not `analysis` asked for them.
    """
    numbers = set(map(int, numbers))
    chosen = [dataset for dataset in datasets if dataset.number in numbers]
    missing = sorted(numbers - {dataset.number for dataset in chosen})
    if missing or not chosen:
        raise ValueError(f"there is no data set {', '.join(map(str, missing)) or 'to replay'}")
    return assess_datasets(chosen, analysis | {"draws": "all"}, stream=stream, seed=seed)


def assess_dataset(dataset, analysis, learner, metrics, streams):
    """Split one data set and assess it."""
    if dataset.error:
        raise ValueError(f"not simulated: {dataset.error}")
    split = dict(analysis["split"])
    train, test = SPLITS[split.pop("name")](dataset.y, dataset.c, rng=streams.rng("split"), **split)
    task = next(iter(metrics.values())).task
    y_train, y_test = encode_response(dataset.y[train], dataset.y[test], task)
    X, c = np.ascontiguousarray(dataset.X, np.float64), dataset.c
    return assess_split(
        Split(X[train], y_train, c[train], X[test], y_test, c[test]),
        learner=learner,
        metrics=metrics,
        permutations=analysis["permutations"],
        nulls=analysis["nulls"],
        streams=streams,
    )


def _row(number, assessment):
    results = {name: getattr(assessment, name) for name in _RESULTS}
    return {"dataset": number, "metric": assessment.metric, **results, "status": "ok", "error": ""}


def _failed_row(number, metric, error):
    results = {name: 0 if name in _COUNTS else float("nan") for name in _RESULTS}
    return {"dataset": number, "metric": metric, **results, "status": "failed", "error": error}


def _draw_columns(assessments):
    """Draws of both nulls in long form: dataset, metric, null, value."""
    parts = [
        (number, assessment.metric, null, draws)
        for number, assessment in assessments
        for null in NULLS
        if (draws := getattr(assessment, null)) is not None
    ]
    sizes = [len(draws) for *_, draws in parts]
    columns = {
        name: np.repeat(np.array([part[k] for part in parts], kind), sizes)
        for k, (name, kind) in enumerate((("dataset", np.int64), ("metric", object), ("null", object)))
    }
    return columns | {"value": np.concatenate([draws for *_, draws in parts]) if parts else np.empty(0)}
