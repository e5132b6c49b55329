"""Logistic regression of many responses on the same features, a block of responses at a time.

A Hessian costs p / 2 times what a gradient costs, and all gradients of a block are two matrix products. So this is a
quasi-Newton method (BFGS), in coordinates of the features in which all Hessians are about a multiple of the identity.
It starts from the first step of R's `glm`. Single precision, at half the cost, serves until rounding would show. Then
one gradient in double precision gives the equation of a Newton step, which is solved in single precision: a solution
to three digits completes a fit known to five.

Every block has BLOCK columns, the last one padded with signs of 0, and every column is added up in the same order. So a
fit is bit-identical whatever else is in the batch.
"""

import math

import numpy as np
from numba import njit

from permconf.learners._products import BLOCK, add, compiled, copy, multiply, subtract

ROWS = 128  # whose linear predictors are in the cache at once
LINK_LIMIT = 30.0  # beyond it R treats a fitted probability as 0 or 1
START_RESPONSE = math.log(3) + 4 / 3  # glm starts from working responses of plus or minus this
# Lengths of steps in standard errors: what a Newton step leaves is as its square over the root of the number of rows
SINGLE = 1e-3  # a step this long is the last one by a gradient in single precision,
DOUBLE = 7e-5  # and a Newton step this long, times the fourth root of the number of spare rows, is the last one;
TOLERANCE = 1e-8  # its equation is solved until the next step is this long, times their root
LONGEST = 4.0  # change of the linear predictors (root mean square) in one step
_SAME_SIDE = 0.499  # a residual below it: the fitted probability is on the side of the class, beyond rounding
_NO_WEIGHT = 1e-13  # of a row whose fitted probability R treats as 0 or 1
_LITTLE_WEIGHT = 1e-7  # of a row whose fitted probability may be on its way there

_f = np.float32
_part_of_fit = njit(inline="always")  # called once: compiled with its caller, and not by itself as well


# Constants of exp(x) = 2**k exp(r) with r = x - k log 2: adding `shift` rounds x / log 2 to an integer in the low bits,
# log 2 comes in two parts, exp(r) is a polynomial, and the exponent field of a number gives 2**k.
_EXP32 = (
    _f(1.0),
    _f(LINK_LIMIT),
    _f(math.log2(math.e)),
    _f(1.5 * 2.0**23),
    _f(0.693359375),
    _f(-2.12194440e-4),
    tuple(_f(1 / math.factorial(k)) for k in range(6, -1, -1)),
    np.int32(127),
    np.int32(23),
)
_EXP64 = (
    1.0,
    LINK_LIMIT,
    math.log2(math.e),
    1.5 * 2.0**52,
    6.93147180369123816490e-01,
    1.90821492927058770002e-10,
    tuple(1 / math.factorial(k) for k in range(11, -1, -1)),
    np.int64(1023),
    np.int64(52),
)


@compiled
def _to_residuals(links, signs, out, scratch, bits, constants):
    """out = y - mu, which is s / (1 + exp(s link)) for the sign s = 2y - 1. `bits` are those of `scratch`."""
    one, limit, log2e, shift, high, low, series, bias, digits = constants
    for i in range(len(links)):
        for c in range(BLOCK):
            out[i, c] = min(max(signs[i, c] * links[i, c], -limit), limit)
            scratch[c] = out[i, c] * log2e + shift
        for c in range(BLOCK):
            k = scratch[c] - shift
            r = (out[i, c] - k * high) - k * low
            total = series[0]
            for term in series[1:]:
                total = total * r + term
            out[i, c] = total
        for c in range(BLOCK):
            bits[c] = (bits[c] + bias) << digits
        for c in range(BLOCK):
            out[i, c] = signs[i, c] / (one + out[i, c] * scratch[c])


