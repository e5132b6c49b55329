"""The metric without confounding, by simulation: the targets of the corrected and of the reweighted metric.

For a data set of a scenario, rows are drawn with the same parameters except that response and confounders are
independent, with unchanged margins.

- `as_trained`: the learner trained on the training rows of the data set, tested on many such rows.
- `unconfounded`: the learner trained on as many such rows, and tested on others.
- `retrained`, an estimate of the latter from the data set alone: training rows weighted by `training_weights`, and the
  reweighted metric of the test rows. It needs a learner that accepts weights.
"""

import numpy as np

from permconf.data.sample import Sample
from permconf.engine.adjustment import takes_weights
from permconf.engine.evaluate import batch_values, evaluate
from permconf.engine.folds import Folds
from permconf.generators import make_generator
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_metric, training_weights
from permconf_study.study.assessments import dataset_sample, evaluate_sample

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


def unconfounded_metric(data, parameters, analysis, streams, *, train_rows):
    """Mean of the first metric of `analysis` over COMPANIONS data sets without association."""
    parameters = without_association(data["generator"], parameters) | {"n": train_rows + TEST_ROWS}
    generator, rng = make_generator(data["generator"]), streams.rng("unconfounded")
    folds = Folds.split(*np.split(np.arange(train_rows + TEST_ROWS), [train_rows]))
    options = {"learner": analysis["learner"], "metrics": _first_metric(analysis), "streams": streams}
    samples = (Sample.of(*generator.sample(rng, **parameters), task="classification") for _ in range(COMPANIONS))
    return float(np.mean([evaluate(s, folds, **options).observed(analysis["metrics"][0]) for s in samples]))


def metric_as_trained(data, parameters, evaluation, streams):
    """The metric of the learner as it was trained, in TRUTH_ROWS without association."""
    parameters = without_association(data["generator"], parameters) | {"n": TRUTH_ROWS}
    X, y, _ = make_generator(data["generator"]).sample(streams.rng("as trained"), **parameters)
    fit, keys = evaluation.fits[0], streams.keys("observed/learner", 1)
    sets = fit.X_train, evaluation.part("train").response.values[:, None], X, y.astype(np.uint8)[:, None]
    ((value,),) = batch_values(*sets, fit.learner, evaluation.metrics, keys).values.values()
    return value.item()


def retrained_metric(evaluation, streams):
    """The metric with training and test rows weighted; NaN if a cell has no rows or the learner takes no weights."""
    (fit,), keys = evaluation.fits, streams.keys("observed/learner", 1)
    if not takes_weights(fit.learner):
        return np.nan
    train, test = (evaluation.part(part) for part in ("train", "test"))
    (metric,) = evaluation.metrics.values()
    try:
        weights = training_weights(train.response.values, train.confounders.given)[:, None]
        sets = fit.X_train, train.response.values[:, None], weights, fit.X_test
        scores = fit.learner.weighted_scores(*sets, keys).values[:, 0]
        options = {"metric": metric, "bootstrap": 2, "seed": 0}
        return reweighted_metric(test.response.values, scores, test.confounders.given, **options).value
    except ValueError:
        return np.nan


def _first_metric(analysis):
    return {analysis["metrics"][0]: make_metric(analysis["metrics"][0])}


def unconfounded_metrics(data, design, datasets, analysis, *, seed):
    """Columns `dataset` and COLUMNS for data sets; `design` is a mapping of columns with the parameters of each."""
    rows = {int(number): row for row, number in enumerate(design["dataset"])}
    found = []
    for dataset in datasets:
        parameters = {k: v[rows[dataset.number]] for k, v in design.items() if k != "dataset"}
        streams = Streams(seed, data["stream"], dataset.number)
        sample = dataset_sample(dataset, analysis, "classification")
        evaluation = evaluate_sample(sample, analysis, streams, metrics=_first_metric(analysis))
        as_trained = metric_as_trained(data, parameters, evaluation, streams)
        train_rows = len(evaluation.fits[0].X_train)
        unconfounded = unconfounded_metric(data, parameters, analysis, streams, train_rows=train_rows)
        found.append((dataset.number, as_trained, unconfounded, retrained_metric(evaluation, streams)))
    return dict(zip(("dataset", *COLUMNS), map(np.array, zip(*found, strict=True)), strict=True))
