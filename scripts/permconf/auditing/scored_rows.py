"""Predictions of test rows, from an evaluation or made elsewhere: metrics with intervals, tests, a table.

Scores of different models are not comparable, so the metric of a cross-validation is the mean over folds, each with its
own scores. Rows (or whole subjects) are resampled from all folds; the models stay as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from permconf import registry
from permconf.data.levels import Levels
from permconf.data.sample import Sample
from permconf.engine.contracts import Metric
from permconf.engine.evaluate import Evaluation, mean_over_sets, metric_of
from permconf.engine.plugin_results import checked_values
from permconf.inference.links import Links, Rows, links
from permconf.inference.ranks import normalised_ranks
from permconf.permute.random_streams import Streams
from permconf.reweight.bootstrap import BootstrapRows, metric_interval
from permconf.reweight.estimates import Estimates, estimates
from permconf.reweight.pooling import Sets
from permconf.reweight.thinning import resampled_rows, thinned

COVERAGE = 0.95
BOOTSTRAP = 1000
FEWEST = 100
PERMUTATIONS = 9999  # of the tests of confounding
_RESAMPLED = 10**8  # resampled rows, over all samples, beyond which there are fewer samples
_LOOPED = 200  # most samples for a metric that is evaluated one sample after the other


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """The tested rows, and for each test set the places of its rows among them and their scores.

    `folds` is the fold of every row; None if there is one, or rows are tested several times.
    """

    sample: Sample
    sets: Sets
    folds: np.ndarray | None = None

    @classmethod
    def of(cls, evaluation: Evaluation) -> "ScoredRows":
        """The tested rows of an evaluation."""
        tested, folds = evaluation.tested(), evaluation.folds
        places = [np.searchsorted(tested, fold.test) for fold in folds.folds]
        sets = list(zip(places, evaluation.scores, strict=True))
        return cls(evaluation.sample.take(tested), sets, folds.fold_of_tested)

    # ---- metrics -----------------------------------------------------------------------------------------------------

    def _weighted(self, metric: Metric, name: str) -> Callable[[np.ndarray], np.ndarray]:
        """The metric, as a mean over test sets, of weights (m, b) of the rows."""
        weighted_one, y = metric.weighted or _by_repeating(metric), self.sample.response.values
        pairs = [(rows, scores.needed(metric.needs)[:, 0]) for rows, scores in self.sets]

        @np.errstate(divide="ignore", invalid="ignore")  # samples without rows of a set have no metric there
        def weighted(weights):
            values = [weighted_one(y[rows], scores, weights[rows]) for rows, scores in pairs]
            return checked_values(mean_over_sets(np.stack(values)), weights.shape[1], name)

        return weighted

    def by_set(self, metric: Metric, name: str) -> np.ndarray:
        """The metric of the scores as they are, in every test set."""
        y = self.sample.response.values
        return defined_somewhere(np.array([metric_of(metric, y[rows], one, name) for rows, one in self.sets]), name)

    def auc(self) -> float:
        """The AUC of the positive class, as a mean over test sets, whatever the metrics of the audit are."""
        value = self._weighted(registry.load("metrics", "auc"), "auc")(np.ones((len(self.sample), 1)))
        return float(value[0])

    def observed_interval(self, metric: Metric, name: str, seed: int) -> tuple[float, float]:
        """Bootstrap interval of the metric without weights."""
        value = float(self._weighted(metric, name)(np.ones((len(self.sample), 1)))[0])
        sample, sets, factor = thinned(self.sample, self.sets, seed)
        rows, samples = BootstrapRows.of(len(sample), sample.subjects), self._samples(name)
        draws = rows.draws(
            ScoredRows(sample, sets)._weighted(metric, name), Streams(seed, "audit").keys("observed interval", samples)
        )
        limits = {"freedom": rows.units.counts.size - 1, "rows": len(self.sample), "wider": factor}
        return metric_interval(metric, value, draws, COVERAGE, **limits)

    def estimates(self, metric: Metric, name: str, population: Any, problem: str, seed: int) -> Estimates:
        """The values of the metric for other people; `problem` is that of the model of the response."""
        options = {"population": population, "problem": problem, "seed": seed, "bootstrap": self._samples(name)}
        return estimates(metric, name, self.sample, self.sets, **options)

    def _samples(self, name):
        return bootstrap_samples(resampled_rows(self.sample), batched=name in registry.names("metrics"))

    # ---- tests -------------------------------------------------------------------------------------------------------

    def links(self, everything: Rows, seed: int) -> Links:
        """The tests of confounding: of association on all rows, of predictions on the tested ones.

        Scores are ranked within folds. Rows that are tested several times get the mean of their ranks among the rows of
        the same class in a test set: scores of different models are not comparable, ranks are.
        """
        several = sum(rows.size for rows, _ in self.sets) > len(self.sample)
        scores = self._mean_scores(self._ranks if several else lambda values, _: values)
        return links(everything, Rows.of(self.sample, self.folds), scores, permutations=PERMUTATIONS, seed=seed)

    def _mean_scores(self, made):
        """Scores (rows, columns), after `made`, averaged over the sets in which a row is tested."""
        columns = [(rows, scores.values[:, 0].reshape(len(scores.values), -1)) for rows, scores in self.sets]
        total, times = np.zeros((len(self.sample), columns[0][1].shape[1])), np.zeros((len(self.sample), 1))
        for rows, values in columns:
            total[rows] += made(values, rows)
            times[rows] += 1
        return total / times

    def _ranks(self, values, rows):
        response = self.sample.response.take(rows)
        levels = Levels.single(rows.size) if response.labels is None else Levels.of(response.values)
        return np.stack([normalised_ranks(column, levels) for column in values.T], axis=1)

    def table(self, given: np.ndarray | None = None) -> pd.DataFrame:
        """A row for each: its label, fold, response and score (as given, or mean over the sets where it is tested)."""
        scores = self._mean_scores(lambda values, _: values) if given is None else given
        labels = self.sample.response.labels
        names = ["score"] if scores.shape[1] == 1 else [f"score {label}" for label in labels]  # type: ignore[union-attr]
        fold = np.zeros(len(self.sample), np.int64) if self.folds is None else self.folds
        frame = pd.DataFrame({"row": self.sample.index, "fold": fold, "response": self.sample.response.given})
        return frame.assign(**dict(zip(names, scores.T, strict=True)))


def defined_somewhere(values: np.ndarray, name: str) -> np.ndarray:
    """Values of a metric in test sets, or a ValueError if none is defined."""
    if np.isnan(values).all():
        raise ValueError(f"{name} is not defined for the test rows; choose another metric or larger test sets")
    return values


def bootstrap_samples(rows: int, *, batched: bool = True) -> int:
    """Number of bootstrap samples: fewer for very many rows, and for metrics that are evaluated one by one."""
    return int(np.clip(_RESAMPLED // rows, FEWEST, BOOTSTRAP if batched else _LOOPED))


def _by_repeating(metric):
    """A weighted version of any metric for weights that are whole numbers: rows are repeated."""

    def weighted(y, scores, counts):
        rows = [np.repeat(np.arange(len(y)), column.astype(np.int64)) for column in counts.T]
        return np.array([metric.values(y[r][:, None], scores[r][:, None])[0] for r in rows])

    return weighted
