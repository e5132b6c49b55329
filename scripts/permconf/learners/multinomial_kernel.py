"""Newton's method for multinomial logistic regression, one response at a time.

The linear predictors of the K classes sum to zero in every row: they are the K - 1 columns of X V, times orthonormal
contrasts A (K, K - 1). So a penalty on V is the symmetric penalty on the coefficients of all classes.
"""

import numpy as np
from numba import njit

from permconf.learners.logistic_kernel import LINK_LIMIT, MAX_STEPS, TOLERANCE

_compiled = njit(cache=True, nogil=True, error_model="numpy")
_HALVINGS = 10
_SEPARATED = 1e-6  # a deviance below it


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


@_compiled
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
