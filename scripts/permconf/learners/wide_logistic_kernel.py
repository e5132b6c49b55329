"""Logistic regression with many features, for many responses that share them, without forming Hessians.

A Hessian costs p / 2 times what a gradient costs. So this is a quasi-Newton method (BFGS), in coordinates of the
features in which all Hessians are about a multiple of the identity. It starts from the first step of R's `glm`. Single
precision, at half the cost, serves until rounding would show. Then one gradient in double precision gives the equation
of a Newton step, which is solved in single precision: a solution to three digits completes a fit known to five.

All gradients of a tile of responses are two matrix products. As in `logistic_kernel`, no order of summation depends on
the batch; what a tile goes on computing for a fit that is complete has no effect on it.
"""

import math

import numpy as np
from numba import njit

from permconf.learners._tiles import ROWS, TILE, add_product, add_scaled, products, to_residuals
from permconf.learners.logistic_kernel import _START_RESPONSE

BLOCK = 48  # rows whose residuals are in the cache at once
# Lengths of steps in standard errors, per root of the number of spare rows: what a Newton step leaves is as its square
SINGLE = 5e-5  # a step this long is the last one by a gradient in single precision,
DOUBLE = 1e-5  # and a Newton step this long is the last one;
TOLERANCE = 1e-9  # its equation is solved until the next step is this long, in each coefficient on average
LONGEST = 4.0  # change of the linear predictors (root mean square) in one step
_SAME_SIDE = 0.499  # a residual below it: the fitted probability is on the side of the class, beyond rounding
_NO_WEIGHT = 1e-13  # of a row whose fitted probability R treats as 0 or 1

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


@_compiled
def _add_products(A, B, C):
    """C += A B, where the rows of B and C are tiles."""
    for j in range(0, A.shape[0], ROWS):
        add_product(A, j * A.shape[1], A.shape[1], 1, A.shape[1], B, 0, C, j * TILE)


@_compiled
def _add_transposed(A, first, rows, B, C):
    """C += A' B for `rows` rows of A from `first`; those of B are from 0."""
    p = A.shape[1]
    for j in range(0, p, ROWS):
        add_product(A, first * p + j, 1, p, rows, B, 0, C, j * TILE)


@_compiled
def _gradient(Q, minus_penalty, signs, gamma, gradient, summary, weights):
    """Gradient and summary (see `to_residuals`) of a tile of fits, and the weights of the rows if there is room."""
    gradient[:], summary[:] = 0.0, 0.0
    links = np.empty((BLOCK, TILE), Q.dtype)
    for first in range(0, Q.shape[0], BLOCK):
        rows = min(BLOCK, Q.shape[0] - first)
        links[:] = 0.0
        _add_products(Q[first : first + rows], gamma, links)
        to_residuals(links, rows, signs, first * TILE, summary)
        if weights.size:
            for i in range(rows):
                for c in range(TILE):
                    weights[first + i, c] = abs(links[i, c]) * (1.0 - abs(links[i, c]))
        _add_transposed(Q, first, rows, links, gradient)
    _add_products(minus_penalty, gamma, gradient)


@_compiled
def _hessian_product(Q, minus_penalty, weights, step, change):
    """change = minus the Hessian times the step."""
    change[:] = 0.0
    links = np.empty((BLOCK, TILE), Q.dtype)
    for first in range(0, Q.shape[0], BLOCK):
        rows = min(BLOCK, Q.shape[0] - first)
        links[:] = 0.0
        _add_products(Q[first : first + rows], step, links)
        for i in range(rows):
            for c in range(TILE):
                links[i, c] *= -weights[first + i, c]
        _add_transposed(Q, first, rows, links, change)
    _add_products(minus_penalty, step, change)


@_compiled
def _keep(step, last_gradient, gradient, t, memory):
    """Keep a step and minus the change of the gradient over it."""
    steps, changes, _ = memory
    for j in range(len(step)):
        for c in range(TILE):
            steps[t, j, c], changes[t, j, c] = step[j, c], last_gradient[j, c] - gradient[j, c]


