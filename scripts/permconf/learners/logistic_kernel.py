"""Logistic regression for many responses that share their features.

Iteratively reweighted least squares, with the starting values, stopping rule and bounds of R's `glm`, for a tile of up
to `TILE` responses at once: the innermost loops run over the responses (always the last axis), so one instruction
advances several fits. No order of summation depends on the batch, so a fit is bit-identical whatever else is in it.

Symmetric p x p matrices are stored as their lower triangle, row by row; each entry is a vector over the tile.
"""

import math

import numpy as np
from numba import njit

TILE = 64
MAX_STEPS = 25
TOLERANCE = 1e-8
LINK_LIMIT = 30.0  # beyond it R treats a fitted probability as 0 or 1

_LOG2E = math.log2(math.e)
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52  # adding it rounds a double to an integer in its low bits
START_WEIGHT = 3 / 16  # glm starts from fitted probabilities 1/4 and 3/4,
_START_RESPONSE = math.log(3) + 4 / 3  # hence from working responses of plus or minus this

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})  # fused multiply-add only


@_compiled
def _fitted(link, labels, weight, residual, likelihood, rounded, bits, width):
    """Weights mu(1-mu), residuals y-mu and running likelihoods of one row for `width` fits. `bits` views `rounded`.

    exp(-x) = 2**k exp(r) with r = -x - k log 2: a polynomial for exp(r), the exponent field of a double for 2**k.
    """
    for c in range(width):
        link[c] = -min(max(link[c], -LINK_LIMIT), LINK_LIMIT)
        rounded[c] = link[c] * _LOG2E + _ROUND
    for c in range(width):
        k = rounded[c] - _ROUND
        r = (link[c] - k * _LN2_HIGH) - k * _LN2_LOW
        s = 1.0 / 39916800.0
        s = s * r + 1.0 / 3628800.0
        s = s * r + 1.0 / 362880.0
        s = s * r + 1.0 / 40320.0
        s = s * r + 1.0 / 5040.0
        s = s * r + 1.0 / 720.0
        s = s * r + 1.0 / 120.0
        s = s * r + 1.0 / 24.0
        s = s * r + 1.0 / 6.0
        s = s * r + 0.5
        s = s * r + 1.0
        link[c] = s * r + 1.0
    for c in range(width):
        bits[c] = (bits[c] + 1023) << 52
    for c in range(width):
        mu = 1.0 / (1.0 + link[c] * rounded[c])
        y = labels[c]
        weight[c] = mu * (1.0 - mu)
        residual[c] = y - mu
        likelihood[c] *= abs(1.0 - y - mu)


@_compiled
def _link(x, beta, out, width):
    """Linear predictor of one row for `width` fits."""
    for c in range(width):
        out[c] = x[0] * beta[0, c]
    for j in range(1, x.size):
        xj = x[j]
        for c in range(width):
            out[c] += xj * beta[j, c]


