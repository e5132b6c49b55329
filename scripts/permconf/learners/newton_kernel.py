"""Newton's method for logistic regression, one response at a time: weighted, multinomial, and R's steps if separated.

With weights the responses share only the features, so there is little to gain from batching them. Where classes are
separated, or nearly, R's `glm` stops after a number of steps; these are its steps.

Multinomial: the linear predictors of the K classes sum to zero in every row. They are the K - 1 columns of X V, times
orthonormal contrasts A (K, K - 1). So a penalty on V is the symmetric penalty on the coefficients of all classes.
"""

import math

import numpy as np
from numba import njit

from permconf.learners.logistic_kernel import LINK_LIMIT, START_RESPONSE

MAX_STEPS, TOLERANCE = 25, 1e-8  # those of glm
SINGULAR = 1e-11  # R's criterion: a smaller share of a column remains after projecting out earlier ones
STRETCH = START_RESPONSE / 2  # of the first step from zero, which is then that of glm
_HALVINGS = 10
_SEPARATED = 1e-6  # a deviance below it

_compiled = njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def _pass_over_rows(X, labels, weights, beta, residuals, scaled, hessian, gradient):
    """Hessian and gradient at `beta`; returns the deviance and the largest |linear predictor|."""
    deviance, extreme = 0.0, 0.0
    np.dot(X, beta, residuals)
    for i in range(len(X)):
        link = min(max(residuals[i], -LINK_LIMIT), LINK_LIMIT)
        if weights[i] > 0.0:
            extreme = max(extreme, abs(link))
        mu = 1.0 / (1.0 + math.exp(-link))
        deviance -= 2.0 * weights[i] * math.log(abs(1.0 - labels[i] - mu))
        residuals[i] = weights[i] * (labels[i] - mu)
        for j in range(X.shape[1]):
            scaled[i, j] = weights[i] * mu * (1.0 - mu) * X[i, j]
    np.dot(X.T, residuals, gradient)
    np.dot(X.T, scaled, hessian)
    return deviance, extreme


@_compiled
def _solved(matrix, x, share):
    """Solve in place by Cholesky's method; False if no more than a share of a diagonal entry remains.

    Only the lower triangle of the matrix is read, and it is overwritten.
    """
    p = x.size
    for j in range(p):
        whole = matrix[j, j]
        for k in range(j):
            matrix[j, k] /= matrix[k, k]
            for m in range(k + 1, j + 1):
                matrix[j, m] -= matrix[j, k] * matrix[m, k]
        if not matrix[j, j] > share * whole:
            return False
        matrix[j, j] = math.sqrt(matrix[j, j])
    for j in range(p):
        for k in range(j):
            x[j] -= matrix[j, k] * x[k]
        x[j] /= matrix[j, j]
    for j in range(p - 1, -1, -1):
        for k in range(j + 1, p):
            x[j] -= matrix[k, j] * x[k]
        x[j] /= matrix[j, j]
    return True


@_compiled
def newton_fit(X, Y, weights, penalty, stretch, share, coefficients, separated):
    """Fit every column of Y (n, b) with its column of weights, from zero. False if the first step has no solution.

    The first step is stretched by a factor. `coefficients` (p, b) and `separated` (b,) receive the result. A fit has
    converged when its deviance would change by less than TOLERANCE in R's sense, predicted by the Newton decrement
    (which saves a last pass). One that does not converge within MAX_STEPS, or whose fitted probabilities reach 0 or 1,
    is marked as separated; so is one whose equations lose all but a `share` of a column.
    """
    n, p = X.shape
    residuals, scaled = np.empty(n), np.empty((n, p))
    hessian, gradient, step = np.empty((p, p)), np.empty(p), np.empty(p)
    for k in range(Y.shape[1]):
        labels, weight, beta = Y[:, k].astype(np.float64), weights[:, k].astype(np.float64), np.zeros(p)
        separated[k] = True
        for t in range(MAX_STEPS):
            deviance, extreme = _pass_over_rows(X, labels, weight, beta, residuals, scaled, hessian, gradient)
            for j in range(p):
                hessian[j, j] += penalty[j]
                gradient[j] -= penalty[j] * beta[j]
                deviance += penalty[j] * beta[j] ** 2
            step[:] = gradient
            if not _solved(hessian, step, share if t else SINGULAR):
                if t == 0:
                    return False
                break
            beta += step * (stretch if t == 0 else 1.0)
            if np.dot(step, gradient) < TOLERANCE * (deviance + 0.1):
                separated[k] = extreme >= LINK_LIMIT
                break
        coefficients[:, k] = beta
    return True


