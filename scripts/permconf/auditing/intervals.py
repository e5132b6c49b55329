"""The observed and the reweighted metric with bootstrap intervals, from predictions at hand.

Scores of different models are not comparable, so the metric of a cross-validation is the mean over folds, each with its
own scores. Rows (or whole groups) are resampled from all folds; the models stay as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from permconf import registry
from permconf.engine.contracts import Metric
from permconf.engine.evaluation import mean_over_sets
from permconf.engine.scores import Scores
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import Sample, bootstrap_interval, reweighted_metric

COVERAGE = 0.95
BOOTSTRAP = 1000
FEWEST = 100
_RESAMPLED = 10**8  # resampled rows, over all samples, beyond which there are fewer samples
_LOOPED = 200  # most samples for a metric that is evaluated one sample after the other


@dataclass(frozen=True)
class ScoredRows:
    """The tested rows: response (codes, and labels), confounders and groups; scores of each test set and its places."""

    y: np.ndarray
    labels: np.ndarray
    confounders: pd.DataFrame
    groups: np.ndarray | None
    places: list[np.ndarray]
    scores: list[Scores]

    def _weighted(self, metric: Metric) -> Callable:
        """The weighted metric as a mean over test sets; it looks up their scores and ignores those that it is given."""
        weighted_one = metric.weighted or _by_repeating(metric)
        pairs = [
            (rows, scores.needed(metric.needs)[:, 0]) for rows, scores in zip(self.places, self.scores, strict=True)
        ]

        @np.errstate(divide="ignore", invalid="ignore")  # samples without rows of a set have no metric there
        def weighted(y, _, weights):
            return mean_over_sets(np.stack([weighted_one(y[rows], scores, weights[rows]) for rows, scores in pairs]))

        return weighted

    def samples(self, name: str) -> int:
        """Number of bootstrap samples for the metric of this name."""
        return bootstrap_samples(len(self.y), batched=name in registry.names("metrics"))

    def observed_interval(self, metric: Metric, samples: int, seed: int) -> tuple[float, float]:
        """Bootstrap interval of the metric without weights."""
        weighted = partial(self._weighted(metric), self.y, None)
        sample = Sample.of(self.y, self.confounders, "smooth", self.groups, classes=metric.task == "classification")
        value = float(weighted(np.ones((len(self.y), 1)))[0])
        keys = Streams(seed, "audit").keys("observed interval", samples)
        draws = np.concatenate([weighted(counts) for counts in sample.resampled(keys)])
        freedom = sample.units.counts.size - 1
        return bootstrap_interval(value, draws, COVERAGE, metric.link, freedom=freedom, rows=len(self.y))

    def reweighted(self, metric: Metric, population, samples: int, seed: int):
        """The metric with rows weighted to the population of interest."""
        ignored = Scores(np.zeros((len(self.y), 1)), np.zeros(1, bool))
        return reweighted_metric(
            self.labels,
            ignored,
            self.confounders,
            metric=replace(metric, weighted=self._weighted(metric), needs="scores"),
            population=population,
            groups=self.groups,
            interval=COVERAGE,
            bootstrap=samples,
            seed=seed,
        )


def bootstrap_samples(rows, *, batched=True):
    """Number of bootstrap samples: fewer for very many rows, and for metrics that are evaluated one by one."""
    return int(np.clip(_RESAMPLED // rows, FEWEST, BOOTSTRAP if batched else _LOOPED))


def _by_repeating(metric):
    """A weighted version of any metric for weights that are whole numbers: rows are repeated."""

    def weighted(y, scores, counts):
        rows = [np.repeat(np.arange(len(y)), column.astype(np.int64)) for column in counts.T]
        return np.array([metric.values(y[r][:, None], scores[r][:, None])[0] for r in rows])

    return weighted