@compiled
def _gradient(Q, penalty, signs, gamma, space, constants, gradient, summary, weights):
    """Gradient of a block of fits, and what there is room for.

    `summary` becomes the largest |residual|, the sum of the weights w = mu (1 - mu), and that of w link^2; `weights`
    those of all rows.
    """
    links, residuals, scratch, bits, part = space
    gradient[:], summary[:], one = 0, 0, constants[0]
    for first in range(0, len(Q), ROWS):
        rows = min(ROWS, len(Q) - first)
        multiply(Q[first : first + rows], gamma, links[:rows])
        _to_residuals(links[:rows], signs[first : first + rows], residuals, scratch, bits, constants)
        for i in range(rows if weights.size else 0):
            for c in range(BLOCK):
                weights[first + i, c] = abs(residuals[i, c]) * (one - abs(residuals[i, c]))
        for i in range(rows if summary.size else 0):
            for c in range(BLOCK):
                size = abs(residuals[i, c])
                weight = size * (one - size)
                summary[0, c] = max(summary[0, c], size)
                summary[1, c] += weight
                summary[2, c] += weight * links[i, c] * links[i, c]
        multiply(Q[first : first + rows].T, residuals[:rows], part)
        add(part, gradient)
    if penalty.size:
        multiply(penalty, gamma, part)
        subtract(part, gradient)


@compiled
def _hessianmultiply(Q, penalty, weights, step, space, change):
    """change = the Hessian times the step."""
    links, _, _, _, part = space
    change[:] = 0
    for first in range(0, len(Q), ROWS):
        rows = min(ROWS, len(Q) - first)
        multiply(Q[first : first + rows], step, links[:rows])
        for i in range(rows):
            for c in range(BLOCK):
                links[i, c] *= weights[first + i, c]
        multiply(Q[first : first + rows].T, links[:rows], part)
        add(part, change)
    if penalty.size:
        multiply(penalty, step, part)
        add(part, change)


@compiled
def _products(A, B, out):
    """out[c] = the sum over A[:, c] B[:, c]."""
    out[:] = 0
    for j in range(len(A)):
        for c in range(BLOCK):
            out[c] += A[j, c] * B[j, c]


@compiled
def _remember(t, memory, active):
    """Make a pair of step t and minus the change of the gradient over it, for the active fits."""
    steps, changes, rho = memory
    _products(steps[t], changes[t], rho[t])
    for c in range(BLOCK):
        rho[t, c] = _f(1) / rho[t, c] if active[c] and rho[t, c] > 0 else _f(0)


@compiled
def _quasi_newton_step(t, gradient, scale, memory, step, decrement):
    """Step of the BFGS method after t updates of the Hessian (Nocedal's two loops); its product with the gradient."""
    steps, changes, rho = memory
    alpha, product = np.empty((t, BLOCK), np.float32), np.empty(BLOCK, np.float32)
    copy(gradient, step)
    for h in range(t - 1, -1, -1):
        _products(steps[h], step, product)
        for c in range(BLOCK):
            alpha[h, c] = rho[h, c] * product[c]
        for j in range(len(step)):
            for c in range(BLOCK):
                step[j, c] -= alpha[h, c] * changes[h, j, c]
    for j in range(len(step)):
        for c in range(BLOCK):
            step[j, c] *= scale[c]
    for h in range(t):
        _products(changes[h], step, product)
        for c in range(BLOCK):
            product[c] = alpha[h, c] - rho[h, c] * product[c]
        for j in range(len(step)):
            for c in range(BLOCK):
                step[j, c] += product[c] * steps[h, j, c]
    _products(step, gradient, decrement)


@_part_of_fit
def _curvature_at_start(penalty, gamma, summary, space, memory):
    """The first pair: the curvature along the start itself, where it differs most from the mean."""
    steps, changes, _ = memory
    part, square = space[4], np.empty(BLOCK, np.float32)
    part[:] = 0
    if penalty.size:
        multiply(penalty, gamma, part)
    _products(gamma, gamma, square)
    for j in range(len(gamma)):
        for c in range(BLOCK):
            steps[0, j, c] = gamma[j, c]
            changes[0, j, c] = gamma[j, c] * (summary[2, c] / max(square[c], _f(1e-30))) + part[j, c]


