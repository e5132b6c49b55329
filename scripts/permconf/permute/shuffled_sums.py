"""Sums of products with permuted values, shuffled and summed in one pass, without an (n, b) matrix.

Key for key, the permutations are those of `permconf.permute.shuffles`. Several of them advance together, so that loops
run in vector registers and one computes while another waits for memory. The three kernels do the same for one column
on each side, for columns and levels, and for all pairs of columns: as one they are 1.3 to 2.5 times slower.
"""

import numpy as np
from numba import njit, uintp

from permconf.permute.random_bits import below, random_bits

_FEW, _TILE = 4, 8  # permutations that advance together; in the last kernel more
_ROWS = 128  # rows whose random numbers are drawn ahead


def _tiled(keys, tile):
    tiled = np.zeros(len(keys) + -len(keys) % tile, np.uint64)
    tiled[: len(keys)] = keys
    return tiled


@njit(cache=True, nogil=True)
def _draw_partners(keys, first, low, high, partner):
    """The row (counted from `first`, the start of the level) that each of the rows low .. high - 1 is swapped with."""
    for i in range(low, high):
        candidates = i - first + 1
        row = partner[i - low]
        for c in range(_FEW):
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
    values = np.empty((v.size, _FEW))
    partner = np.empty((_ROWS, _FEW), np.uint32)
    for k in range(0, keys.size, _FEW):
        for i in range(v.size):
            values[i] = v[i]
        total = (0.0, 0.0, 0.0, 0.0)
        for level in range(starts.size - 1):
            first, high = starts[level], starts[level + 1]
            while high > first:
                low = max(first, high - _ROWS)
                _draw_partners(keys[k : k + _FEW], first, low, high, partner)
                total = _exchange_and_add(values[first:], u[first:], partner, low - first, high - low, total)
                high = low
        out[k], out[k + 1], out[k + 2], out[k + 3] = total


def shuffled_products(u, v, levels, keys):
    """The inner product of `u` with `v` permuted within `levels`, for every key."""
    u, v = (np.ascontiguousarray(w, np.float64)[levels.order] for w in (u, v))
    tiled = _tiled(keys, _FEW)
    out = np.empty(tiled.size)
    _products(u, v, levels.starts, tiled, out)
    return out[: len(keys)]


@njit(cache=True, nogil=True)
def _level_sums(u, codes, starts, keys, out):
    """out[k, a, l] = sum of u[a, i] over the rows i that have code l after permuting by keys[k] within strata."""
    values = np.empty((codes.size, _FEW), codes.dtype)
    partner = np.empty((_ROWS, _FEW), np.uint32)
    for k in range(0, keys.size, _FEW):
        for i in range(codes.size):
            values[i] = codes[i]
        for stratum in range(starts.size - 1):
            first, high = starts[stratum], starts[stratum + 1]
            while high > first:
                low = max(first, high - _ROWS)
                for i in range(low, high):
                    for c in range(_FEW):
                        partner[i - low, c] = first + below(random_bits(keys[k + c], i), i - first + 1)
                for i in range(high - 1, low - 1, -1):
                    for c in range(_FEW):
                        j = partner[i - low, c]
                        for a in range(u.shape[0]):
                            out[k + c, a, values[j, c]] += u[a, i]
                        values[j, c] = values[i, c]
                high = low


def shuffled_level_sums(u, codes, levels, keys):
    """Sum of each column of `u` (n, q) over each level (a code 0, 1, ...) of `codes` permuted within `levels`.

    The result (b, q, levels) has a matrix for every key.
    """
    tiled, count = _tiled(keys, _FEW), codes.max() + 1
    out = np.zeros((tiled.size, u.shape[1], count))
    codes = codes[levels.order].astype(np.uint8 if count <= 256 else np.uint32)
    _level_sums(np.ascontiguousarray(u[levels.order].T, np.float64), codes, levels.starts, tiled, out)
    return out[: len(keys)]


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
        for t in range(_TILE):
            for e in range(out.shape[1]):
                out[k + t, e] = totals[e, t]


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
    tiled, widths = _tiled(keys, _TILE), np.asarray(widths, np.int64)
    out = np.empty((tiled.size, widths.sum()))
    A, C = (np.ascontiguousarray(part[levels.order].T, np.float64) for part in (A, C))
    _forms(A, C, widths, levels.starts, tiled, out)
    return out[: len(keys)]
