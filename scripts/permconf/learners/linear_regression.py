"""Least squares for all permutations with one factorisation."""

from dataclasses import dataclass

import numpy as np

from permconf.engine.contracts import class_count
from permconf.learners._products import product
from permconf.learners.logistic import with_intercept


@dataclass(frozen=True)
class LinearRegression:
    """Ordinary least squares with intercept; scores are predictions."""

    encoding = "reference"

    def scores(self, X_train, Y_train, X_test, keys):
        """Predictions of the test rows; class codes 0 and 1 are centred so that a positive score means class 1."""
        X = with_intercept(X_train)
        Q, R = np.linalg.qr(X)
        diagonal = np.abs(np.diag(R))
        if X.shape[0] < X.shape[1] or diagonal.min() < 1e-10 * diagonal.max():
            raise ValueError(f"singular design: {X.shape[0]} training rows do not identify {X.shape[1]} coefficients")
        offset = 0.5 if class_count(Y_train) else 0.0
        coefficients = product(np.linalg.solve(R, Q.T), Y_train - offset)
        return product(with_intercept(X_test), coefficients)


LEARNER = LinearRegression
