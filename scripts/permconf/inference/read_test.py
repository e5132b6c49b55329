"""Which confounder do the predictions read? Each one given the response and the other confounders.

A confounder that is never read is associated with the scores, given the response, if it is associated with one that is.
Here the values of confounder j are permuted with probability proportional to the product of p(c_j | others, y), within
the levels of y: the conditional permutation test of Berrett, Wang, Barber & Samworth (2020), see
`permconf.permute.conditional`. Levels of the other confounders are kept exactly where that leaves five rows in a
stratum, and are left to the model elsewhere; numeric confounders are modelled by their normal scores.

The statistics are those of the prediction test, in all shapes (`permconf.inference.shapes`), of scores from which a
regression on the other confounders and y has been removed: they have mean zero if either this regression or the model
of p(c_j | others, y) is right. The permutations give their covariances.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from permconf.data.confounders import Confounder, Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.values import ROWS_PER_LEVEL
from permconf.engine.blas_threads import one_blas_thread
from permconf.inference.p_values import permutation_p
from permconf.inference.ranks import QuadraticForm, indicators, normalised_ranks
from permconf.inference.shapes import CURVED, LINEAR, LINEAR_SHAPE, MOST_ENTRIES, SPREAD, curve, legendre
from permconf.inference.tested_rows import Direction, TestedRows, sign_of
from permconf.permute.conditional import ConditionalShuffle
from permconf.permute.random_streams import Streams
from permconf.permute.response_model import Design, fit_numbers
from permconf.permute.units import crossed, first_rows, varies_within

PERMUTATIONS = 999  # most: each takes 50 rounds of swaps
MOST_UNITS = 3_000  # of more rows or subjects, this many are drawn at random
_ZERO = 1e-9  # differences that are smaller, relatively, are rounding
MOST_LEVELS = 8  # of a categorical confounder; smaller levels are taken together


@dataclass(frozen=True)
class Read:
    """Evidence that one confounder is read: p-value, sign ("inflates", "masks" or "unclear") and shape."""

    p: float
    sign: str
    shape: str


def read_test(tested: TestedRows, column: Confounder, others: Confounders, *, permutations: int, seed: int) -> Read:
    """Test whether scores depend on a confounder given the response and the others, of which there is at least one."""
    column = _with_few_levels(column)
    units = tested.units([column])
    streams = Streams(seed, "read_test")
    chosen = np.arange(len(units.strata.codes))
    if chosen.size > MOST_UNITS:
        chosen = np.sort(streams.rng("units").choice(chosen.size, MOST_UNITS, replace=False))
    given = _given(others, tested, units).take(chosen)
    values = column.values if units.name == "rows" else column.values[first_rows(units.of_row)]
    codes, functions = _functions(values[chosen], column.kind)
    strata = Levels.of(units.strata.codes[chosen])
    keys = streams.keys(f"permutations of {column.name}", min(permutations, PERMUTATIONS) + 2)
    shuffled = _shuffle(codes, column, given, strata, keys[:2]).shuffled_codes(keys[2:])
    with one_blas_thread():
        scores = _scores(tested, units, chosen, given, others)
        direction = Direction.of(column, tested, any_shape=True)
        return _tested(scores, functions, np.column_stack([codes, shuffled]), direction)


def _with_few_levels(column):
    """A categorical confounder with at most `MOST_LEVELS` levels: the smallest ones become one."""
    if column.kind != "categorical" or column.levels.size <= MOST_LEVELS:
        return column
    by_size = np.argsort(-np.bincount(column.values), kind="stable")
    rank = np.argsort(by_size)
    return replace(column, values=np.minimum(rank, MOST_LEVELS - 1)[column.values], levels=column.levels[:MOST_LEVELS])


def _given(others, tested, units):
    """The other confounders and the response, of units; what varies within a subject enters by its means."""
    response = tested.response
    if response.labels is None:
        y = Confounder("(response)", "numeric", response.values, None, "smooth", response.values)
    else:
        y = Confounder("(response)", "categorical", tested.levels.codes, response.labels, "levels", response.values)
    columns = []
    for column in (*others.columns, y):
        if units.name == "rows" or not varies_within(column.values, units.of_row):
            columns.append(column if units.name == "rows" else column.take(first_rows(units.of_row)))
            continue
        varying = column.values[:, None] if column.levels is None else indicators(column.values)
        for k, mean in enumerate(units.means(varying.astype(float)).T):
            columns.append(Confounder(f"{column.name} {k}", "numeric", mean, None, "smooth", mean))
    return Confounders.of_columns(tuple(columns))


def _functions(values, kind):
    """Codes of the values, and by shape the columns of a statistic as functions of the code."""
    distinct, codes = np.unique(values, return_inverse=True)
    if kind != "numeric":
        return codes, {LINEAR_SHAPE: indicators(np.arange(distinct.size))}
    v = np.empty(distinct.size)
    v[codes] = normalised_ranks(values, Levels.single(len(values)))
    return codes, {LINEAR_SHAPE: v[:, None], CURVED: legendre(v)}


def _shuffle(codes, column, given, strata, keys):
    """The conditional permutations of the codes, given the other confounders."""
    if column.kind == "numeric":
        ranks = normalised_ranks(codes, Levels.single(codes.size))
        response = Response(ndtri(ranks + 0.5))
    else:
        response = Response(codes.astype(np.uint8), np.unique(codes))
    exact = crossed(strata.codes, given.strata.codes)
    within = exact if exact.counts.size * ROWS_PER_LEVEL <= codes.size else strata
    return ConditionalShuffle.of(response, given, keys, within=within)


def _scores(tested, units, chosen, given, others):
    """Columns of scores by shape, freed from the other confounders and the response."""
    design = Design.of(given)

    def freed(columns):
        return columns - np.stack([fit_numbers(column, design).mean for column in columns.T], axis=1)

    def times(columns):
        return (r[:, :, None] * (columns - columns.mean(axis=0))[:, None, :]).reshape(len(r), -1)

    r = freed(units.means(tested.ranked)[chosen])
    scores = {
        LINEAR_SHAPE: r,
        SPREAD: freed(np.abs(r)),
        tested.response_shape: times(units.means(tested.factors)[chosen]),
    }
    for other in others.columns:
        base = curve(other, Levels.single(len(other.values)), units).base[chosen]
        scores[f"together with {other.name}"] = times(base)
    return scores


def _tested(scores, functions, codes, direction):
    """The result for codes (n, 1 + b), of which the first column are the observed ones."""
    columns = {shape: [of_code[codes] for of_code in function.T] for shape, function in functions.items()}
    pairs = {shape: (scores[LINEAR_SHAPE], columns[shape]) for shape in columns}
    pairs |= {shape: (part, columns[LINEAR_SHAPE]) for shape, part in scores.items() if shape != LINEAR_SHAPE}
    T = {
        shape: np.stack([A.T @ c for c in C], axis=1)  # (q, k, 1 + b)
        for shape, (A, C) in pairs.items()
        if shape == LINEAR_SHAPE or A.shape[1] * len(C) <= MOST_ENTRIES
    }
    log_weight = np.log((1 - LINEAR) / LINEAR / max(1, len(T) - 1))
    best, shape = np.full(codes.shape[1], -np.inf), ""
    for name, values in T.items():
        flat = values.reshape(-1, codes.shape[1]).T
        deviations = flat - flat.mean(axis=0)
        deviations[:, np.ptp(flat, axis=0) <= _ZERO * np.abs(flat).max(axis=0)] = 0  # what no permutation changes
        form = QuadraticForm.of(np.atleast_2d(deviations.T @ deviations / len(flat)))
        if form.df:
            found = form.standardised(deviations) + (0 if name == LINEAR_SHAPE else log_weight)
            shape = name if found[0] > best[0] else shape
            best = np.maximum(best, found)
    if not shape:
        return Read(1.0, "unclear", "")
    p = permutation_p(best[0], best[1:])
    of_shape = T.get(CURVED if direction.is_curved else LINEAR_SHAPE)
    if direction.weights is None or not direction.is_clear or of_shape is None:
        return Read(p, "unclear", shape)
    t = direction.weights @ of_shape[-1]  # of the last column of scores
    spread = t.std()
    return Read(p, sign_of((t[0] - t.mean()) / spread if spread > 0 else 0.0), shape)