@_part_of_fit
def _approach(Q, penalty, weight, signs, limit, space, gamma, memory, scale, used, active, apart, near):
    """From the start to where rounding shows, with gradients in single precision. Returns the number of pairs."""
    gradient, new, step = np.empty_like(gamma), np.empty_like(gamma), np.empty_like(gamma)
    summary, decrement, length = (
        np.empty((3, BLOCK), np.float32),
        np.empty(BLOCK, np.float32),
        np.empty(BLOCK, np.float32),
    )
    most, t = _f(LONGEST**2 * weight * len(Q)), 0
    while active.any():
        _gradient(Q, penalty, signs, gamma, space, _EXP32, new, summary, signs[:0])
        if t == 0:
            _curvature_at_start(penalty, gamma, summary, space, memory)
        else:
            copy(step, memory[0][t])
            copy(gradient, memory[1][t])
            subtract(new, memory[1][t])
        _remember(t, memory, active)
        t += 1
        copy(new, gradient)
        for c in range(BLOCK):
            used[c] += active[c]
            scale[c] = _f(weight * len(Q)) / max(summary[1, c], _f(1e-9)) if active[c] or t == 1 else scale[c]
            apart[c] |= active[c] and not penalty.size and summary[0, c] < _f(_SAME_SIDE)
        _quasi_newton_step(t, gradient, scale, memory, step, decrement)
        _products(step, step, length)
        for c in range(BLOCK):
            near[c] |= active[c] and not apart[c] and decrement[c] <= _f(SINGLE**2)
            shortened = _f(1) if length[c] <= most else _f(math.sqrt(most / length[c]))
            length[c] = shortened if active[c] and not apart[c] else _f(0)
            active[c] &= not near[c] and not apart[c] and used[c] < limit
        for j in range(len(gamma)):
            for c in range(BLOCK):
                step[j, c] *= length[c]
                gamma[j, c] += step[j, c]
    return t


@_part_of_fit
def _newton_step(Q, penalty, weights, limit, space, t, gradient, gamma, memory, scale, used, active, done):
    """Add the Newton step to gamma; a fit is done if it was short. Returns the number of pairs.

    Its equation is solved along conjugate directions, which the BFGS method gives.
    """
    step, change, decrement = np.empty_like(gradient), np.empty_like(gradient), np.empty(BLOCK, np.float32)
    rows, p = Q.shape
    spare = max(rows - 2 * p, 0.1 * rows)  # beyond those with which fits are separated as a rule
    enough, little, first, moving = _f(TOLERANCE**2 * spare), _f(DOUBLE**2 * math.sqrt(spare)), t, active.copy()
    short = np.empty(BLOCK, np.bool_)
    while True:
        _quasi_newton_step(t, gradient, scale, memory, step, decrement)
        for c in range(BLOCK):
            short[c] = decrement[c] <= little if t == first else short[c]
        for j in range(len(gamma)):
            for c in range(BLOCK):
                step[j, c] = step[j, c] if moving[c] else _f(0)
                gamma[j, c] += step[j, c]
        for c in range(BLOCK):
            done[c] |= moving[c] and short[c] and decrement[c] <= enough
            moving[c] &= decrement[c] > enough and used[c] < limit
            used[c] += moving[c]
        if not moving.any():
            return t
        _hessianmultiply(Q, penalty, weights, step, space, change)
        subtract(change, gradient)
        copy(step, memory[0][t])
        copy(change, memory[1][t])
        _remember(t, memory, moving)
        t += 1


@_part_of_fit
def _complete(
    Q, Q32, penalty, penalty32, signs, limit, space, space32, t, gamma, memory, scale, used, active, least, done
):
    """Newton steps with gradients in double precision; `least` receives the least weight of a row in the last one."""
    n, p = Q.shape
    weights, gradient = np.empty((n, BLOCK), np.float32), np.empty((p, BLOCK))
    lowest = np.empty(BLOCK, np.float32)
    while active.any():
        _gradient(Q, penalty, signs, gamma, space, _EXP64, gradient, gradient[:0], weights)
        lowest[:] = 1
        for i in range(n):
            for c in range(BLOCK):
                lowest[c] = min(lowest[c], weights[i, c])
        for c in range(BLOCK):
            used[c] += active[c]
            least[c] = lowest[c] if active[c] else least[c]
        rest = gradient.astype(np.float32)
        t = _newton_step(Q32, penalty32, weights, limit, space32, t, rest, gamma, memory, scale, used, active, done)
        for c in range(BLOCK):
            active[c] &= not done[c] and used[c] < limit


