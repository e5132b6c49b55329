"""Restricted and standard permutations of the response, b of them as the columns of a matrix (paper, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, uint64

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.values import check_row_order, clean, coded
from permconf.keywords import helpful
from permconf.permute.random_bits import below, random_bits
from permconf.permute.random_streams import Rng, permutation_keys

_COLUMNS_AT_ONCE = 128


@njit(cache=True, nogil=True)
def _shuffle_values(y, orders, starts, keys, ends, out):
    """Fisher-Yates within each level, for any values (arguments as in `shuffled_by_turns`)."""
    values, column = y.copy(), 0
    for turn in range(ends.size):
        order = orders[turn]
        original = y[order]
        for k in range(column, ends[turn]):
            values[:] = original
            for level in range(starts.size - 1):
                first = starts[level]
                for i in range(starts[level + 1] - 1, first - 1, -1):
                    j = first + below(random_bits(keys[k], i), i - first + 1)
                    out[order[i], k] = values[j]
                    values[j] = values[i]
        column = ends[turn]


@njit(cache=True, nogil=True)
def _shuffle_binary(y, orders, starts, keys, ends, out):
    """The same for 0/1 labels, by selection sampling (Knuth's Algorithm S) of the rows that get the ones of a level.

    Several columns are processed together, row by row, in vector registers and without moving data.
    """
    remaining, column = np.empty(_COLUMNS_AT_ONCE, np.uint64), 0
    for turn in range(ends.size):
        for first in range(column, ends[turn], _COLUMNS_AT_ONCE):
            _select_ones(
                y, orders[turn], starts, keys, first, min(first + _COLUMNS_AT_ONCE, ends[turn]), remaining, out
            )
        column = ends[turn]


@njit(cache=True, nogil=True)
def _select_ones(y, order, starts, keys, first, last, remaining, out):
    """Columns first .. last - 1, which share `order`; `remaining` is a buffer for the ones each has yet to place."""
    width = last - first
    for level in range(starts.size - 1):
        ones = uint64(0)
        for i in range(starts[level], starts[level + 1]):
            ones += y[order[i]]
        remaining[:] = ones
        for i in range(starts[level], starts[level + 1]):
            left = starts[level + 1] - i
            row = out[order[i]]
            for c in range(width):
                one = uint64(below(random_bits(keys[first + c], i), left)) < remaining[c]
                remaining[c] -= uint64(one)
                row[first + c] = one


@njit(cache=True, nogil=True)
def sorted_rows(codes, starts):
    """For each column of `codes`, the rows sorted by their code; those of code l begin at position starts[l]."""
    n, b = codes.shape
    orders, free = np.empty((b, n), np.int64), np.empty(starts.size, np.int64)
    for k in range(b):
        free[:] = starts
        for i in range(n):
            orders[k, free[codes[i, k]]] = i
            free[codes[i, k]] += 1
    return orders


def shuffled(y, levels, keys):
    """One column per key: `y` permuted within `levels`."""
    return shuffled_by_turns(y, levels.order[None], levels.starts, keys, np.array([keys.size]))


def shuffled_by_turns(y, orders, starts, keys, ends):
    """One column per key: `y` permuted within levels whose rows change between columns while their sizes stay fixed.

    In columns ends[t - 1] to ends[t] - 1, level l has the rows `orders[t, starts[l]:starts[l + 1]]`.
    """
    out = np.empty((y.size, keys.size), y.dtype)
    binary = y.dtype == np.uint8 and y.size > 0 and y.max() <= 1
    kernel = _shuffle_binary if binary else _shuffle_values
    kernel(y, orders, starts, keys, ends, out)
    return out


@helpful
def restricted_shuffle(y: Any, c: Any, b: int, *, rng: Rng) -> np.ndarray:
    """b permutations of `y` within the levels of `c`, as an (n, b) matrix (paper, Algorithm 1, step 4).

    >>> import numpy as np
    >>> from permconf import restricted_shuffle
    >>> Y = restricted_shuffle([0, 1, 1, 1, 0, 0], ["a", "a", "a", "b", "b", "b"], 5, rng=np.random.default_rng(0))
    >>> Y[:3].sum(axis=0), Y[3:].sum(axis=0)
    (array([2, 2, 2, 2, 2]), array([1, 1, 1, 1, 1]))
    """
    check_row_order(y=y, c=c)
    y = clean(y, "y", labels=True)
    return _shuffled_labels(y, Confounders.of(c, "levels", rows=len(y)).strata, b, rng)


@helpful
def standard_shuffle(y: Any, b: int, *, rng: Rng) -> np.ndarray:
    """b free permutations of `y`, as an (n, b) matrix.

    >>> import numpy as np
    >>> from permconf import standard_shuffle
    >>> standard_shuffle([0, 1, 1, 1, 0, 0], 5, rng=np.random.default_rng(0)).sum(axis=0)
    array([3, 3, 3, 3, 3])
    """
    y = clean(y, "y", labels=True)
    return _shuffled_labels(y, Levels.single(len(y)), b, rng)


def _shuffled_labels(y, levels, b, rng):
    """Shuffle labels of any type by permuting their codes."""
    labels, codes = coded(y)
    codes = codes.astype(np.uint8 if labels.size <= 2 else np.int64)
    return labels[shuffled(codes, levels, permutation_keys(rng, b))]