@_compiled
def _remember(t, stopped, memory):
    """Make a pair of the last step and minus the change of the gradient over it, for the fits that have not stopped."""
    steps, changes, rho = memory
    p = steps.shape[1]
    products(steps, t * p * TILE, changes, t * p * TILE, p, rho[t])
    for c in range(TILE):
        rho[t, c] = 1.0 / rho[t, c] if rho[t, c] > 0.0 and not stopped[c] else 0.0


@_compiled
def _newton_like_step(t, gradient, scale, memory, step, decrement):
    """Step of the BFGS method after t updates of the Hessian (Nocedal's two loops); its product with the gradient."""
    steps, changes, rho = memory
    p = step.shape[0]
    alpha, product = np.empty(rho.shape, np.float32), np.empty(TILE, np.float32)
    step[:] = gradient
    for h in range(t - 1, -1, -1):
        products(steps, h * p * TILE, step, 0, p, product)
        for c in range(TILE):
            alpha[h, c] = rho[h, c] * product[c]
            product[c] = -alpha[h, c]
        add_scaled(product, changes, h * p * TILE, step, 0, p)
    for j in range(p):
        for c in range(TILE):
            step[j, c] *= scale[c]
    for h in range(t):
        products(changes, h * p * TILE, step, 0, p, product)
        for c in range(TILE):
            product[c] = alpha[h, c] - rho[h, c] * product[c]
        add_scaled(product, steps, h * p * TILE, step, 0, p)
    products(step, 0, gradient, 0, p, decrement)


@_compiled
def _load(responses, first, signs):
    """Signs 2y - 1 of a tile of responses from `first`, and 0 beyond; returns their number."""
    width = min(TILE, len(responses) - first)
    signs[:] = 0.0
    for c in range(width):
        response = responses[first + c]
        for i in range(response.size):
            signs[i, c] = 2.0 * response[i] - 1.0
    return width


@_compiled
def wide_starts(Q32, weight, responses, starts):
    """Where the fits start, (b, p): after the first step of R's `glm`. Arguments as those of `fit_wide`."""
    signs, gamma = np.zeros((len(Q32), TILE), np.float32), np.zeros((Q32.shape[1], TILE), np.float32)
    for first in range(0, len(responses), TILE):
        width = _load(responses, first, signs)
        gamma[:] = 0.0
        _add_transposed(Q32, 0, len(Q32), signs, gamma)
        for c in range(width):
            for j in range(len(gamma)):
                starts[first + c, j] = gamma[j, c] * np.float32(weight * _START_RESPONSE)


@_compiled
def _spare_rows(rows, p):
    """How many rows there are beyond those with which fits are separated as a rule."""
    return max(rows - 2 * p, 0.1 * rows)


@_compiled
def _shorten(step, weight, rows):
    """Make no step longer than LONGEST: far from the start, quasi-Newton steps may diverge."""
    square, most = np.empty(TILE, np.float32), np.float32(LONGEST**2 * weight * rows)
    products(step, 0, step, 0, len(step), square)
    for c in range(TILE):
        if square[c] > most:
            for j in range(len(step)):
                step[j, c] *= math.sqrt(most / square[c])


@_compiled
def _curvature_at_start(minus_penalty, gamma, summary, memory):
    """The first pair: the curvature along the start itself, where it differs most from the mean."""
    steps, changes, rho = memory
    changes[0] = 0.0
    _add_products(minus_penalty, gamma, changes[0])
    penalty, square = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    products(gamma, 0, changes, 0, len(gamma), penalty)
    products(gamma, 0, gamma, 0, len(gamma), square)
    for c in range(TILE):
        curvature = summary[2, c] - penalty[c]
        rho[0, c] = 1.0 / curvature
        square[c] = curvature / square[c]
    for j in range(len(gamma)):
        for c in range(TILE):
            steps[0, j, c], changes[0, j, c] = gamma[j, c], gamma[j, c] * square[c]


