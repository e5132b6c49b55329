"""Inner products with permuted values, shuffled and summed in one pass, without an (n, b) matrix.

They suffice for a metric that is an inner product of the response and of scores that do not depend on it, such as the
correlation of Figs. 4 and 7. The same keys give the same permutations as in `permconf.permute.shuffles`.
"""

import numpy as np
from numba import njit, uintp

from permconf.permute.random_bits import below, random_bits

_TILE = 4  # permutations processed together, so that one computes while another waits for memory
_ROWS = 128  # rows whose random numbers are drawn in advance, in vectorised loops


@njit(cache=True, nogil=True)
def _draw_partners(keys, first, low, high, partner):
    """The row (counted from `first`, the start of the level) that each of the rows low .. high - 1 is swapped with."""
    for i in range(low, high):
        candidates = i - first + 1
        row = partner[i - low]
        for c in range(_TILE):
            row[c] = below(random_bits(keys[c], i), candidates)


@njit(cache=True, nogil=True)
def _exchange_and_add(values, u, partner, low, rows, total):
    """Fisher-Yates from row low + rows - 1 down to row low; each value is final once drawn, and then added."""
    t0, t1, t2, t3 = total
    for done in range(rows):
        r = uintp(rows - 1 - done)  # unsigned, so that no index is checked for being negative
        i = uintp(low) + r
        j0, j1, j2, j3 = partner[r, 0], partner[r, 1], partner[r, 2], partner[r, 3]
        t0 += u[i] * values[j0, 0]
        t1 += u[i] * values[j1, 1]
        t2 += u[i] * values[j2, 2]
        t3 += u[i] * values[j3, 3]
        values[j0, 0] = values[i, 0]
        values[j1, 1] = values[i, 1]
        values[j2, 2] = values[i, 2]
        values[j3, 3] = values[i, 3]
    return t0, t1, t2, t3


@njit(cache=True, nogil=True)
def _products(u, v, starts, keys, out):
    """out[k] = sum_i u[i] v*[i], with v permuted by keys[k] within contiguous levels."""
    values = np.empty((v.size, _TILE))
    partner = np.empty((_ROWS, _TILE), np.uint32)
    for k in range(0, keys.size, _TILE):
        for i in range(v.size):
            values[i] = v[i]
        total = (0.0, 0.0, 0.0, 0.0)
        for level in range(starts.size - 1):
            first, high = starts[level], starts[level + 1]
            while high > first:
                low = max(first, high - _ROWS)
                _draw_partners(keys[k : k + _TILE], first, low, high, partner)
                total = _exchange_and_add(values[first:], u[first:], partner, low - first, high - low, total)
                high = low
        out[k], out[k + 1], out[k + 2], out[k + 3] = total


def shuffled_products(u, v, levels, keys):
    """The inner product of `u` with `v` permuted within `levels`, for every key."""
    u, v = (np.ascontiguousarray(w, np.float64) for w in (u, v))
    n = len(levels.order)
    if u.shape != (n,) or v.shape != (n,):
        raise ValueError(f"u and v must be vectors of {n} numbers like the levels, not of shapes {u.shape}, {v.shape}")
    b = len(keys)
    tiled = np.zeros(b + -b % _TILE, np.uint64)
    tiled[:b] = keys
    out = np.empty(tiled.size)
    _products(u[levels.order], v[levels.order], levels.starts, tiled, out)
    return out[:b]
