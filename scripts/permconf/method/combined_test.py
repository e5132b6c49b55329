"""Both links of a confounder: is it associated with the response, and with the features given the response?

A confounder needs both. The conditional test (`permconf.method.confounder_tests`) is about the second link only: where
the confounder acts on the features but is independent of the response, chance association in the sample makes it reject
too often. The combined test requires evidence of both links and takes the larger of the two p-values: if either link is
missing its p-value is valid, so the larger one is (an intersection-union test). It is conservative, most of all where
both links are missing.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from permconf.method.assess import permutation_p
from permconf.method.confounder_tests import (
    RESPONSE_BINS,
    ConfounderTest,
    check_levels,
    conditional_test,
    confounded_split,
    response_levels,
    shuffle_confounder,
)
from permconf.method.random_streams import Streams

PERMUTATIONS = 999
RESULTS = {
    "algorithm2": ("statistic", "mean", "sd", "inner", "p"),
    "conditional": ("statistic", "mean", "sd", "inner", "p"),
    "association": ("p",),
    "combined": ("p",),
}


@dataclass(frozen=True)
class LinkTest:
    """p-value of a test that no learner takes part in, so that there are no draws of a metric."""

    p: float
    draws: None = None


@dataclass(frozen=True)
class CombinedTest:
    """The conditional test, the p-value of the association of confounder and response, and the larger of the two."""

    conditional: ConfounderTest
    association_p: float

    @property
    def p(self):
        """p-value for "the confounder lacks a link"."""
        return combined_p(self.conditional.p, self.association_p)


def combined_p(conditional_p, association_p):
    """Intersection-union test: both links must be found, so the larger p-value counts."""
    return max(conditional_p, association_p)


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
    combinations are its levels (see `confounder_levels`); `combined` tests them one by one.
    """
    arrays = X_train, y_train, c_train, X_test, y_test, c_test
    conditional = conditional_test(*arrays, metric=metric, confounder=confounder, seed=seed, **options)
    split = confounded_split(arrays, metric, confounder, options.get("learner", "logistic"))
    bins = options.get("bins", RESPONSE_BINS)
    streams = Streams(seed, "confounder_tests")
    return CombinedTest(conditional, association_p(split, streams, permutations=permutations, bins=bins))


class TestedConfounders(Protocol):
    """A result with a table of confounders (`PredictionTest`, `AssociationTest`)."""

    @property
    def by_confounder(self) -> Any: ...


@dataclass(frozen=True, eq=False)
class CombinedResult:
    """p-value for "no confounder has both links", and a table `by_confounder`.

    Its columns are confounder, p (adjusted for the number of confounders by the method of Holm), association_p and
    prediction_p (of the confounder alone) and sign.
    """

    p: float
    by_confounder: Any = field(repr=False)


def combined(prediction: TestedConfounders, association: TestedConfounders) -> CombinedResult:
    """Which confounders have both links? From a prediction test and an association test of the same confounders.

    For each confounder the larger of its two p-values counts (an intersection-union test), which is valid if either
    link is missing; over confounders these are adjusted by the method of Holm, and the smallest is the overall p-value.
    For one confounder that is the larger of the two p-values. The p-values that each test adjusts for the other
    confounders will not do: where one confounder has only the first link and another only the second, each is tested
    at the full nominal level in the test that it should pass, and either may fail.
    """
    import pandas as pd  # not needed where studies combine two p-values

    tables = prediction.by_confounder, association.by_confounder
    names = [list(table["confounder"]) for table in tables]
    if names[0] != names[1]:
        raise ValueError(f"the two tests are of different confounders, {names[0]} and {names[1]}")
    prediction_p, association_p = (table["single_p"].to_numpy() for table in tables)
    p = holm(np.maximum(prediction_p, association_p))
    columns = {"confounder": names[0], "p": p, "association_p": association_p, "prediction_p": prediction_p}
    return CombinedResult(float(p.min()), pd.DataFrame(columns | {"sign": tables[0]["sign"].to_numpy()}))


def holm(p):
    """p-values adjusted for their number, in steps from the smallest (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    steps = np.minimum(p[order] * np.arange(len(p), 0, -1), 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def association_p(split, streams, *, permutations=PERMUTATIONS, bins=RESPONSE_BINS):
    """p-value of the association of confounder and response, by free permutation in training and test set separately.

    The statistic is the chi-square distance of the two sets' summed tables from what their margins lead to expect, so
    that sets of different composition do not look like association. A permutation matters only through its contingency
    table, so `permutations` random tables are drawn. A response for regression is cut into `bins` groups of equal size.
    """
    from scipy.stats import random_table  # slow to import, and few studies need it

    check_levels(split, "association")
    rng = streams.rng("association")
    sets = _tables(split, bins)
    margins = [(table.sum(axis=1), table.sum(axis=0)) for table in sets]
    observed = np.sum(sets, axis=0)
    expected = np.sum([np.outer(*margin) / margin[0].sum() for margin in margins], axis=0)
    drawn = np.sum([random_table.rvs(*margin, size=permutations, random_state=rng) for margin in margins], axis=0)
    possible = expected > 0
    return permutation_p(*(_distance(t[..., possible], expected[possible]) for t in (observed, drawn)))


def _distance(counts, expected):
    """Chi-square distance, rounded so that equal tables are equal in spite of the order of summing."""
    return np.round(np.sum((counts - expected) ** 2 / expected, axis=-1), 9)


def _tables(split, bins):
    """Counts by level of the response and of the confounder, of the training and of the test set if they have rows."""
    n_train = len(split.y_train)
    y = np.unique(response_levels(np.concatenate([split.y_train, split.y_test]), bins), return_inverse=True)[1]
    c = np.unique(np.concatenate([split.c_train, split.c_test]), return_inverse=True)[1]
    shape, cell = (y.max() + 1, c.max() + 1), y * (c.max() + 1) + c
    parts = [part for part in (cell[:n_train], cell[n_train:]) if part.size]
    return [np.bincount(part, minlength=shape[0] * shape[1]).reshape(shape) for part in parts]


def confounder_tests(split, tests, *, learner, metrics, streams):
    """The tests that a scenario asks for (kinds with their options): results by kind, for each metric by name."""
    made = {
        kind: shuffle_confounder(split, kind, learner=learner, metrics=metrics, streams=streams, **options)
        for kind, options in tests.items()
        if kind != "association"
    }
    by_metric = {name: {kind: results[name] for kind, results in made.items()} for name in metrics}
    if "association" in tests:
        link = LinkTest(association_p(split, streams, **tests["association"]))
        for results in by_metric.values():
            results["association"] = link
            if "conditional" in results:
                results["combined"] = LinkTest(combined_p(results["conditional"].p, link.p))
    return by_metric


def result_names(tests):
    """Kinds and results (names of attributes) that these tests lead to."""
    combined = ["combined"] if {"conditional", "association"} <= set(tests) else []
    kinds = [kind for kind in tests if kind != "association"] + ["association"] * ("association" in tests) + combined
    return [(kind, name) for kind in kinds for name in RESULTS[kind]]