@_compiled
def _approach(
    Q, minus_penalty, weight, signs, rows, limit, gamma, last_step, last_gradient, memory, count, stopped, separated
):
    """From the start to where rounding shows, with gradients in single precision. Returns the number of pairs."""
    step, gradient, summary = np.empty_like(gamma), np.empty_like(gamma), np.empty((3, TILE), np.float32)
    decrement, scale = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    moves, t = np.empty(TILE, np.bool_), 0
    spare = _spare_rows(rows, len(gamma))
    while not stopped.all():
        _gradient(Q, minus_penalty, signs, gamma, gradient, summary, signs[:0])
        if t == 0:
            _curvature_at_start(minus_penalty, gamma, summary, memory)
        else:
            _keep(last_step, last_gradient, gradient, t, memory)
            _remember(t, stopped, memory)
        t += 1
        for c in range(TILE):
            scale[c] = weight * rows / summary[1, c]
        _newton_like_step(t, gradient, scale, memory, step, decrement)
        _shorten(step, weight, rows)
        for c in range(TILE):
            separated[c] |= not stopped[c] and not minus_penalty.size and summary[0, c] < _SAME_SIDE
            moves[c] = not (stopped[c] or separated[c])
            count[c] += moves[c]
            stopped[c] |= separated[c] or not decrement[c] >= SINGLE**2 * spare or count[c] == limit
        for j in range(len(gamma)):
            for c in range(TILE):
                gamma[j, c] += step[j, c] if moves[c] else np.float32(0.0)
                last_step[j, c] = step[j, c] if moves[c] else last_step[j, c]
                last_gradient[j, c] = gradient[j, c] if moves[c] else last_gradient[j, c]
    return t


@_compiled
def _newton_step(Q, minus_penalty, weights, rows, scale, limit, t, gradient, gamma, memory, count, stopped, completed):
    """Add the Newton step to gamma; a fit is completed if it was short. Returns the number of pairs.

    Its equation is solved along conjugate directions, which the BFGS method gives.
    """
    steps, changes, _ = memory
    step, minus_change = np.empty(gradient.shape, np.float32), np.empty(gradient.shape, np.float32)
    decrement, curvature = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    near, solved, moves = np.empty(TILE, np.bool_), stopped.copy(), np.empty(TILE, np.bool_)
    spare = _spare_rows(rows, len(gamma))
    length, begun, enough = np.empty(TILE, np.float32), False, len(gamma) * TOLERANCE**2 * spare
    while not solved.all():
        _newton_like_step(t, gradient, scale, memory, step, decrement)
        for c in range(TILE):
            near[c] = near[c] if begun else decrement[c] < DOUBLE**2 * spare
            moves[c] = not solved[c]
            solved[c] |= decrement[c] < enough
            completed[c] |= moves[c] and solved[c] and near[c]
            length[c] = 1.0
        begun = True
        if not solved.all():
            _hessian_product(Q, minus_penalty, weights, step, minus_change)
            products(step, 0, minus_change, 0, len(step), curvature)
            for c in range(TILE):
                if not solved[c]:
                    count[c] += 1
                    length[c] = -decrement[c] / curvature[c]
        for j in range(len(gamma)):
            for c in range(TILE):
                taken = length[c] * step[j, c] if moves[c] else np.float32(0.0)
                change = -length[c] * minus_change[j, c] if moves[c] else np.float32(0.0)
                gamma[j, c] += taken
                gradient[j, c] -= change
                steps[t, j, c], changes[t, j, c] = taken, change
        _remember(t, solved, memory)
        t += 1
        for c in range(TILE):
            solved[c] |= count[c] >= limit
    return t


