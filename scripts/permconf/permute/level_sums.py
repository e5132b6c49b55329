"""Sums over the levels of a permuted categorical variable, shuffled and summed in one pass for all levels.

`shuffled_products` with an indicator for each level gives the same numbers, in one pass for each level. Key for key,
the permutations are those of `permconf.permute.shuffles`.
"""

import numpy as np
from numba import njit

from permconf.permute.random_bits import below, random_bits

_TILE = 4  # permutations that advance together, so that one waits for memory while another computes
_ROWS = 128  # rows whose random numbers are drawn ahead: those loops run in vector registers


@njit(cache=True, nogil=True)
def _level_sums(u, codes, starts, keys, out):
    """out[k, a, l] = sum of u[a, i] over the rows i that have code l after permuting by keys[k] within strata."""
    values = np.empty((codes.size, _TILE), codes.dtype)
    partner = np.empty((_ROWS, _TILE), np.uint32)
    for k in range(0, keys.size, _TILE):
        for i in range(codes.size):
            values[i] = codes[i]
        for stratum in range(starts.size - 1):
            first, high = starts[stratum], starts[stratum + 1]
            while high > first:
                low = max(first, high - _ROWS)
                for i in range(low, high):
                    for c in range(_TILE):
                        partner[i - low, c] = first + below(random_bits(keys[k + c], i), i - first + 1)
                for i in range(high - 1, low - 1, -1):
                    for c in range(_TILE):
                        j = partner[i - low, c]
                        for a in range(u.shape[0]):
                            out[k + c, a, values[j, c]] += u[a, i]
                        values[j, c] = values[i, c]
                high = low


def shuffled_level_sums(u, codes, levels, keys):
    """Sum of each column of `u` (n, q) over each level (a code 0, 1, ...) of `codes` permuted within `levels`.

    The result (b, q, levels) has a matrix for every key.
    """
    order, count = levels.order, codes.max() + 1
    tiled = np.zeros(len(keys) + -len(keys) % _TILE, np.uint64)
    tiled[: len(keys)] = keys
    out = np.zeros((tiled.size, u.shape[1], count))
    codes = codes[order].astype(np.uint8 if count <= 256 else np.uint32)
    _level_sums(np.ascontiguousarray(u[order].T, np.float64), codes, levels.starts, tiled, out)
    return out[: len(keys)]
