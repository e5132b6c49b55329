"""Linear discriminant analysis of two classes: one factorisation for all permutations.

The covariance within classes changes with the labels only by a term of rank one: it is the total scatter of the
features, which all permutations share, minus the scatter between the two class means. Its inverse follows from that of
the total scatter (Sherman-Morrison), so each permutation takes only a few products.
"""

from dataclasses import dataclass

import numpy as np

from permconf.learners import Scores
from permconf.learners._products import product


@dataclass(frozen=True)
class LinearDiscriminant:
    """Fisher's discriminant with pooled covariance and class shares as priors (scikit-learn's default)."""

    tasks = ("classification",)
    score_kind = "log_odds"
    encoding = "reference"

    def scores(self, X_train, Y_train, X_test, keys):
        """Log-odds of class 1 of the test rows. A fit to classes that are separated exactly is flagged."""
        if Y_train.max(initial=0) > 1:
            raise ValueError(f"lda needs two classes, the response has {Y_train.max() + 1}")
        n, p = X_train.shape
        centre = X_train.mean(axis=0)
        X = X_train - centre
        total = X.T @ X
        if np.linalg.matrix_rank(X) < p or n < p + 2:
            raise ValueError(f"singular design: {n} training rows do not identify a covariance of {p} features")
        cases = Y_train.sum(axis=0, dtype=np.float64)
        controls = n - cases
        sums, to_difference = product(X.T, Y_train), n / (cases * controls)
        difference = sums * to_difference
        direction = product(np.linalg.solve(total, X.T), Y_train) * to_difference
        between = cases * controls / n
        shrink = 1 - between * np.sum(difference * direction, axis=0)
        separated = shrink <= n * np.finfo(float).eps  # no scatter within classes is left: what remains is rounding
        shrink = np.where(separated, n * np.finfo(float).eps, shrink)
        slope = direction * (n / shrink)  # inverse pooled covariance (divisor n) times the difference of means
        middle = sums * ((controls - cases) / (2 * cases * controls))
        offset = np.log(cases / controls) - np.sum(middle * slope, axis=0)
        return Scores(product(X_test - centre, slope) + offset, separated)


LEARNER = LinearDiscriminant
