"""The metric without confounding, by simulation: the targets of the corrected and of the reweighted metric.

For a data set of a scenario, rows are drawn with the same parameters except that response and confounders are
independent, with unchanged margins.

- `as_trained`: the learner trained on the training rows of the data set, tested on many such rows.
- `unconfounded`: the learner trained on as many such rows, and tested on others.
- `retrained`, an estimate of the latter from the data set alone: training rows weighted by `training_weights`, and the
  reweighted metric of the test rows. It needs a learner that accepts weights.
"""

from typing import Any

import numpy as np

from permconf.data.split import Split, encode_response
from permconf.engine.adjustment import takes_weights
from permconf.engine.nulls import batch_values, observed_values
from permconf.generators import make_generator
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_metric, training_weights
from permconf_study.study.assessments import dataset_split

TEST_ROWS = 1000
COMPANIONS = 4
TRUTH_ROWS = 20_000
COLUMNS = ("as_trained", "unconfounded", "retrained")


def without_association(generator, parameters):
    """The parameters with response and confounders independent, with unchanged margins."""
    if generator == "bernoulli_gaussian":
        y = {1: parameters["p11"] + parameters["p10"], 0: parameters["p01"] + parameters["p00"]}
        c = {1: parameters["p11"] + parameters["p01"], 0: parameters["p10"] + parameters["p00"]}
        return parameters | {f"p{i}{j}": y[i] * c[j] for i in (1, 0) for j in (1, 0)}
    if generator == "three_levels_gaussian":
        share = sum(parameters[f"p{k}"] * parameters[f"q{k}"] for k in range(3))
        return parameters | {f"q{k}": share for k in range(3)}
    gammas = [name for name in parameters if name.startswith("gamma")]
    if not gammas:
        raise ValueError(f"how to make response and confounder of generator {generator!r} independent is not known")
    return parameters | dict.fromkeys(gammas, 0)  # log-odds 0: both classes are equally frequent, as with any gamma


def unconfounded_metric(data, parameters, analysis, streams):
    """Mean of the first metric of `analysis` over COMPANIONS data sets without association."""
    generator, learner = make_generator(data["generator"]), make_learner(analysis["learner"])
    metrics = _first_metric(analysis)
    train_rows = analysis["split"]["train_size"]
    parameters = without_association(data["generator"], parameters) | {"n": train_rows + TEST_ROWS}
    rng = streams.rng("unconfounded")
    values = []
    for _ in range(COMPANIONS):
        X, y, c = generator.sample(rng, **parameters)
        y = np.concatenate(encode_response(y[:train_rows], y[train_rows:], "classification"))
        split = Split.of(X, y, c, slice(0, train_rows), slice(train_rows, None))
        values.append(_only(observed_values(split, learner, metrics, streams).values))
    return float(np.mean(values))


def metric_as_trained(data, parameters, split, analysis, streams):
    """The first metric of the learner trained on the training rows of `split`, in TRUTH_ROWS without association."""
    parameters = without_association(data["generator"], parameters) | {"n": TRUTH_ROWS}
    X, y, _ = make_generator(data["generator"]).sample(streams.rng("as trained"), **parameters)
    learner, keys = make_learner(analysis["learner"]), streams.keys("observed/learner", 1)
    y_train, y = split.y_train[:, None], y.astype(np.uint8)[:, None]
    return _only(batch_values(split.X_train, y_train, X, y, learner, _first_metric(analysis), keys).values)


def retrained_metric(split, analysis, streams):
    """The first metric with training and test rows weighted; NaN if a cell has no rows or the learner no weights."""
    learner: Any = make_learner(analysis["learner"])
    keys = streams.keys("observed/learner", 1)
    if not takes_weights(learner):
        return np.nan
    try:
        weights = training_weights(split.y_train, split.confounders_train)[:, None]
        scores = learner.weighted_scores(split.X_train, split.y_train[:, None], weights, split.X_test, keys).values
        metric = _only(_first_metric(analysis))
        return reweighted_metric(
            split.y_test, scores[:, 0], split.confounders_test, metric=metric, bootstrap=2, seed=0
        ).value
    except ValueError:
        return np.nan


def _first_metric(analysis):
    return {analysis["metrics"][0]: make_metric(analysis["metrics"][0])}


def _only(values):
    (value,) = values.values()
    return value[0].item() if isinstance(value, np.ndarray) else value


def unconfounded_metrics(data, design, datasets, analysis, *, seed):
    """Columns `dataset` and COLUMNS for data sets; `design` is a mapping of columns with the parameters of each."""
    rows = {int(number): row for row, number in enumerate(design["dataset"])}
    columns: dict[str, list] = {name: [] for name in ("dataset", *COLUMNS)}
    for dataset in datasets:
        parameters = {k: v[rows[dataset.number]] for k, v in design.items() if k != "dataset"}
        streams = Streams(seed, data["stream"], dataset.number)
        split = dataset_split(dataset, analysis, streams, task="classification")
        values = (
            metric_as_trained(data, parameters, split, analysis, streams),
            unconfounded_metric(data, parameters, analysis, streams),
            retrained_metric(split, analysis, streams),
        )
        for name, value in zip(columns, (dataset.number, *values), strict=True):
            columns[name].append(value)
    return {name: np.array(values) for name, values in columns.items()}