@_compiled
def _pass_over_rows(X, labels, beta, hessian, gradient, deviance, extreme, width):
    """Hessian, gradient, deviance and largest |linear predictor| of `width` fits, four rows at a time.

    X is padded with rows of zeros to a multiple of four; such a row adds nothing but 2 log 2 to the deviance.
    """
    n, p = X.shape
    link, rounded, likelihood = np.empty(TILE), np.empty(TILE), np.ones(TILE)
    bits = rounded.view(np.int64)
    weight, residual, scaled = np.empty((4, TILE)), np.empty((4, TILE)), np.empty((4, TILE))
    w0, w1, w2, w3 = weight
    r0, r1, r2, r3 = residual
    s0, s1, s2, s3 = scaled
    hessian[:] = 0.0
    gradient[:] = 0.0
    deviance[:] = 0.0
    extreme[:] = 0.0
    for i in range(0, n, 4):
        for u in range(4):
            _link(X[i + u], beta, link, width)
            for c in range(width):
                extreme[c] = max(extreme[c], abs(link[c]))
            _fitted(link, labels[i + u], weight[u], residual[u], likelihood, rounded, bits, width)
        if i % 16 == 12 or i + 4 == n:
            for c in range(width):
                deviance[c] -= 2.0 * math.log(likelihood[c])
                likelihood[c] = 1.0
        q = 0
        for j in range(p):
            a0, a1, a2, a3 = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
            g = gradient[j]
            for c in range(width):
                s0[c] = a0 * w0[c]
                s1[c] = a1 * w1[c]
                s2[c] = a2 * w2[c]
                s3[c] = a3 * w3[c]
                g[c] += a0 * r0[c] + a1 * r1[c] + a2 * r2[c] + a3 * r3[c]
            for k in range(j + 1):
                b0, b1, b2, b3 = X[i, k], X[i + 1, k], X[i + 2, k], X[i + 3, k]
                h = hessian[q]
                for c in range(width):
                    h[c] += b0 * s0[c] + b1 * s1[c] + b2 * s2[c] + b3 * s3[c]
                q += 1


@_compiled
def _cholesky(matrix, p, width):
    """Cholesky factors in place, reciprocals on the diagonal; NaN where a matrix is not positive definite."""
    for j in range(p):
        row_j = j * (j + 1) // 2
        for k in range(j + 1):
            row_k = k * (k + 1) // 2
            entry = matrix[row_j + k]
            for m in range(k):
                left, right = matrix[row_j + m], matrix[row_k + m]
                for c in range(width):
                    entry[c] -= left[c] * right[c]
            if k < j:
                diagonal = matrix[row_k + k]
                for c in range(width):
                    entry[c] *= diagonal[c]
            else:
                for c in range(width):
                    entry[c] = 1.0 / math.sqrt(entry[c])


