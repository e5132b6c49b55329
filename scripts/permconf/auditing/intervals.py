"""The observed and the reweighted metric with bootstrap intervals, from predictions at hand.

The models of a cross-validation are compared within their own fold only: the metric is the mean over folds, and rows
are resampled from all of them.
"""

from dataclasses import dataclass, replace

import numpy as np

from permconf.auditing.evaluation import mean_over_folds
from permconf.method.random_streams import Streams
from permconf.method.reweighting import Sample, bootstrap_interval, reweighted_metric

COVERAGE = 0.95
BOOTSTRAP = 1000
_BOOTSTRAP_VALUES = 10**8  # resampled rows, over all samples, from which there are fewer samples


@dataclass(frozen=True)
class FoldScores:
    """Scores of the test rows of one fold; `rows` are their places among all test rows."""

    rows: np.ndarray
    scores: np.ndarray


def bootstrap_samples(rows):
    """Number of bootstrap samples: fewer for very many rows."""
    return int(np.clip(_BOOTSTRAP_VALUES // rows, 100, BOOTSTRAP))


def over_folds(metric, folds):
    """The metric as a mean over folds, each with its own scores; the scores that it is given are not used."""

    def weighted(y, _, weights):
        return mean_over_folds(
            np.stack([metric.weighted(y[fold.rows], fold.scores, weights[fold.rows]) for fold in folds])
        )

    return replace(metric, weighted=weighted)


def observed_interval(y, confounders, metric, groups, *, seed):
    """Bootstrap interval of the metric without weights."""
    streams = Streams(seed, "audit")
    sample = Sample.of(y, confounders, groups, classes=metric.task == "classification")
    nothing = np.zeros(len(y))
    value = float(metric.weighted(sample.y, nothing, np.ones((len(y), 1)))[0])
    keys = streams.keys("observed interval", bootstrap_samples(len(y)))
    draws = np.concatenate([metric.weighted(sample.y, nothing, counts) for counts in sample.resampled(keys)])
    freedom = sample.units.counts.size - 1
    return bootstrap_interval(value, draws, COVERAGE, metric.link, freedom=freedom, rows=len(y))


def reweighted(y, confounders, metric, groups, population, *, seed):
    """The metric with rows weighted to the population of interest."""
    return reweighted_metric(
        y,
        np.zeros(len(y)),
        confounders,
        metric=metric,
        population=population,
        groups=groups,
        interval=COVERAGE,
        bootstrap=bootstrap_samples(len(y)),
        seed=seed,
    )
