"""Inner products of fixed columns with permuted ones, for all pairs of columns in one pass over each permutation.

Key for key, the permutations are those of `permconf.permute.shuffles`. Several permutations advance together, so that
the loops over them run in vector registers.
"""

import numpy as np
from numba import njit, uintp

from permconf.permute.random_bits import below, random_bits

_TILE = 8  # permutations that advance together
_ROWS = 128  # rows whose random numbers and values are made ahead


@njit(cache=True, nogil=True)
def _draw(source, keys, first, low, high, partner, drawn):
    """Fisher-Yates from row high - 1 down to row low: the rows whose values these rows get, by permutation."""
    for i in range(low, high):
        candidates, row = i - first + 1, partner[i - low]
        for t in range(_TILE):
            row[t] = below(random_bits(keys[t], i), candidates)
    source = source[first:]
    for done in range(high - low):
        r = uintp(high - low - 1 - done)  # unsigned, so that no index is checked for being negative
        i = uintp(low - first) + r
        for t in range(_TILE):
            j = partner[r, t]
            drawn[r, t] = source[j, t]
            source[j, t] = source[i, t]


@njit(cache=True, nogil=True)
def _forms(A, C, widths, starts, keys, out):
    """out[k, e] = sum_i A[a, i] C*[c, i], with C permuted by keys[k] within contiguous levels."""
    n = A.shape[1]
    source = np.empty((n, _TILE), np.uint32)
    partner, drawn = np.empty((_ROWS, _TILE), np.uint32), np.empty((_ROWS, _TILE), np.uint32)
    values, totals = np.empty((_ROWS, _TILE)), np.empty((out.shape[1], _TILE))
    for k in range(0, keys.size, _TILE):
        for i in range(n):
            source[i] = i
        totals[:] = 0
        for level in range(starts.size - 1):
            first, high = starts[level], starts[level + 1]
            while high > first:
                low = max(first, high - _ROWS)
                _draw(source, keys[k : k + _TILE], first, low, high, partner, drawn)
                entry = 0
                for c in range(widths.size):
                    column = C[c]
                    for r in range(high - low):
                        for t in range(_TILE):
                            values[r, t] = column[drawn[r, t]]
                    for a in range(widths[c]):
                        _add(A[a, low:high], values, totals[entry])
                        entry += 1
                high = low
        out[k : k + _TILE] = totals.T


@njit(cache=True, nogil=True)
def _add(a, values, total):
    t0, t1, t2, t3, t4, t5, t6, t7 = total
    for r in range(a.size - 1, -1, -1):
        t0 += a[r] * values[r, 0]
        t1 += a[r] * values[r, 1]
        t2 += a[r] * values[r, 2]
        t3 += a[r] * values[r, 3]
        t4 += a[r] * values[r, 4]
        t5 += a[r] * values[r, 5]
        t6 += a[r] * values[r, 6]
        t7 += a[r] * values[r, 7]
    total[:] = t0, t1, t2, t3, t4, t5, t6, t7


def shuffled_forms(A, C, widths, levels, keys):
    """The inner products of columns of A (n, q) with those of C (n, k), permuted together within `levels`.

    Column c of C meets the first widths[c] columns of A: a line for every key holds these products, column after column
    of C.
    """
    tiled = np.zeros(len(keys) + -len(keys) % _TILE, np.uint64)
    tiled[: len(keys)] = keys
    widths = np.asarray(widths, np.int64)
    out = np.empty((tiled.size, widths.sum()))
    A, C = (np.ascontiguousarray(part[levels.order].T, np.float64) for part in (A, C))
    _forms(A, C, widths, levels.starts, tiled, out)
    return out[: len(keys)]
