"""Least squares with an L2 penalty, for all permutations with one factorisation."""

from dataclasses import dataclass

import numpy as np

from permconf.engine.contracts import class_count
from permconf.learners._products import product
from permconf.options import number


@dataclass(frozen=True)
class RidgeRegression:
    """Minimises |y - prediction|^2 + penalty |coefficients|^2, intercept not included (scikit-learn's `Ridge`)."""

    penalty: float = 1.0

    encoding = "standardised"

    def __post_init__(self):
        number(self.penalty, "penalty of ridge_regression", least=0, exclusive=True)

    def scores(self, X_train, Y_train, X_test, keys):
        """Predictions of the test rows; class codes 0 and 1 are centred so that a positive score means class 1."""
        Y = Y_train - (0.5 if class_count(Y_train) else 0.0)
        centre = X_train.mean(axis=0)
        X = X_train - centre
        solution, mean = np.linalg.solve(X.T @ X + self.penalty * np.eye(X.shape[1]), X.T), Y.mean(axis=0)
        return product(X_test - centre, product(solution, Y - mean)) + mean


LEARNER = RidgeRegression