@_compiled
def fit_wide(
    Q,
    Q32,
    T,
    minus_penalty,
    minus_penalty32,
    weight,
    responses,
    starts,
    limit,
    coefficients,
    gradients,
    separated,
    completed,
):
    """Fit every one of the responses (b, rows), from `starts`.

    Q (n, p) has the rows of the features in coordinates in which weight Q'Q + penalty is the identity; T gives
    the coefficients for coordinates. `Q32` and `minus_penalty32` are in single precision. All sides are padded with
    zeros to multiples of ROWS.

    `coefficients` (p, b) and `gradients` (b,), the number of gradients and products with a Hessian, receive the result.
    A fit without penalty is separated, and is left as it is, once every fitted probability is on the side of its class.
    `completed` is False for other fits that need more than `limit` gradients, and for fits without penalty whose
    probabilities reach 0 or 1.
    """
    (n, p), rows = Q.shape, responses.shape[1]
    signs32, signs, weights = np.zeros((n, TILE), np.float32), np.zeros((n, TILE)), np.zeros((n, TILE), np.float32)
    gamma32, gamma, beta = np.zeros((p, TILE), np.float32), np.zeros((p, TILE)), np.zeros((p, TILE))
    last_step, last_gradient = np.zeros((p, TILE), np.float32), np.zeros((p, TILE), np.float32)
    gradient, exact, summary = np.zeros((p, TILE), np.float32), np.zeros((p, TILE)), np.zeros((3, TILE))
    pairs = 2 * limit + 2
    memory = (
        np.zeros((pairs, p, TILE), np.float32),
        np.zeros((pairs, p, TILE), np.float32),
        np.zeros((pairs, TILE), np.float32),
    )
    least, scale = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    stopped = np.empty(TILE, np.bool_)
    for first in range(0, len(responses), TILE):
        width = _load(responses, first, signs32)
        gamma32[:] = 0.0
        for c in range(width):
            gamma32[:, c] = starts[first + c]
        count, apart, done = np.zeros(TILE, np.int64), np.zeros(TILE, np.bool_), np.zeros(TILE, np.bool_)
        for c in range(TILE):
            stopped[c] = c >= width
        t = _approach(
            Q32,
            minus_penalty32,
            weight,
            signs32,
            rows,
            limit,
            gamma32,
            last_step,
            last_gradient,
            memory,
            count,
            stopped,
            apart,
        )
        gamma[:], signs[:] = gamma32, signs32
        for c in range(TILE):
            stopped[c] = c >= width or apart[c] or count[c] >= limit
        first_time = True
        while not stopped.all():
            _gradient(Q, minus_penalty, signs, gamma, exact, summary, weights)
            gradient[:] = exact
            for c in range(TILE):
                count[c] += not stopped[c]
            if first_time:
                _keep(last_step, last_gradient, gradient, t, memory)
                _remember(t, stopped, memory)
                t += 1
                first_time = False
            for c in range(TILE):
                scale[c] = weight * rows / summary[1, c]
            t = _newton_step(
                Q32, minus_penalty32, weights, rows, scale, limit, t, gradient, gamma, memory, count, stopped, done
            )
            for c in range(TILE):
                stopped[c] |= done[c] or count[c] >= limit
        beta[:] = 0.0
        _add_products(T, gamma, beta)
        coefficients[:, first : first + width] = beta[: len(coefficients), :width]
        least[:] = 1.0
        for i in range(rows):
            for c in range(TILE):
                least[c] = min(least[c], weights[i, c])
        for c in range(width):
            k = first + c
            extreme = done[c] and least[c] <= _NO_WEIGHT
            gradients[k] = count[c]
            separated[k] = apart[c] or extreme
            completed[k] = apart[c] or (done[c] and (minus_penalty.size > 0 or not extreme))


@_compiled
def wide_linear_predictor(X, coefficients, out):
    """out[i, k] = X[i] . coefficients[:, k]; X includes the intercept, and rows of zeros to a multiple of ROWS."""
    (p, b), rows = coefficients.shape, out.shape[0]
    beta, links = np.zeros((p, TILE)), np.empty((len(X), TILE))
    for first in range(0, b, TILE):
        width = min(TILE, b - first)
        beta[:, :width] = coefficients[:, first : first + width]
        links[:] = 0.0
        _add_products(X, beta, links)
        out[:, first : first + width] = links[:rows, :width]
