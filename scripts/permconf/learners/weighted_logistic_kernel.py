"""Newton's method for logistic regression with weights, one response at a time.

With weights the responses share only the features, so there is little to gain from batching them.
"""

import math

import numpy as np
from numba import njit

from permconf.learners.logistic_kernel import LINK_LIMIT, MAX_STEPS, TOLERANCE

_compiled = njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def _pass_over_rows(X, labels, weights, beta, hessian, gradient):
    """Hessian (lower triangle) and gradient at `beta`; returns the deviance and the largest |linear predictor|."""
    n, p = X.shape
    hessian[:] = 0.0
    gradient[:] = 0.0
    deviance, extreme = 0.0, 0.0
    for i in range(n):
        if weights[i] == 0.0:
            continue
        link = 0.0
        for j in range(p):
            link += X[i, j] * beta[j]
        extreme = max(extreme, abs(link))
        mu = 1.0 / (1.0 + math.exp(-min(max(link, -LINK_LIMIT), LINK_LIMIT)))
        deviance -= 2.0 * weights[i] * math.log(abs(1.0 - labels[i] - mu))
        residual, weight = weights[i] * (labels[i] - mu), weights[i] * mu * (1.0 - mu)
        for j in range(p):
            gradient[j] += X[i, j] * residual
            scaled = X[i, j] * weight
            for k in range(j + 1):
                hessian[j, k] += scaled * X[i, k]
    return deviance, extreme


@_compiled
def _solved(matrix, x):
    """Solve in place by Cholesky's method; False if `matrix` (lower triangle, overwritten) is not positive definite."""
    p = x.size
    for j in range(p):
        whole = matrix[j, j]
        for k in range(j):
            matrix[j, k] /= matrix[k, k]
            for m in range(k + 1, j + 1):
                matrix[j, m] -= matrix[j, k] * matrix[m, k]
        if not matrix[j, j] > 1e-11 * whole:
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
def weighted_fit(X, Y, weights, penalty, coefficients, separated):
    """Fit every column of Y (n, b) with its column of weights, from zero. False if the first step has no solution.

    `coefficients` (p, b) and `separated` (b,) receive the result; the stopping rule is that of the fit without weights.
    """
    p, b = X.shape[1], Y.shape[1]
    hessian, gradient, step = np.empty((p, p)), np.empty(p), np.empty(p)
    for k in range(b):
        labels, weight, beta = Y[:, k].astype(np.float64), weights[:, k].astype(np.float64), np.zeros(p)
        separated[k] = True
        for t in range(MAX_STEPS):
            deviance, extreme = _pass_over_rows(X, labels, weight, beta, hessian, gradient)
            for j in range(p):
                hessian[j, j] += penalty[j]
                gradient[j] -= penalty[j] * beta[j]
                deviance += penalty[j] * beta[j] ** 2
            step[:] = gradient
            if not _solved(hessian, step):
                if t == 0:
                    return False
                break
            beta += step
            if np.dot(step, gradient) < TOLERANCE * (deviance + 0.1):
                separated[k] = extreme >= LINK_LIMIT
                break
        coefficients[:, k] = beta
    return True