# ---- more than two classes -------------------------------------------------------------------------------------------


def contrasts(classes):
    """Orthonormal columns (K, K - 1) that sum to zero (Helmert's contrasts)."""
    A = np.zeros((classes, classes - 1))
    for k in range(1, classes):
        A[:k, k - 1], A[k, k - 1] = -1.0, k
    return A / np.sqrt(np.sum(A**2, axis=0))


@_compiled
def class_probabilities(X, V, A):
    """Probabilities (n, K) of the classes."""
    P = np.dot(np.dot(X, V), A.T)
    for i in range(P.shape[0]):
        highest, total = P[i, 0], 0.0
        for k in range(1, P.shape[1]):
            highest = max(highest, P[i, k])
        for k in range(P.shape[1]):
            P[i, k] = np.exp(P[i, k] - highest)
            total += P[i, k]
        for k in range(P.shape[1]):
            P[i, k] /= total
    return P


@_compiled
def _loss(P, codes, weights, penalty, V):
    """Half the penalised deviance."""
    loss = 0.0
    for i in range(codes.size):
        loss -= weights[i] * np.log(max(P[i, codes[i]], 1e-300))
    for a in range(V.shape[1]):
        loss += 0.5 * np.sum(penalty * V[:, a] ** 2)
    return loss


@_compiled
def _derivatives(X, codes, weights, penalty, V, A, P):
    """Gradient (K - 1, p) and Hessian, contrast after contrast, of minus the penalised log-likelihood."""
    n, p = X.shape
    classes, k = A.shape
    PA, R, scaled = np.dot(P, A), np.empty((n, k)), np.empty((n, p))
    for i in range(n):
        for a in range(k):
            R[i, a] = weights[i] * (PA[i, a] - A[codes[i], a])
    gradient, hessian = np.dot(R.T, X), np.empty((k * p, k * p))
    for a in range(k):
        gradient[a] += penalty * V[:, a]
        for c in range(a + 1):
            for i in range(n):
                w = -PA[i, a] * PA[i, c]
                for g in range(classes):
                    w += P[i, g] * A[g, a] * A[g, c]
                for j in range(p):
                    scaled[i, j] = weights[i] * w * X[i, j]
            block = np.dot(X.T, scaled)
            if a == c:
                block += np.diag(penalty)
            hessian[a * p : (a + 1) * p, c * p : (c + 1) * p] = block
            hessian[c * p : (c + 1) * p, a * p : (a + 1) * p] = block  # symmetric itself
    return gradient, hessian


@njit(inline="always")
def _fit_one(X, codes, weights, penalty, A):
    """Coefficients V (p, K - 1), and whether the fit is separated or did not converge."""
    p, k = X.shape[1], A.shape[1]
    V = np.zeros((p, k))
    P = class_probabilities(X, V, A)
    loss = _loss(P, codes, weights, penalty, V)
    for _ in range(MAX_STEPS):
        gradient, hessian = _derivatives(X, codes, weights, penalty, V, A, P)
        for j in range(k * p):
            hessian[j, j] += 1e-13 * hessian[j, j] + 1e-300  # keeps the last steps of a separated fit solvable
        flat = gradient.copy().reshape(k * p)
        step = np.linalg.solve(hessian, flat)
        decrement, size = np.dot(step, flat), 1.0
        for _ in range(_HALVINGS):
            trial = V - size * np.ascontiguousarray(step.reshape(k, p).T)
            P = class_probabilities(X, trial, A)
            trial_loss = _loss(P, codes, weights, penalty, trial)
            if trial_loss <= loss + 1e-12 * abs(loss):
                break
            size *= 0.5
        V, loss = trial, trial_loss
        if decrement < TOLERANCE * (2.0 * loss + 0.1):
            extreme = np.abs(np.dot(np.dot(X, V), A.T)).max()
            return V, extreme >= LINK_LIMIT or 2.0 * loss < _SEPARATED
    return V, True


@_compiled
def multinomial_fit(X, Y, weights, penalty, A, coefficients, flagged):
    """Fit every column of Y (n, b) with its column of weights; `coefficients` (b, p, K - 1) receives the result."""
    for k in range(Y.shape[1]):
        codes, w = Y[:, k].astype(np.int64), weights[:, k].copy()
        coefficients[k], flagged[k] = _fit_one(X, codes, w, penalty, A)
