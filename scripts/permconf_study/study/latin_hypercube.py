"""Latin hypercubes: random, or with a large minimum distance between points (maximin criterion)."""

import warnings

import numpy as np
from numba import njit, uint64

from permconf.permute.random_bits import below, random_bits

KINDS = ("optimised", "best_of_5", "random")


def latin_hypercube(rows, columns, *, kind="optimised", rng):
    """A (rows, columns) Latin hypercube in the unit cube.

    "random" and "best_of_5" are pyDOE2's: one random hypercube, and the one of five with the largest minimum distance.
    "optimised" improves the latter by exchanges within a column until no exchange increases that distance.
    """
    points = _plain_hypercube(rows, columns, None if kind == "random" else "maximin", rng=rng)
    if kind != "optimised" or rows <= 2:
        return points
    transposed = np.ascontiguousarray(points.T)
    _raise_smallest_distance(transposed, rng.integers(2**64, dtype=np.uint64))
    return transposed.T


def _plain_hypercube(rows, columns, criterion, *, rng):
    state = np.random.RandomState(rng.integers(2**32))
    if rows < 2:
        return state.rand(rows, columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pyDOE2 imports imp; pydoe prefers a Generator
        try:
            from pyDOE2 import lhs
        except ImportError:  # from Python 3.12; the maintained successor draws the same numbers
            from pydoe import lhs
        return lhs(columns, samples=rows, criterion=criterion, iterations=5, random_state=state)


@njit(cache=True)
def _squared_distances(points, i, out):
    """Squared distances of point i to all points, infinite to itself. `points` has one row per coordinate."""
    out[:] = 0.0
    for coordinate in points:
        for j in range(out.size):
            out[j] += (coordinate[j] - coordinate[i]) ** 2
    out[i] = np.inf


@njit(cache=True)
def _all_beyond(distances, coordinate, i, value, limit):
    """Whether point i, moved to `value` along one coordinate, would be farther than `limit` from every other point."""
    at = coordinate[i]
    for first in range(0, distances.size, 50):
        closest = np.inf
        for j in range(first, min(first + 50, distances.size)):
            x = coordinate[j]
            closest = min(closest, distances[j] - (at - x) ** 2 + (value - x) ** 2)
        if closest <= limit:
            return False
    return True


@njit(cache=True)
def _separating_exchange(points, distances, pair, limit, first):
    """An exchange of one coordinate between a point of `pair` and another that moves both beyond `limit`.

    Returns point, other and coordinate, or -1 for each if there is none.
    """
    k, n = points.shape
    for offset in range(n):
        other = (first + offset) % n
        for point in pair:
            if other == point:
                continue
            for c in range(k):
                coordinate = points[c]
                if _all_beyond(distances[point], coordinate, point, coordinate[other], limit) and _all_beyond(
                    distances[other], coordinate, other, coordinate[point], limit
                ):
                    return point, other, c
    return -1, -1, -1


@njit(cache=True)
def _raise_smallest_distance(points, key):
    """Repeatedly move the closest pair apart until no single exchange can."""
    n = points.shape[1]
    distances, nearest = np.empty((n, n)), np.empty(n, np.int64)
    for i in range(n):
        _squared_distances(points, i, distances[i])
        nearest[i] = np.argmin(distances[i])
    draw = uint64(0)
    while True:
        closest = 0
        for i in range(n):
            if distances[i, nearest[i]] < distances[closest, nearest[closest]]:
                closest = i
        first = below(random_bits(key, draw), n)
        draw += uint64(1)
        limit = distances[closest, nearest[closest]]
        a, b, c = _separating_exchange(points, distances, (closest, nearest[closest]), limit, first)
        if a < 0:
            return
        points[c, a], points[c, b] = points[c, b], points[c, a]
        for moved in (a, b):
            _squared_distances(points, moved, distances[moved])
            distances[:, moved] = distances[moved]
        for i in range(n):
            if i in (a, b) or nearest[i] in (a, b):
                nearest[i] = np.argmin(distances[i])
            else:
                for moved in (a, b):
                    if distances[i, moved] < distances[i, nearest[i]]:
                        nearest[i] = moved
