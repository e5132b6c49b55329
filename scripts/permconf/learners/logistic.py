"""Logistic regression, all permutations at once; without penalty it equals R's `glm`."""

from dataclasses import dataclass

import numpy as np

from permconf.learners import Scores
from permconf.learners.logistic_kernel import fit, linear_predictor, start_factor


@dataclass(frozen=True)
class Logistic:
    """Logistic regression with the penalty `penalty / 2 * |coefficients|^2` (the intercept is free)."""

    penalty: float = 0.0

    def scores(self, X_train, Y_train, X_test, keys):
        """Linear predictors of the test rows. A separated fit is flagged; its last coefficients are used."""
        coefficients, _, separated = self.coefficients(X_train, Y_train)
        values = np.empty((X_test.shape[0], Y_train.shape[1]))
        linear_predictor(with_intercept(X_test), coefficients, values)
        return Scores(values, separated)

    def coefficients(self, X_train, Y_train):
        """Coefficients (p + 1, b), number of steps (b,) and separation (b,) of the fits."""
        if Y_train.size and Y_train.max() > 1:
            raise ValueError(f"logistic regression needs two classes, the response has {Y_train.max() + 1}")
        rows, b = Y_train.shape
        X = with_intercept(X_train, pad_to=4)
        penalty = np.full(X.shape[1], float(self.penalty))
        penalty[0] = 0.0
        factor, solvable = start_factor(X, penalty)
        if not solvable:
            raise ValueError(f"singular design: {rows} training rows do not identify {X.shape[1]} coefficients")
        coefficients, steps = np.empty((X.shape[1], b)), np.empty(b, np.int64)
        separated = np.empty(b, np.bool_)
        fit(X, rows, np.ascontiguousarray(Y_train), factor, penalty, coefficients, steps, separated)
        return coefficients, steps, separated


def with_intercept(X, *, pad_to=1):
    """X after a column of ones, with rows of zeros added until their number is a multiple of `pad_to`."""
    n, p = X.shape
    padded = np.zeros((n + -n % pad_to, p + 1))
    padded[:n, 0] = 1.0
    padded[:n, 1:] = X
    return padded


LEARNER = Logistic
