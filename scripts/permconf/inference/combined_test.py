"""Both links of a confounder: is it associated with the response, and with the features given the response?

A confounder needs both. The conditional test (`permconf.inference.confounder_tests`) is about the second link only:
where the confounder acts on the features but is independent of the response, chance association in the sample makes it
reject too often. The combined test requires evidence of both links and takes the larger of the two p-values: if either
link is missing its p-value is valid, so the larger one is (an intersection-union test). It is conservative, most of all
where both links are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from permconf.inference.assess import permutation_p
from permconf.inference.confounder_tests import (
    RESPONSE_BINS,
    ConfounderTest,
    check_levels,
    conditional_test,
    confounded_evaluation,
    response_levels,
)
from permconf.keywords import helpful
from permconf.results import Result, also

PERMUTATIONS = 999


@dataclass(frozen=True)
class CombinedTest(Result):
    """The conditional test, the p-value of the association of confounder and response, and the larger of the two."""

    conditional: ConfounderTest
    association_p: float

    @property
    def p(self):
        """p-value for "the confounder lacks a link"."""
        return combined_p(self.conditional.p, self.association_p)

    pvalue = also("p")


def combined_p(conditional_p, association_p):
    """Intersection-union test: both links must be found, so the larger p-value counts."""
    return max(conditional_p, association_p)


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
    table, so `permutations` random tables are drawn. A response for regression is cut into `bins` groups of equal size.
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
    return permutation_p(*(_distance(t[..., possible], expected[possible]) for t in (observed, drawn)))


def _distance(counts, expected):
    """Chi-square distance."""
    return np.sum((counts - expected) ** 2 / expected, axis=-1)


def _tables(evaluation, bins):
    """Counts by level of the response and of the confounder, of the training and of the test set if they have rows."""
    y, c = response_levels(evaluation.sample.response, bins), evaluation.sample.confounders.strata
    shape, cell = (y.counts.size, c.counts.size), y.codes * c.counts.size + c.codes
    parts = [part for rows in evaluation.folds.folds[0] if (part := cell[rows]).size]
    return [np.bincount(part, minlength=shape[0] * shape[1]).reshape(shape) for part in parts]