@_part_of_fit
def _space(n, p, scratch, bits):
    """Room for links and residuals of some rows, for the residuals of one of them, and for a gradient."""
    rows, kind = min(n, ROWS), scratch.dtype
    return np.empty((rows, BLOCK), kind), np.empty((rows, BLOCK), kind), scratch, bits, np.empty((p, BLOCK), kind)


@_part_of_fit
def _memory(limit, p):
    """Room for steps, for minus the changes of the gradient over them, and for one over their products."""
    pairs = 2 * limit + 2
    return (
        np.empty((pairs, p, BLOCK), np.float32),
        np.empty((pairs, p, BLOCK), np.float32),
        np.empty((pairs, BLOCK), np.float32),
    )


@compiled
def _load(Y, order, first, signs):
    """Signs 2y - 1 of a block of responses, and 0 beyond; returns their number."""
    columns = order[first : first + BLOCK].astype(np.uint64)  # numba checks the sign of other indices
    for i in range(len(Y)):
        for c in range(columns.size):
            signs[i, c] = _f(2) * Y[i, columns[c]] - _f(1)
        signs[i, columns.size :] = 0
    return columns.size


@compiled
def starts(Q, weight, Y):
    """Where the fits start (p, b): after the first step of R's `glm`. Arguments as those of `fit`."""
    (n, p), b = Q.shape, Y.shape[1]
    signs, gamma, out = np.empty((n, BLOCK), np.float32), np.empty((p, BLOCK), np.float32), np.empty((p, b), np.float32)
    QT = Q.T.astype(np.float32)
    for first in range(0, b, BLOCK):
        width = _load(Y, np.arange(b), first, signs)
        multiply(QT, signs, gamma)
        gamma *= _f(weight * START_RESPONSE)
        copy(gamma[:, :width], out[:, first : first + width])
    return out


@compiled
def fit(Q, T, penalty, weight, Y, start, order, limit, coefficients, gradients, separated, completed):
    """Fit the columns `order` of Y (n, b) from `start` (p, b).

    Q (n, p) has the features in coordinates in which weight Q'Q + penalty is the identity; T gives the coefficients for
    coordinates. The penalty is empty if there is none.

    `coefficients` (p, b) and `gradients` (b,), the number of gradients and products with a Hessian, receive the result.
    A fit without penalty is separated, and is left as it is, once every fitted probability is on the side of its class.
    `completed` is False for other fits that need more than `limit` gradients, and for fits without penalty whose
    probabilities come near 0 or 1: how near depends on where R stops.
    """
    (n, p), Q32, penalty32 = Q.shape, Q.astype(np.float32), penalty.astype(np.float32)
    signs, gamma32, beta = np.empty((n, BLOCK), np.float32), np.empty((p, BLOCK), np.float32), np.empty((p, BLOCK))
    scratch32, scratch, memory = np.empty(BLOCK, np.float32), np.empty(BLOCK), _memory(limit, p)
    space32, space = _space(n, p, scratch32, scratch32.view(np.int32)), _space(n, p, scratch, scratch.view(np.int64))
    for first in range(0, order.size, BLOCK):
        width = _load(Y, order, first, signs)
        gamma32[:] = 0
        for c in range(width):
            for j in range(p):
                gamma32[j, c] = start[j, order[first + c]]
        used, active, apart = np.zeros(BLOCK, np.int64), np.arange(BLOCK) < width, np.zeros(BLOCK, np.bool_)
        near, done = np.zeros(BLOCK, np.bool_), np.zeros(BLOCK, np.bool_)
        scale, least = np.empty(BLOCK, np.float32), np.ones(BLOCK, np.float32)
        t = _approach(Q32, penalty32, weight, signs, limit, space32, gamma32, memory, scale, used, active, apart, near)
        gamma = gamma32.astype(np.float64)
        _complete(
            Q, Q32, penalty, penalty32, signs, limit, space, space32, t, gamma, memory, scale, used, near, least, done
        )
        multiply(T, gamma, beta)
        for c in range(width):
            k, extreme = order[first + c], done[c] and least[c] <= _NO_WEIGHT
            gradients[k] = used[c]
            for j in range(p):
                coefficients[j, k] = beta[j, c]
            separated[k] = apart[c] or extreme
            completed[k] = apart[c] or (done[c] and (penalty.size > 0 or least[c] > _LITTLE_WEIGHT))
