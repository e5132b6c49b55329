"""Pairs of rows of both classes with close propensity scores, within a caliper: matching for numeric confounders."""

from dataclasses import dataclass

import numpy as np

from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.adjustments.matching import Matching
from permconf.engine.contracts import fitted_scores, make_learner
from permconf.options import number

_PENALTY = 0.1


@dataclass(frozen=True)
class PropensityMatching(Matching):
    """Keeps pairs of a row of each class whose log-odds of class 1 given the confounders differ by at most the caliper.

    The log-odds come from a logistic regression with splines of numeric confounders, fitted to the training rows. Each
    row of the rarer class, in random order, takes the nearest row of the other that is left. `caliper` is in standard
    deviations of the training log-odds (Austin 2011 recommends 0.2). `sets` is "both" or "training", as for `matching`.
    """

    caliper: float = 0.2
    keeps_confounder_tests = False
    needs_levels = False

    def __post_init__(self):
        number(self.caliper, "caliper of propensity_matching", least=0, exclusive=True)
        super().__post_init__()

    def select(self, part, train, rng):
        """The rows that are kept."""
        if part.response.classes > 2:
            raise ValueError("propensity_matching makes pairs of two classes; the response has more")
        fitted, scored = propensities(train, part)
        return matched_pairs(scored, part.response.values, self.caliper * fitted.std(), rng)


def propensities(train, part):
    """Log-odds of class 1 given the confounders of the training rows and of the rows of `part`, from the former."""
    basis = ConfounderBasis.of(train.confounders)
    Z, Z_part = basis.columns(train.confounders), basis.columns(part.confounders)
    if not Z.shape[1]:
        return np.zeros(len(Z)), np.zeros(len(Z_part))
    model = make_learner({"name": "logistic", "penalty": _PENALTY})
    y, keys = train.response.values[:, None], np.zeros(1, np.uint64)
    odds = fitted_scores(model, Z, y, np.vstack([Z, Z_part]), keys, classes=2).values[:, 0]
    return odds[: len(Z)], odds[len(Z) :]


def matched_pairs(score, y, width, rng):
    """Rows, in order, of pairs of both classes whose scores differ by at most `width`: greedy, without replacement."""
    shuffled = rng.permutation(len(y))
    few, many = sorted((shuffled[y[shuffled] == k] for k in (0, 1)), key=len)
    free, kept = np.ones(many.size, bool), []
    for row in few:
        distance = np.where(free, np.abs(score[many] - score[row]), np.inf)
        nearest = int(distance.argmin()) if distance.size else 0
        if distance.size and distance[nearest] <= width:
            free[nearest] = False
            kept += [row, many[nearest]]
    if not kept:
        raise ValueError("propensity_matching leaves no rows: no two rows of both classes are within the caliper")
    return np.sort(np.array(kept))


ADJUSTMENT = PropensityMatching
