"""Logistic regression, all permutations at once; without penalty it equals R's `glm`.

With more than two classes it is multinomial, one fit after the other.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from permconf.engine.blas_threads import one_blas_thread
from permconf.learners import Scores
from permconf.learners._products import product
from permconf.learners.logistic_kernel import fit, starts
from permconf.learners.newton_kernel import (
    SINGULAR,
    STRETCH,
    class_probabilities,
    contrasts,
    multinomial_fit,
    newton_fit,
)
from permconf.options import number

START_WEIGHT = 3 / 16  # glm starts from fitted probabilities 1/4 and 3/4
WEIGHT_OF_SEPARATED = 1 / 16  # typical, of a row, where only the penalty keeps fits from being separated
LIMITS = (20, 200)  # of gradients; fits that need more than the first are repeated, so that no others wait for them
NARROW = 16  # with more coefficients a separated fit is left where it was found to be, which is cheaper than R's steps


@dataclass(frozen=True)
class Logistic:
    """Logistic regression with the penalty `penalty / 2 * |coefficients|^2` (not on the intercept)."""

    penalty: float = 0.0

    tasks = ("classification",)
    score_kind = "log_odds"
    encoding = "reference"

    def __post_init__(self):
        number(self.penalty, "penalty of logistic", least=0)

    def scores(self, X_train, Y_train, X_test, keys):
        """Linear predictors of the test rows, or probabilities of more than two classes.

        A separated fit is flagged, and its last iterate is used.
        """
        if Y_train.max(initial=0) > 1:
            return self._multinomial_scores(X_train, Y_train, np.ones(Y_train.shape), X_test)
        with one_blas_thread():  # so that no sum depends on their number
            coefficients, _, separated = self._fits(X_train, Y_train)
            return Scores(product(with_intercept(X_test), coefficients), separated)

    def coefficients(self, X_train, Y_train):
        """Coefficients (p + 1, b), number of gradients (b,) and separation (b,) of the fits."""
        _check_classes(Y_train)
        with one_blas_thread():
            return self._fits(X_train, Y_train)

    def _fits(self, X_train, Y_train):
        X, Y = with_intercept(X_train), np.ascontiguousarray(Y_train)
        penalty, (p, b) = self._penalties(X), (X.shape[1], Y.shape[1])
        coefficients, gradients = np.empty((p, b)), np.empty(b, np.int64)
        separated, completed = np.empty(b, np.bool_), np.zeros(b, np.bool_)
        Q, T, transformed, weight = _coordinates(X, penalty)
        start = starts(Q, weight, Y)
        left = np.argsort(np.sum(start**2, axis=0))  # fits that take about as long are worked on together
        for limit in LIMITS:
            fit(Q, T, transformed, weight, Y, start, left, limit, coefficients, gradients, separated, completed)
            left = left[~completed[left] & (gradients[left] >= limit)]
            if not left.size:
                break
        left = np.flatnonzero(~completed | (separated & (p <= NARROW)))
        if not left.size:
            return coefficients, gradients, separated
        some, ones = (np.empty((p, left.size)), np.empty(left.size, np.bool_)), np.ones((len(X), left.size))
        newton_fit(X, Y.take(left, axis=1), ones, penalty, STRETCH, 0.0, *some)
        coefficients[:, left], separated[left] = some
        return coefficients, gradients, separated

    def weighted_scores(self, X_train, Y_train, weights, X_test, keys):
        """As `scores`, with a weight (n, b) for every training row and response."""
        if Y_train.max(initial=0) > 1:
            return self._multinomial_scores(X_train, Y_train, weights.astype(np.float64), X_test)
        coefficients, separated = self.weighted_coefficients(X_train, Y_train, weights)
        return Scores(product(with_intercept(X_test), coefficients), separated)

    def weighted_coefficients(self, X_train, Y_train, weights):
        """Coefficients (p + 1, b) and separation (b,) of weighted fits, by Newton's method from zero."""
        _check_classes(Y_train)
        X = with_intercept(X_train)
        coefficients, separated = np.empty((X.shape[1], Y_train.shape[1])), np.empty(Y_train.shape[1], np.bool_)
        with one_blas_thread():
            solved = newton_fit(X, Y_train, weights, self._penalties(X), 1.0, SINGULAR, coefficients, separated)
        if not solved:
            raise ValueError("singular design: the weighted training rows do not identify the coefficients")
        return coefficients, separated

    def penalised_scores(self, X_train, Y_train, root, X_test, keys):
        """As `scores`, with the further penalty |root @ coefficients|^2 / 2; root (k, p) has a column for each feature.

        In coordinates along the right singular vectors of `root`, that penalty concerns k coefficients one by one.
        """
        _, lengths, axes = np.linalg.svd(root, full_matrices=True)
        rotated = _LogisticByDirection(self.penalty, tuple(lengths**2))
        return rotated.scores(X_train @ axes.T, Y_train, X_test @ axes.T, keys)

    def _multinomial_scores(self, X_train, Y_train, weights, X_test):
        """Class probabilities (m, b, K)."""
        X, A, b = with_intercept(X_train), contrasts(int(Y_train.max()) + 1), Y_train.shape[1]
        if not self.penalty and np.linalg.matrix_rank(X) < X.shape[1]:
            raise _singular(X)
        coefficients, flagged = np.empty((b, X.shape[1], A.shape[1])), np.empty(b, np.bool_)
        multinomial_fit(X, Y_train, weights, self._penalties(X), A, coefficients, flagged)
        rows = with_intercept(X_test)
        return Scores(np.stack([class_probabilities(rows, V, A) for V in coefficients], axis=1), flagged)

    def _penalties(self, X):
        penalty = np.full(X.shape[1], float(self.penalty))
        penalty[0] = 0.0
        return penalty


@dataclass(frozen=True)
class _LogisticByDirection(Logistic):
    """Logistic regression with further penalties on its first coefficients."""

    further: tuple[float, ...] = ()

    def _penalties(self, X):
        penalty = super()._penalties(X)
        penalty[1 : 1 + len(self.further)] += self.further
        return penalty


def _check_classes(Y):
    if Y.size and Y.max() > 1:
        raise ValueError(f"logistic regression needs two classes, the response has {Y.max() + 1}")


def _coordinates(X, penalty):
    """Coordinates for the kernel; an error if R takes the design for singular."""
    (n, p), penalised = X.shape, penalty.any()
    weight = WEIGHT_OF_SEPARATED if penalised and 2 * p > n else START_WEIGHT
    products = weight * (X.T @ X) + np.diag(penalty)
    factor, failed = dpotrf(products, lower=True, clean=True)
    if failed or (np.diag(factor) ** 2 <= SINGULAR * np.diag(products)).any():
        raise _singular(X)
    inverse = dtrtri(factor, lower=True)[0]
    Q, T = np.ascontiguousarray(dtrmm(1.0, inverse, X.T, lower=True).T), np.ascontiguousarray(inverse.T)
    if not penalised:
        return Q, T, np.empty((0, 0)), weight
    root = np.sqrt(penalty)[:, None] * T
    return Q, T, root.T @ root, weight


def _singular(X):
    return ValueError(f"singular design: {X.shape[0]} training rows do not identify {X.shape[1]} coefficients")


def with_intercept(X):
    """X with a leading column of ones."""
    rows = np.ones((X.shape[0], X.shape[1] + 1))
    rows[:, 1:] = X
    return rows


LEARNER = Logistic
