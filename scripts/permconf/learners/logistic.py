"""Logistic regression, all permutations at once; without penalty it equals R's `glm`.

With more than two classes it is multinomial, one fit after the other.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from permconf.engine.blas_threads import one_blas_thread
from permconf.learners import Scores
from permconf.learners._tiles import ROWS
from permconf.learners.logistic_kernel import START_WEIGHT, fit, linear_predictor, start_factor
from permconf.learners.multinomial_kernel import class_probabilities, contrasts, multinomial_fit
from permconf.learners.weighted_logistic_kernel import weighted_fit
from permconf.learners.wide_logistic_kernel import fit_wide, wide_linear_predictor, wide_starts
from permconf.options import number

WIDE = 16  # with more coefficients a quasi-Newton method is faster than R's steps
WEIGHT_OF_SEPARATED = 1 / 16  # typical, of a row, where only the penalty keeps fits from being separated
LIMITS = (16, 200)  # of its gradients; fits that need more than the first are repeated, so that no others wait for them


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
        coefficients, _, separated = self.coefficients(X_train, Y_train)
        return Scores(_linear_predictors(X_test, coefficients), separated)

    def coefficients(self, X_train, Y_train):
        """Coefficients (p + 1, b), number of steps (b,) and separation (b,) of the fits."""
        _check_classes(Y_train)
        X = with_intercept(X_train, pad_to=ROWS)
        penalty = self._penalties(X)
        fits, left = _empty_fits(X.shape[1], Y_train.shape[1]), np.arange(Y_train.shape[1])
        methods = [partial(_newton_fits, X, penalty, Y_train)]
        if X.shape[1] > WIDE:
            coordinates, responses = _coordinates(X, penalty, len(Y_train)), np.ascontiguousarray(Y_train.T)
            starts = np.empty((len(responses), coordinates[0].shape[1]), np.float32)
            wide_starts(coordinates[1], coordinates[-1], responses, starts)
            left = np.argsort(np.sum(starts**2, axis=1))  # fits that take about as long are worked on together
            methods = [partial(_wide_fits, coordinates, X.shape[1], responses, starts, n) for n in LIMITS] + methods
        for method in methods:
            *some_fits, completed = method(left)
            for all_fits, some in zip(fits, some_fits, strict=True):
                all_fits[..., left] = some
            left = left[~completed]
            if not left.size:
                break
        return fits

    def weighted_scores(self, X_train, Y_train, weights, X_test, keys):
        """As `scores`, with a weight (n, b) for every training row and response."""
        if Y_train.max(initial=0) > 1:
            return self._multinomial_scores(X_train, Y_train, weights.astype(np.float64), X_test)
        coefficients, separated = self.weighted_coefficients(X_train, Y_train, weights)
        return Scores(_linear_predictors(X_test, coefficients), separated)

    def weighted_coefficients(self, X_train, Y_train, weights):
        """Coefficients (p + 1, b) and separation (b,) of weighted fits, by Newton's method from zero."""
        _check_classes(Y_train)
        X = with_intercept(X_train)
        coefficients, separated = np.empty((X.shape[1], Y_train.shape[1])), np.empty(Y_train.shape[1], np.bool_)
        if not weighted_fit(X, Y_train, weights, self._penalties(X), coefficients, separated):
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
            raise _singular(X, len(X))
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


def _empty_fits(p, b):
    """Room for coefficients, numbers of steps and separation."""
    return np.empty((p, b)), np.empty(b, np.int64), np.empty(b, np.bool_)


def _newton_fits(X, penalty, Y, columns):
    """Coefficients, numbers of steps and separation by R's steps, and that all of these fits are completed."""
    factor, solvable = start_factor(X, penalty)
    if not solvable:
        raise _singular(X, len(Y))
    fits = _empty_fits(X.shape[1], columns.size)
    fit(X, np.ascontiguousarray(Y[:, columns]), factor, penalty, *fits)
    return *fits, np.ones(columns.size, np.bool_)


def _wide_fits(coordinates, p, responses, starts, limit, columns):
    """Coefficients, numbers of gradients and separation, and which fits are completed."""
    fits = (*_empty_fits(p, columns.size), np.empty(columns.size, np.bool_))
    fit_wide(*coordinates, responses[columns], starts[columns], limit, *fits)  # type: ignore[call-arg]
    return fits


def _coordinates(X, penalty, rows):
    """The first arguments of `fit_wide`: rows in its coordinates, coefficients for them, the penalty, and the weight.

    R's criterion for a singular design: less than a share of 1e-11 of a column remains after projecting out others.
    """
    (n, p), weight = X.shape, WEIGHT_OF_SEPARATED if penalty.any() and 2 * X.shape[1] > rows else START_WEIGHT
    size = p + -p % ROWS
    Q, T, minus_penalty = np.zeros((n, size)), np.zeros((size, size)), np.zeros((size if penalty.any() else 0, size))
    with one_blas_thread():  # so that no sum depends on their number
        products = weight * (X.T @ X) + np.diag(penalty)
        factor, failed = dpotrf(products, lower=True, clean=True)
        if failed or (np.diag(factor) ** 2 <= 1e-11 * np.diag(products)).any():
            raise _singular(X, rows)
        inverse = dtrtri(factor, lower=True)[0]
        T[:p, :p], Q[:, :p] = inverse.T, dtrmm(1.0, inverse, X.T, lower=True).T
        if penalty.any():
            root = np.sqrt(penalty)[:, None] * T[:p]
            minus_penalty[:] = -(root.T @ root)
    return Q, Q.astype(np.float32), T, minus_penalty, minus_penalty.astype(np.float32), weight


def _singular(X, rows):
    return ValueError(f"singular design: {rows} training rows do not identify {X.shape[1]} coefficients")


def _linear_predictors(X, coefficients):
    values = np.empty((X.shape[0], coefficients.shape[1]))
    if len(coefficients) > WIDE:
        wide_linear_predictor(with_intercept(X, pad_to=ROWS), coefficients, values)
    else:
        linear_predictor(with_intercept(X), coefficients, values)
    return values


def with_intercept(X, *, pad_to=1):
    """X with a leading column of ones, padded with rows of zeros to a multiple of `pad_to`."""
    n, p = X.shape
    padded = np.zeros((n + -n % pad_to, p + 1))
    padded[:n, 0] = 1.0
    padded[:n, 1:] = X
    return padded


LEARNER = Logistic
