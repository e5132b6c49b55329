"""The truth of a metric, by simulation: what the corrected and the reweighted metric estimate.

For a data set of a scenario, rows are drawn in the world "unconfounded" that its generator declares.

- `as_trained`: the learner trained on the training rows of the data set, tested on many such rows.
- `unconfounded`: the learner trained on as many such rows, and tested on others.
- `retrained`, an estimate of the latter from the data set alone: training rows weighted by `training_weights`, and the
  reweighted metric of the test rows. It needs a learner that accepts weights, and no adjustment.

A scenario may name worlds in their place, each with POPULATION_ROWS test rows: `independent` and `reversed` are those
of the learner as trained, without confounding and where the association of confounders and response has the opposite
sign; `ideal` is that of the learner, without adjustment, if confounders had never acted on the features.
"""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from permconf.data.binning import edges_of
from permconf.data.sample import Sample
from permconf.engine.adjustment import takes_weights
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds
from permconf.errors import SYSTEM_ERRORS
from permconf.generators import Generator, make_generator
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import carried_metric
from permconf.reweight.weights import row_weights
from permconf_study.study.assessments import dataset_sample, evaluate_sample, split_rows
from permconf_study.study.estimators import COLUMNS, WORLD, WORLDS

TEST_ROWS = 1000
COMPANIONS = 4
TRUTH_ROWS = 20_000
POPULATION_ROWS = 1000

log = logging.getLogger("permconf")


@dataclass(frozen=True)
class Case:
    """A data set with its parameters, its training rows, and how it is analysed."""

    dataset: Any
    parameters: dict
    generator: Generator
    analysis: dict
    metrics: dict
    streams: Streams

    def drawn(self, rng, n, world=WORLD):
        """n rows of a world."""
        return self.generator.worlds[world](rng, **self.parameters | {"n": n})

    @property
    def sample(self):
        """The data set as it is analysed."""
        return dataset_sample(self.dataset, self.analysis, self.generator.task)

    def evaluated(self, sample, train, test, adjustment="none"):
        """Every metric of the learner, trained and tested on rows of a sample."""
        options = {"learner": self.analysis["learner"], "metrics": self.metrics, "streams": self.streams}
        evaluation = evaluate(sample, Folds.split(train, test), adjustment=adjustment, **options)
        return np.array([evaluation.observed(name) for name in self.metrics])

    def as_trained(self, train, n=TRUTH_ROWS, trained=None, tested=WORLD, stream="as trained"):
        """The metrics of the learner, trained on rows `train` of the data set, in n rows of the world `tested`.

        With a world `trained`, the rows of the data set are those of that world, and there is no adjustment.
        """
        own, adjustment = self.dataset, "none" if trained else self.analysis.get("adjustment", "none")
        size = len(own.y)
        known = self.drawn(self.streams.rng("data"), size, trained) if trained else (own.X, own.y, own.c)
        rows = self.drawn(self.streams.rng(stream), n, tested)
        treatment = own_breaks(self.analysis.get("confounder", "levels"), own.c) if adjustment != "none" else "smooth"
        parts = map(np.concatenate, zip(known, rows, strict=True))
        both = Sample.of(*parts, task=self.generator.task, treatment=treatment)
        return self.evaluated(both, train, size + np.arange(n), adjustment)

    def unconfounded(self, train_rows):
        """Means of the metrics over COMPANIONS data sets without confounding."""
        rng, train, test = self.streams.rng("unconfounded"), *np.split(np.arange(train_rows + TEST_ROWS), [train_rows])
        samples = (
            Sample.of(*self.drawn(rng, train_rows + TEST_ROWS), task=self.generator.task, treatment="smooth")
            for _ in range(COMPANIONS)
        )
        return np.mean([self.evaluated(sample, train, test) for sample in samples], axis=0)

    def retrained(self):
        """The metrics with training and test rows weighted; NaN where they are not defined."""
        nothing = np.full(len(self.metrics), np.nan)
        if self.analysis.get("adjustment", "none") != "none" or self.generator.task != "classification":
            return nothing
        evaluation = evaluate_sample(self.sample, self.analysis, self.streams, metrics=self.metrics)
        (fit,), keys = evaluation.fits, self.streams.keys("observed/learner", 1)
        if not takes_weights(fit.learner):
            return nothing
        smooth = evaluation.sample.treated("smooth")
        train, test = (smooth.take(rows) for rows in evaluation.folds.folds[0])
        try:
            once = np.ones((len(train), 1))
            weights = row_weights(train.response, train.confounders).weights(once)
            sets = fit.X_train, train.response.values[:, None], weights, fit.X_test
            scores = fit.learner.weighted_scores(*sets, keys)
            rows = test.response, test.confounders
            return np.array([carried_metric(scores, metric, *rows) for metric in self.metrics.values()])
        except ValueError:  # a cell of response and confounder has no rows
            return nothing


def own_breaks(confounder, c):
    """The treatment of confounders with bins of a data set's values `c` at fixed breaks, for further rows."""
    columns = c[:, None] if c.ndim == 1 else c
    given = confounder if isinstance(confounder, list) else [confounder] * columns.shape[1]
    fixed = [
        {"breaks": np.unique(edges_of(values, one))} if isinstance(one, dict) else one
        for one, values in zip(given, columns.T, strict=True)
    ]
    return fixed if isinstance(confounder, list) else fixed[0] if len(fixed) == 1 else fixed


def true_metrics(data, design, datasets, analysis, *, seed, columns=COLUMNS):
    """Columns `dataset`, `columns` and `metric`; `design` is a mapping of columns with the parameters of the data sets.

    A data set for which a truth cannot be computed has NaN.
    """
    rows = {int(number): row for row, number in enumerate(design["dataset"])}
    metrics = {name: make_metric(name) for name in analysis["metrics"]}
    found: list[tuple] = []
    for dataset in datasets:
        parameters = {k: v[rows[dataset.number]] for k, v in design.items() if k != "dataset"}
        streams = Streams(seed, data["stream"], dataset.number)
        case = Case(dataset, parameters, make_generator(data["generator"]), analysis, metrics, streams)
        found += [(dataset.number, *values, name) for name, values in zip(metrics, _truths(case, columns), strict=True)]
    return dict(zip(("dataset", *columns, "metric"), map(np.array, zip(*found, strict=True)), strict=True))


def _truths(case, columns):
    """For each metric the values of the columns."""
    try:
        train, _ = split_rows(case.sample, case.analysis["split"], case.streams)
        known = {
            "as_trained": lambda: case.as_trained(train),
            "unconfounded": lambda: case.unconfounded(len(train)),
            "retrained": case.retrained,
        }
        worlds = {name: partial(case.as_trained, train, POPULATION_ROWS, *world) for name, world in WORLDS.items()}
        return np.column_stack([(known | worlds)[name]() for name in columns])
    except SYSTEM_ERRORS:
        raise
    except Exception as error:  # such a data set has failed in the table of tests as well
        log.warning("data set %d has no truth: %s", case.dataset.number, error)
        return np.full((len(case.metrics), len(columns)), np.nan)
