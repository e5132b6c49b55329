"""L2-penalised logistic regression; `penalty` is 1 / C of scikit-learn's `LogisticRegression`.

With more features than training rows, the coefficients are a combination of the (centred) rows. They are then found in
the space of the rows, whose coordinates all permutations share: the penalty and the scores are the same there.
"""

from dataclasses import dataclass

import numpy as np

from permconf.learners.logistic import Logistic
from permconf.options import number


@dataclass(frozen=True)
class RidgeLogistic(Logistic):
    """Penalised logistic regression, defined for any number of training rows."""

    penalty: float = 1.0

    encoding = "standardised"

    def __post_init__(self):
        number(self.penalty, "penalty of ridge_logistic", least=0, exclusive=True)

    def scores(self, X_train, Y_train, X_test, keys):
        """Linear predictors of the test rows."""
        X_train, X_test = in_row_space(X_train, X_test)
        return super().scores(X_train, Y_train, X_test, keys)

    def weighted_scores(self, X_train, Y_train, weights, X_test, keys):
        """As `scores`, with a weight (n, b) for every training row and response."""
        X_train, X_test = in_row_space(X_train, X_test)
        return super().weighted_scores(X_train, Y_train, weights, X_test, keys)


def in_row_space(X_train, X_test):
    """Both sets in orthonormal coordinates of the space of the centred training rows, if that has fewer of them."""
    n, p = X_train.shape
    if p <= n:
        return X_train, X_test
    centre = X_train.mean(axis=0)
    U, lengths, axes = np.linalg.svd(X_train - centre, full_matrices=False)
    kept = lengths > lengths[0] * p * np.finfo(float).eps
    kept[0] = True  # features that are all constant leave a column of zeros
    return U[:, kept] * lengths[kept], (X_test - centre) @ axes[kept].T


LEARNER = RidgeLogistic