@_compiled
def _solve(factor, x, p, width):
    """Solve with the factors of `_cholesky`, in place."""
    for j in range(p):
        row = j * (j + 1) // 2
        xj = x[j]
        for k in range(j):
            entry, xk = factor[row + k], x[k]
            for c in range(width):
                xj[c] -= entry[c] * xk[c]
        diagonal = factor[row + j]
        for c in range(width):
            xj[c] *= diagonal[c]
    for j in range(p - 1, -1, -1):
        xj = x[j]
        for k in range(j + 1, p):
            entry, xk = factor[k * (k + 1) // 2 + j], x[k]
            for c in range(width):
                xj[c] -= entry[c] * xk[c]
        diagonal = factor[j * (j + 1) // 2 + j]
        for c in range(width):
            xj[c] *= diagonal[c]


@_compiled
def start_factor(X, penalty):
    """Factor of the first step's normal equations, shared by all responses, and whether they have a unique solution.

    They do not if less than a share of 1e-11 of a column (R's criterion) remains after projecting out earlier ones.
    """
    n, p = X.shape
    matrix = np.zeros((p * (p + 1) // 2, 1))
    for i in range(n):
        q = 0
        for j in range(p):
            for k in range(j + 1):
                matrix[q, 0] += START_WEIGHT * X[i, j] * X[i, k]
                q += 1
    whole = np.empty(p)
    for j in range(p):
        matrix[j * (j + 1) // 2 + j, 0] += penalty[j]
        whole[j] = matrix[j * (j + 1) // 2 + j, 0]
    _cholesky(matrix, p, 1)
    solvable = True
    for j in range(p):
        solvable &= matrix[j * (j + 1) // 2 + j, 0] ** -2 > 1e-11 * whole[j]
    factor = np.empty((len(matrix), TILE))
    for q in range(len(matrix)):
        for c in range(TILE):
            factor[q, c] = matrix[q, 0]
    return factor, solvable


@_compiled
def _first_step(X, labels, factor, beta, width):
    """Coefficients after the first step of `glm`: least squares on the starting working response."""
    n, p = X.shape
    beta[:] = 0.0
    for i in range(n):
        for j in range(p):
            x = X[i, j] * (START_WEIGHT * _START_RESPONSE)
            b = beta[j]
            for c in range(width):
                b[c] += x * (2.0 * labels[i, c] - 1.0)
    _solve(factor, beta, p, width)


@_compiled
def _load(Y, first, labels, column):
    """Fill the tile with the columns of Y from `first`; returns their number."""
    active = min(TILE, Y.shape[1] - first)
    for i in range(Y.shape[0]):
        for c in range(active):
            labels[i, c] = Y[i, first + c]
    for c in range(active):
        column[c] = first + c
    return active


@_compiled
def _move_column(source, target, labels, beta, column):
    """Move the fit at place `source` of the tile to place `target`."""
    for i in range(labels.shape[0]):
        labels[i, target] = labels[i, source]
    for j in range(beta.shape[0]):
        beta[j, target] = beta[j, source]
    column[target] = column[source]


@_compiled
def _full_vectors(count):
    """Number of places to compute for `count` fits: a partial vector costs more than idle places in a full one."""
    return min(TILE, -(-count // 16) * 16)


@_compiled
def fit(X, Y, factor, penalty, coefficients, steps, separated):
    """Fit every column of Y (rows, b); X has the same rows and then zeros, to a multiple of four.

    `coefficients` (p, b), `steps` (b,) and `separated` (b,) receive the result. A fit has converged when its deviance
    would change by less than TOLERANCE in R's sense, predicted by the Newton decrement (which saves a last pass). A fit
    that does not converge within MAX_STEPS, or whose fitted probabilities reach 0 or 1, is marked as separated.
    """
    n, p = X.shape
    triangle = p * (p + 1) // 2
    padding = (n - Y.shape[0]) * 2.0 * math.log(2.0)
    labels, column = np.zeros((n, TILE)), np.zeros(TILE, np.int64)
    beta, gradient, step = np.zeros((p, TILE)), np.zeros((p, TILE)), np.zeros((p, TILE))
    hessian, deviance, extreme = np.zeros((triangle, TILE)), np.zeros(TILE), np.zeros(TILE)
    for first in range(0, Y.shape[1], TILE):
        active = _load(Y, first, labels, column)
        _first_step(X, labels, factor, beta, _full_vectors(active))
        for t in range(2, MAX_STEPS + 1):
            width = _full_vectors(active)
            _pass_over_rows(X, labels, beta, hessian, gradient, deviance, extreme, width)
            for j in range(p):
                diagonal = hessian[j * (j + 1) // 2 + j]
                for c in range(width):
                    diagonal[c] += penalty[j]
                    gradient[j, c] -= penalty[j] * beta[j, c]
                    deviance[c] += penalty[j] * beta[j, c] ** 2
            step[:] = gradient
            _cholesky(hessian, p, width)
            _solve(hessian, step, p, width)
            for c in range(active - 1, -1, -1):
                decrement = 0.0
                for j in range(p):
                    decrement += step[j, c] * gradient[j, c]
                singular = not decrement >= 0.0
                if not singular:
                    for j in range(p):
                        beta[j, c] += step[j, c]
                converged = decrement < TOLERANCE * (abs(deviance[c] - padding) + 0.1)
                if converged or singular or t == MAX_STEPS:
                    k = column[c]
                    for j in range(p):
                        coefficients[j, k] = beta[j, c]
                    steps[k] = t
                    separated[k] = not converged or extreme[c] >= LINK_LIMIT
                    active -= 1
                    _move_column(active, c, labels, beta, column)
            if active == 0:
                break


@_compiled
def linear_predictor(X, coefficients, out):
    """out[i, k] = X[i] . coefficients[:, k]; X includes the intercept column."""
    for i in range(X.shape[0]):
        _link(X[i], coefficients, out[i], out.shape[1])
