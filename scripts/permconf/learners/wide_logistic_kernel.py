"""Logistic regression with many features, for many responses that share them, without forming Hessians.

A Hessian costs p / 2 times what a gradient costs. So this is a quasi-Newton method (BFGS) which starts from a Hessian
known up to a factor: that of the first step, which depends on the features only and is factored once for all responses,
times the mean weight of the response at hand. About ten gradients give coefficients to nine digits. All gradients of a
tile are two matrix products. As in `logistic_kernel`, responses are the last axis, and no order of summation depends on
the batch.
"""

import math

import numpy as np
from numba import njit

from permconf.learners._vectors import BLOCK_COLUMNS, BLOCK_ROWS, block_product
from permconf.learners.logistic_kernel import (
    LINK_LIMIT,
    START_WEIGHT,
    TILE,
    _first_step,
    _fitted,
    _full_vectors,
    _load,
    _solve,
)

MAX_GRADIENTS = 20
TOLERANCE = 1e-16  # of the decrement relative to the deviance, as in `glm`; coefficients then agree to about 1e-9

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


@_compiled
def _pass_over_rows(X, labels, beta, residual, gradient, deviance, extreme, curvature, width):
    """Gradient, deviance, largest |linear predictor| and sum of weights of `width` fits."""
    n, p = X.shape
    links, weight = np.empty((BLOCK_ROWS, TILE)), np.empty(TILE)
    rounded, likelihood = np.empty(TILE), np.ones(TILE)
    bits = rounded.view(np.int64)
    deviance[:], extreme[:], curvature[:] = 0.0, 0.0, 0.0
    for i in range(0, n, BLOCK_ROWS):
        for c in range(0, width, BLOCK_COLUMNS):
            block_product(X, i * p, p, 1, beta, c, TILE, p, links, c)
        for u in range(BLOCK_ROWS):
            link = links[u]
            for c in range(width):
                extreme[c] = max(extreme[c], abs(link[c]))
            _fitted(link, labels[i + u], weight, residual[i + u], likelihood, rounded, bits, width)
            for c in range(width):
                curvature[c] += weight[c]
        if i % 16 == 12 or i + BLOCK_ROWS == n:
            for c in range(width):
                deviance[c] -= 2.0 * math.log(likelihood[c])
                likelihood[c] = 1.0
    for j in range(0, p, BLOCK_ROWS):
        for c in range(0, width, BLOCK_COLUMNS):
            block_product(X, j, 1, p, residual, c, TILE, n, gradient, j * TILE + c)


@_compiled
def _remember(t, step, previous, gradient, steps, changes, rho, width):
    """Keep the last step and the change of the gradient over it."""
    product = np.zeros(TILE)
    for j in range(steps.shape[1]):
        for c in range(width):
            steps[t, j, c] = step[j, c]
            changes[t, j, c] = previous[j, c] - gradient[j, c]
            product[c] += steps[t, j, c] * changes[t, j, c]
    for c in range(width):
        rho[t, c] = 1.0 / product[c]


@_compiled
def _newton_like_step(t, gradient, factor, scale, steps, changes, rho, step, width):
    """Step of the BFGS method after t updates of the Hessian (Nocedal's two loops)."""
    p = steps.shape[1]
    alpha, product = np.empty((MAX_GRADIENTS, TILE)), np.empty(TILE)
    step[:] = gradient
    for h in range(t - 1, -1, -1):
        product[:] = 0.0
        for j in range(p):
            for c in range(width):
                product[c] += steps[h, j, c] * step[j, c]
        for c in range(width):
            alpha[h, c] = rho[h, c] * product[c]
        for j in range(p):
            for c in range(width):
                step[j, c] -= alpha[h, c] * changes[h, j, c]
    _solve(factor, step, p, width)
    for j in range(p):
        for c in range(width):
            step[j, c] *= scale[c]
    for h in range(t):
        product[:] = 0.0
        for j in range(p):
            for c in range(width):
                product[c] += changes[h, j, c] * step[j, c]
        for c in range(width):
            product[c] = alpha[h, c] - rho[h, c] * product[c]
        for j in range(p):
            for c in range(width):
                step[j, c] += product[c] * steps[h, j, c]


@_compiled
def _compact(active, finished, column, arrays):
    """Move the unfinished fits to the front of the tile; returns their number."""
    kept = 0
    for c in range(active):
        if finished[c]:
            continue
        if kept < c:
            column[kept] = column[c]
            for array in arrays:
                for i in range(array.shape[0]):
                    array[i, kept] = array[i, c]
        finished[kept] = False
        kept += 1
    return kept


@_compiled
def fit_wide(X, Y, factor, penalty, coefficients, gradients, failed):
    """Fit every column of Y (rows, b). X is padded with zeros to multiples of BLOCK_ROWS rows and columns.

    `coefficients` (p, b) and `gradients` (b,), their number, receive the result. `failed` (b,) marks the fits that did
    not converge within MAX_GRADIENTS, or whose fitted probabilities reach 0 or 1: these are left to Newton's method.
    """
    n, p, width = X.shape[0], penalty.size, 0
    padding = (n - Y.shape[0]) * 2.0 * math.log(2.0)
    labels, column, finished = np.zeros((n, TILE)), np.zeros(TILE, np.int64), np.zeros(TILE, np.bool_)
    beta, gradient, residual = np.zeros((X.shape[1], TILE)), np.zeros((X.shape[1], TILE)), np.zeros((n, TILE))
    step, previous = np.zeros((p, TILE)), np.zeros((p, TILE))
    deviance, extreme, curvature = np.zeros(TILE), np.zeros(TILE), np.zeros(TILE)
    steps, changes = np.zeros((MAX_GRADIENTS, p, TILE)), np.zeros((MAX_GRADIENTS, p, TILE))
    rho = np.zeros((MAX_GRADIENTS, TILE))
    tile = (labels, beta, step, previous, steps.reshape(-1, TILE), changes.reshape(-1, TILE), rho)
    for first in range(0, Y.shape[1], TILE):
        active = _load(Y, first, labels, column)
        finished[:] = False
        width = _full_vectors(active)
        _first_step(X[:, :p], labels, factor, beta[:p], width)
        for t in range(MAX_GRADIENTS):
            _pass_over_rows(X, labels, beta, residual, gradient, deviance, extreme, curvature, width)
            for j in range(p):
                for c in range(width):
                    gradient[j, c] -= penalty[j] * beta[j, c]
                    deviance[c] += penalty[j] * beta[j, c] ** 2
            if t > 0:
                _remember(t - 1, step, previous, gradient, steps, changes, rho, width)
            previous[:] = gradient[:p]
            _newton_like_step(t, previous, factor, START_WEIGHT * n / curvature, steps, changes, rho, step, width)
            remaining = 0
            for c in range(active):
                if finished[c]:
                    continue
                decrement = 0.0
                for j in range(p):
                    decrement += step[j, c] * previous[j, c]
                    beta[j, c] += step[j, c]
                converged = decrement < TOLERANCE * (abs(deviance[c] - padding) + 0.1)
                if converged or not decrement >= 0.0 or t == MAX_GRADIENTS - 1:
                    k = column[c]
                    coefficients[:, k] = beta[:p, c]
                    gradients[k] = t + 1
                    failed[k] = not (converged and decrement >= 0.0) or extreme[c] >= LINK_LIMIT
                    finished[c] = True
                remaining += not finished[c]
            if remaining == 0:
                break
            if _full_vectors(remaining) < width:
                active = _compact(active, finished, column, tile)
                width = _full_vectors(active)
