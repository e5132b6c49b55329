"""Parameter designs: one row of parameters per data set.

Ranges are spread by a Latin hypercube optimised for the maximin distance. Designs come in blocks of BLOCK rows, each
with its own hypercube and random stream: a study of N data sets takes the first N rows, so a larger study contains a
smaller.
"""

import itertools
import warnings

import numpy as np
from numba import njit, uint64
from scipy.spatial.distance import pdist

from permconf.bits import below, random_bits
from permconf.layout import BLOCK
from permconf.parameters import derived

_START_CANDIDATES = 5


def latin_hypercube(rows, columns, *, rng):
    """A (rows, columns) Latin hypercube in the unit cube with a large smallest pairwise distance.

    pyDOE2's best of a few random hypercubes, improved by exchanges within a column until no exchange helps.
    """
    points = np.ascontiguousarray(_start(rows, columns, rng.integers(2**32)).T)
    if rows > 2:
        _raise_smallest_distance(points, rng.integers(2**64, dtype=np.uint64))
    return points.T


def _start(rows, columns, seed):
    state = np.random.RandomState(seed)
    if rows < 2:
        return state.rand(rows, columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pyDOE2 imports imp; pydoe prefers a Generator
        try:
            from pyDOE2 import lhs
        except ImportError:  # Python 3.12 on; its maintained successor draws the same numbers
            from pydoe import lhs
        return lhs(columns, rows, "maximin", _START_CANDIDATES, state)


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
    """An exchange of one coordinate between a point of `pair` and some other that takes both beyond `limit`.

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
    """Move the closest pair apart, again and again, until no single exchange can."""
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


def smallest_distance(points):
    """Smallest distance between two rows."""
    return float(pdist(points).min())


def design_block(data, block, streams):
    """Rows block * BLOCK onwards of a design, as a mapping of column names to arrays; `dataset` comes first.

    `data` is the data part of a scenario: `parameters` and optionally `rows` and `renormalise`.
    """
    parameters, rows = data["parameters"], data.get("rows", [{}])
    dataset = np.arange(block * BLOCK, (block + 1) * BLOCK)
    columns = {"dataset": dataset}
    columns |= _random_columns(parameters, streams)
    columns |= _grid_columns(parameters, dataset // len(rows))
    for name, spec in parameters.items():
        if not isinstance(spec, dict):
            columns[name] = np.full(BLOCK, spec)
    columns |= _row_columns(rows, columns)
    for name, spec in parameters.items():
        if name not in columns:
            columns[name] = derived(spec, columns)
    names = data.get("renormalise", [])
    total = sum(columns[name] for name in names)
    columns |= {name: columns[name] / total for name in names}
    return {name: columns[name] for name in dict.fromkeys(("dataset", *parameters, *columns))}


def _random_columns(parameters, streams):
    """Columns spread by the Latin hypercube (range, integers) or drawn independently (uniform)."""
    free = [name for name, spec in parameters.items() if isinstance(spec, dict) and {"range", "integers"} & spec.keys()]
    unit = latin_hypercube(BLOCK, len(free), rng=streams.rng("design")) if free else np.empty((BLOCK, 0))
    columns = {}
    for name, u in zip(free, unit.T, strict=True):
        spec = parameters[name]
        if "integers" in spec:
            low, high = spec["integers"]
            columns[name] = low + np.floor(u * (high - low + 1)).astype(np.int64)
        else:
            low, high = spec["range"]
            columns[name] = low + u * (high - low)
    for name, spec in parameters.items():
        if isinstance(spec, dict) and "uniform" in spec:
            columns[name] = streams.rng(f"design/{name}").uniform(*spec["uniform"], size=BLOCK)
    return columns


def _grid_columns(parameters, dataset):
    """Columns that run through all combinations of their values, one combination per data set in turn."""
    grids = {name: spec["values"] for name, spec in parameters.items() if isinstance(spec, dict) and "values" in spec}
    cells = list(itertools.product(*grids.values()))
    return {name: np.array([cells[d % len(cells)][k] for d in dataset]) for k, name in enumerate(grids)}


def _row_columns(rows, columns):
    """Columns given by `rows`, which data sets take in turn; a row without the name leaves what `columns` has."""
    merged = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        turns = [rows[d % len(rows)] for d in columns["dataset"]]
        merged[name] = np.array([row[name] if name in row else columns[name][i] for i, row in enumerate(turns)])
    return merged
