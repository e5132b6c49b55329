"""Tests for confounding that shuffle the confounder: Algorithm 2 (paper, Appendix), and its conditional version.

The statistic is that of the paper's confounding test, the mean of restricted draws of the metric; its null distribution
comes from shuffling the confounder, in the training and in the test set separately, instead of a normal approximation.

- `algorithm2` shuffles it freely, which destroys its association with the features and with the response.
- `conditional` shuffles it within the levels of the response, which keeps the associations of the response with the
  confounder and with the features and destroys only what confounder and features share beyond the response. Without
  such a direct association the confounder is exchangeable with its shuffles, so the p-value is exact.
- `combined` requires evidence of both links. The conditional test is about the second one only: where the confounder
  acts on the features but is independent of the response, chance association in the sample makes it reject too often.
  The larger of its p-value and that of the association of confounder and response is valid if either link is missing
  (an intersection-union test), and conservative, most of all where both are.

Each statistic, the observed one too, is the mean of the same number of restricted draws with keys of its own. Exactness
needs no more than that: with few such inner draws the statistic is noisier and the test weaker, not wrong. But the
p-value then moves with the seed; `p_error` says by how much.

All fits are columns of one batch: column s * inner + j is the j-th restricted draw given confounder shuffle s, where
shuffle 0 is the confounder as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.special import ndtri

from permconf.data.levels import Levels
from permconf.engine.contracts import make_metric
from permconf.engine.evaluate import block_columns, evaluate, values
from permconf.engine.folds import paper_split
from permconf.engine.plugin_results import check_defined
from permconf.inference.p_values import permutation_p
from permconf.keywords import helpful
from permconf.options import choice, whole_number
from permconf.permute.random_bits import random_bits
from permconf.permute.random_streams import Streams
from permconf.permute.shuffles import shuffled, shuffled_by_turns, sorted_rows
from permconf.results import Result, also

ALTERNATIVES = ("two-sided", "inflates", "masks")
RESPONSE_BINS = 10
PERMUTATIONS = 999  # of the association test
_QUANTILES = 100
RESULTS = ("statistic", "mean", "sd", "inner", "p")  # of a test that shuffles the confounder


@dataclass(frozen=True, eq=False)
class ConfounderTest(Result):
    """Mean of the restricted draws given the confounder (`statistic`) and given its shuffles (`draws`).

    `p` is the share of statistics, the observed one included, that are at least as extreme: as good ("inflates"), as
    bad ("masks"), or as far from the mean of all of them ("two-sided"; the observed one belongs to that mean, so that
    all statistics are treated alike and the test stays exact). `inner` is the number of restricted draws in each
    statistic, `statistic_error` the Monte Carlo standard error that this number leaves; `flagged` counts fits that were
    separated or did not converge.
    """

    metric: str
    statistic: float
    draws: np.ndarray
    p: float
    inner: int
    flagged: int
    alternative: str
    direction: int
    statistic_error: float

    pvalue = also("p")
    null_distribution = also("draws")

    @property
    def mean(self):
        return float(np.mean(self.draws))

    @property
    def sd(self):
        return float(np.std(self.draws, ddof=1))

    @property
    def p_error(self):
        """Standard deviation of p over seeds: other inner draws for the observed statistic, and other shuffles.

        Averages p over the normal distribution of the statistic (at its quantiles), with the variance of a share.
        """
        statistics = self.statistic + self.statistic_error * ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
        p = np.array([shuffle_p(one, self.draws, self.alternative, self.direction) for one in statistics])
        return float(np.sqrt(np.var(p) + np.mean(p * (1 - p)) / len(self.draws)))


def shuffle_p(statistic, draws, alternative, direction):
    """Share of statistics at least as extreme as the observed one, which counts too."""
    if alternative == "two-sided":
        centre = (statistic + np.sum(draws)) / (1 + len(draws))
        return permutation_p(abs(statistic - centre), np.abs(draws - centre))
    return permutation_p(statistic, draws, direction=direction if alternative == "inflates" else -direction)


@helpful
def algorithm2(
    X_train: ArrayLike,
    y_train: ArrayLike,
    c_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    c_test: ArrayLike,
    *,
    learner: Any = "logistic",
    metric: Any = "auc",
    shuffles: int = 10_000,
    inner: int | str = "test_size",
    confounder: Any = "levels",
    seed: int,
) -> ConfounderTest:
    """Algorithm 2: is the mean of the restricted null larger than with a freely shuffled confounder?

    `shuffles` is the paper's b_s; `inner`, a number or "test_size", is its b_r. Confounders are given as in `assess`,
    but need levels: `confounder` is "levels" or a binning, for all of them or for each.

    >>> from permconf import algorithm2, example
    >>> table, X = example(120), ["marker", "volume"]
    >>> data = [part[name] for part in (table[:60], table[60:]) for name in (X, "ill", "site")]
    >>> algorithm2(*data, shuffles=99, inner=12, seed=1).p < 0.1
    True
    """
    arrays, options = (X_train, y_train, c_train, X_test, y_test, c_test), {"shuffles": shuffles, "inner": inner}
    evaluation = confounded_evaluation(arrays, learner, metric, confounder, seed)
    (found,) = shuffle_confounder(evaluation, "algorithm2", **options).values()
    return found


@helpful
def conditional_test(
    X_train: ArrayLike,
    y_train: ArrayLike,
    c_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    c_test: ArrayLike,
    *,
    learner: Any = "logistic",
    metric: Any = "auc",
    shuffles: int = 999,
    inner: int | str = "test_size",
    bins: int = RESPONSE_BINS,
    confounder: Any = "levels",
    alternative: str = "two-sided",
    seed: int,
) -> ConfounderTest:
    """Does the mean of the restricted null differ from that with the confounder shuffled within levels of the response?

    Exact under "no association of confounder and features given the response". A response for regression is cut into
    at most `bins` groups with five rows or more first, and the test is exact but for variation of the confounder within
    a group. `alternative` is "two-sided", "inflates" (the restricted null is better than with a shuffled confounder) or
    "masks". The `p_error` of the result is the spread of its p-value over seeds, which is large if `inner` is small.
    Confounders are given as in `assess`, but need levels: `confounder` is "levels" or a binning, for all or for each.

    >>> from permconf import conditional_test, example
    >>> table, X = example(120), ["marker", "volume"]
    >>> data = [part[name] for part in (table[:60], table[60:]) for name in (X, "ill", "site")]
    >>> conditional_test(*data, shuffles=99, inner=12, seed=1).p < 0.1
    True
    """
    arrays = X_train, y_train, c_train, X_test, y_test, c_test
    options = {"shuffles": shuffles, "inner": inner, "bins": bins, "alternative": alternative}
    evaluation = confounded_evaluation(arrays, learner, metric, confounder, seed)
    (found,) = shuffle_confounder(evaluation, "conditional", **options).values()
    return found


def shuffle_confounder(
    evaluation, kind, *, shuffles, inner="test_size", bins=RESPONSE_BINS, alternative="inflates", columns=None
):
    """One `ConfounderTest` of this kind per metric, by name; all metrics share the same fits.

    `columns` bounds the number of fits worked on at a time; the result does not depend on it.
    """
    check_levels(evaluation.sample, kind)
    inner, metrics = evaluation.n_test if inner == "test_size" else inner, evaluation.metrics
    for name, value, least in (("shuffles", shuffles, 2), ("inner", inner, 1), ("bins", bins, 1)):
        whole_number(value, name, least=least)
    choice(alternative, "alternative", ALTERNATIVES)
    train, test = (_Part.of(evaluation, part, kind, shuffles, bins) for part in ("train", "test"))
    learner_keys = evaluation.streams.keys(f"{kind}/learner", 1 + shuffles)
    sums, squares = ({name: np.zeros(1 + shuffles) for name in metrics} for _ in range(2))
    flagged, total = 0, (1 + shuffles) * inner
    columns = columns or block_columns(evaluation)
    for first in range(0, total, columns):
        last = min(first + columns, total)
        Y = np.concatenate([train.labels(inner, first, last), test.labels(inner, first, last)])
        batch = values(evaluation, Y, [_inner_keys(learner_keys, inner, first, last)])
        flagged += batch.flagged
        for name, drawn in batch.values.items():  # one after the other, so that blocks do not change a sum
            check_defined(drawn, name)
            np.add.at(sums[name], np.arange(first, last) // inner, drawn)
            np.add.at(squares[name], np.arange(first, last) // inner, drawn**2)
    return {
        name: _confounder_test(name, sums[name], squares[name], metric.direction, inner, flagged, alternative)
        for name, metric in metrics.items()
    }


def confounder_tests(evaluation, tests):
    """The tests of a scenario (kinds with their options): results by kind, for each metric by name."""
    made = {kind: shuffle_confounder(evaluation, kind, **options) for kind, options in tests.items()}
    return {name: {kind: results[name] for kind, results in made.items()} for name in evaluation.metrics}


def _confounder_test(name, sums, squares, direction, inner, flagged, alternative):
    """The test from sums of inner draws; the error of its statistic is that of their pooled variance."""
    means = sums / inner
    statistic, draws = float(means[0]), means[1:]
    if inner == 1:
        error = np.std(means, ddof=1)
    else:
        error = np.sqrt(np.mean(np.clip(squares - inner * means**2, 0, None)) / (inner - 1) / inner)
    p = shuffle_p(statistic, draws, alternative, direction)
    return ConfounderTest(name, statistic, draws, p, inner, flagged, alternative, direction, float(error))


@dataclass(frozen=True)
class _Part:
    """Response and confounder of the training or test set, and the keys of their shuffles."""

    y: np.ndarray
    c: np.ndarray  # codes 0, 1, ... of the levels
    starts: np.ndarray  # of the levels, in a confounder that is sorted
    within: Levels  # within which the confounder is shuffled
    confounder_keys: np.ndarray
    response_keys: np.ndarray

    @classmethod
    def of(cls, evaluation, part, kind, shuffles, bins):
        sample, streams = evaluation.part(part), evaluation.streams
        strata = sample.confounders.strata
        return cls(
            sample.response.values,
            strata.codes.astype(np.uint8 if strata.counts.size <= 2 else np.int64),
            strata.starts,
            Levels.single(len(sample)) if kind == "algorithm2" else sample.response.levels(bins),
            streams.keys(f"{kind}/confounder/{part}", 1 + shuffles),
            streams.keys(f"{kind}/response/{part}", 1 + shuffles),
        )

    def labels(self, inner, first, last):
        """Columns first .. last - 1 of the response: permuted within the levels of their shuffled confounder."""
        shuffles = range(first // inner, (last - 1) // inner + 1)
        ends = np.minimum((np.array(shuffles) + 1) * inner, last) - first
        keys = _inner_keys(self.response_keys, inner, first, last)
        return shuffled_by_turns(self.y, self._orders(shuffles), self.starts, keys, ends)

    def _orders(self, shuffles):
        """Rows sorted by each of these shuffles of the confounder; shuffle 0 is the confounder as it is."""
        confounders = shuffled(self.c, self.within, self.confounder_keys[shuffles.start : shuffles.stop])
        if shuffles.start == 0:
            confounders[:, 0] = self.c
        return sorted_rows(confounders, self.starts)


@njit(cache=True, nogil=True)
def _inner_keys(keys, inner, first, last):
    """Keys of columns first .. last - 1, derived from the key of the confounder shuffle that each belongs to."""
    derived = np.empty(last - first, np.uint64)
    for column in range(first, last):
        derived[column - first] = random_bits(keys[column // inner], column % inner)
    return derived


def check_levels(sample, kind):
    """Raise ValueError where a test needs levels of a confounder that has none."""
    if not sample.confounders.has_levels:
        raise ValueError(f"the {kind} test needs levels of the confounder, which is smooth; give it bins instead")


def confounded_evaluation(arrays, learner, metric, treatment, seed):
    """A training and a test set in which a test for confounding can be made, with the learner fitted."""
    metric = make_metric(metric, y=arrays[1])
    sample, folds = paper_split(arrays[:3], arrays[3:], task=metric.task, treatment=treatment)
    check_levels(sample, "confounding")
    counts = sample.confounders.strata.counts
    if counts.size < 2:
        names = sample.confounders.stratum_names
        raise ValueError(f"the confounder has one level only, {names}: there is nothing to shuffle")
    alone = int(np.sum(counts == 1))
    if 2 * alone > counts.sum():
        raise ValueError(
            f"{alone} of {counts.sum()} rows are alone in their level of the confounder, which seems to be continuous;"
            " bin it, for example with confounder={'quantiles': 5}"
        )
    for part, rows in folds.folds[0]._asdict().items():
        y = sample.response.values[rows]
        if y.size and sample.response.labels is not None and np.all(y == y[0]):
            raise ValueError(f"y_{part} has one class only")
    streams = Streams(seed, "confounder_tests")
    return evaluate(sample, folds, learner=learner, metrics={metric.name: metric}, streams=streams)


# ---- both links ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CombinedTest(Result):
    """The conditional test, the p-value of the association of confounder and response, and the larger of the two."""

    conditional: ConfounderTest
    association_p: float

    @property
    def p(self):
        """p-value for "the confounder lacks a link": both links must be found, so the larger p-value counts."""
        return max(self.conditional.p, self.association_p)

    pvalue = also("p")


@helpful
def combined_test(
    X_train: ArrayLike,
    y_train: ArrayLike,
    c_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    c_test: ArrayLike,
    *,
    metric: Any = "auc",
    permutations: int = PERMUTATIONS,
    confounder: Any = "levels",
    seed: int,
    **options: Any,
) -> CombinedTest:
    """Is there a confounder, that is, one associated with the response and with the features given the response?

    `permutations` are those of the association test, `options` those of `conditional_test`. The type I error is at most
    nominal when either link is missing. Several confounders, as the columns of a matrix, count as one: their
    combinations are its levels; `permconf.inference.combined` tests them one by one.

    >>> from permconf import combined_test, example
    >>> table, X = example(120), ["marker", "volume"]
    >>> data = [part[name] for part in (table[:60], table[60:]) for name in (X, "ill", "site")]
    >>> combined_test(*data, shuffles=99, inner=12, seed=1).p < 0.1
    True
    """
    arrays = X_train, y_train, c_train, X_test, y_test, c_test
    conditional = conditional_test(*arrays, metric=metric, confounder=confounder, seed=seed, **options)
    evaluation = confounded_evaluation(arrays, options.get("learner", "logistic"), metric, confounder, seed)
    bins = options.get("bins", RESPONSE_BINS)
    return CombinedTest(conditional, association_p(evaluation, permutations=permutations, bins=bins))


def association_p(evaluation, *, permutations=PERMUTATIONS, bins=RESPONSE_BINS):
    """p-value of the association of confounder and response, by free permutation in training and test set separately.

    The statistic is the chi-square distance of the two sets' summed tables from what their margins lead to expect, so
    that sets of different composition do not look like association. A permutation matters only through its contingency
    table, so `permutations` random tables are drawn. A response for regression is cut into `bins` groups.
    """
    from scipy.stats import random_table  # slow to import, and few studies need it

    check_levels(evaluation.sample, "association")
    rng = evaluation.streams.rng("association")
    sets = _tables(evaluation, bins)
    margins = [(table.sum(axis=1), table.sum(axis=0)) for table in sets]
    observed = np.sum(sets, axis=0)
    expected = np.sum([np.outer(*margin) / margin[0].sum() for margin in margins], axis=0)
    drawn = np.sum([random_table.rvs(*margin, size=permutations, random_state=rng) for margin in margins], axis=0)
    possible = expected > 0
    expected = expected[possible]
    distances = (np.sum((t[..., possible] - expected) ** 2 / expected, axis=-1) for t in (observed, drawn))
    return permutation_p(*distances)


def _tables(evaluation, bins):
    """Counts by level of the response and of the confounder, of the training and of the test set if they have rows."""
    y, c = evaluation.sample.response.levels(bins), evaluation.sample.confounders.strata
    shape, cell = (y.counts.size, c.counts.size), y.codes * c.counts.size + c.codes
    parts = [part for rows in evaluation.folds.folds[0] if (part := cell[rows]).size]
    return [np.bincount(part, minlength=shape[0] * shape[1]).reshape(shape) for part in parts]
