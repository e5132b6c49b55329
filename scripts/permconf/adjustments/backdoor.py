"""Backdoor adjustment: the confounders are features too, and predictions are averaged over their distribution.

Landeiro & Culotta (2016), after Pearl: p(y | do(x)) = sum over c of p(y | x, c) p(c).
"""

from dataclasses import dataclass

import numpy as np

from permconf.adjustments import AdaptedLearner, Adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.engine.contracts import class_count, fitted_scores
from permconf.engine.scores import Scores
from permconf.options import whole_number

_DIGITS = 12  # of mean probabilities


@dataclass(frozen=True)
class Backdoor(Adjustment):
    """The learner gets the confounders as further features; test rows are predicted for each value of them.

    p(c) is that of the training rows. Where these have more than `values` distinct confounders, it is represented by so
    many rows, evenly spaced after sorting.
    """

    values: int = 20
    needs_levels = False

    def __post_init__(self):
        whole_number(self.values, "values of backdoor", least=1)

    def adapted(self, learner, c_train):
        """The learner with the confounders as further features."""
        Z = ConfounderBasis.of(c_train).columns(c_train)
        return BackdoorLearner(learner, Z, *representatives(Z, self.values))


def representatives(Z, most):
    """Rows that stand for the distribution of the rows of Z, and their shares."""
    rows, counts = np.unique(Z, axis=0, return_counts=True)
    if len(rows) <= most:
        return rows, counts / len(Z)
    ordered = Z[np.lexsort(Z.T[::-1])]
    return ordered[((np.arange(most) + 0.5) * len(Z) / most).astype(int)], np.full(most, 1 / most)


@dataclass(frozen=True)
class BackdoorLearner(AdaptedLearner):
    """A learner trained with `Z` added to the features, whose predictions are averaged over `values` of them."""

    Z: np.ndarray
    values: np.ndarray
    shares: np.ndarray

    score_kind = None  # the scores say so themselves

    def scores(self, X_train, Y_train, X_test, keys):
        """Mean probabilities of the test rows; mean scores if the learner gives no probabilities.

        Rows are averaged one by one and probabilities rounded: else rounding errors, which in a matrix product depend
        on the processor and on the other rows, would rank rows with the same mean vote of a forest.
        """
        each, m = len(self.values), len(X_test)
        repeated = np.tile(np.arange(m), each)
        stacked = _with_columns(X_test, np.repeat(self.values, m, axis=0), repeated)
        scores = fitted_scores(self.learner, _with_columns(X_train, self.Z), Y_train, stacked, keys)
        probable = class_count(Y_train) and (scores.kind != "value" or scores.probabilities is not None)
        predicted = scores.needed("probabilities" if probable else "scores")
        by_value = predicted.reshape(each, m, *predicted.shape[1:])
        mean = sum(share * part for share, part in zip(self.shares, by_value, strict=True))
        return Scores(mean.round(_DIGITS) if probable else mean, scores.flagged, "probability" if probable else "value")


def _with_columns(X, Z, rows=slice(None)):
    """Rows of a matrix or DataFrame, with further columns."""
    if hasattr(X, "assign"):
        names = {f"confounder column {j + 1}": column for j, column in enumerate(Z.T)}
        return X.iloc[rows].reset_index(drop=True).assign(**names)
    return np.hstack([X[rows], Z])


ADJUSTMENT = Backdoor
