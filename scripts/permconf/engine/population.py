"""The population of interest, and subsamples of the development data that match it (paper, Section 4).

The population is a table of shares for the cells of (response, confounder), both categorical. The population sets are
a training and a test set with that joint distribution, subsampled from the development data.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.values import check_row_order, clean
from permconf.errors import nearest
from permconf.keywords import helpful
from permconf.options import whole_number
from permconf.permute.random_streams import Rng, generator

Shares = Mapping[tuple[Any, Any], float | str] | Sequence[Mapping[str, Any]]


@helpful
def population_split(
    y: Any, c: Any, *, rng: Rng, shares: Shares, size: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the population sets (paper, Section 4): disjoint random subsamples, for training and for testing, each
    with the joint distribution of (y, c) in the population of interest.

    `shares` is the table of the population (see `share_table`); `size` is the number of rows of each set, by default
    as many as half of the smallest development cell allows (see `population_counts`).

    >>> import numpy as np
    >>> from permconf import population_split
    >>> y, c = np.repeat([0, 0, 1, 1], 50), np.tile(np.repeat([0, 1], 50), 2)
    >>> shares = {(0, 0): 0.25, (0, 1): 0.25, (1, 0): 0.25, (1, 1): 0.25}
    >>> train, test = population_split(y, c, shares=shares, size=40, rng=np.random.default_rng(0))
    >>> np.bincount(2 * y[train] + c[train])
    array([10, 10, 10, 10])
    """
    check_row_order(y=y, c=c)
    y = clean(y, "y", labels=True)
    c = Confounders.of(c, "levels", rows=len(y)).labels
    table, available = share_table(shares), cell_counts(y, c)
    check_levels(table, available)
    counts = population_counts(table, available, size)
    names, cell = cells(y, c)
    shuffled = generator(rng).permutation(len(y))
    train, test = [], []
    for number, name in enumerate(names):
        rows = shuffled[cell[shuffled] == number]
        train.append(rows[: counts[name]])
        test.append(rows[counts[name] : 2 * counts[name]])
    return np.sort(np.concatenate(train)), np.sort(np.concatenate(test))


def cells(y, c):
    """All cells (level of y, level of c), and for each row the number of its cell."""
    (y_levels, y_codes), (c_levels, c_codes) = (np.unique(v, return_inverse=True) for v in (y, c))
    return list(itertools.product(y_levels.tolist(), c_levels.tolist())), y_codes * c_levels.size + c_codes


def cell_counts(y, c):
    """Number of rows in every cell, by cell; 0 for an empty cell."""
    names, codes = cells(y, c)
    return dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True))


def share_table(shares):
    """A checked population table: a mapping of cells (y, c) to shares that sum to one.

    `shares` is such a mapping, or a list of `{"y": ..., "c": ..., "share": ...}` as in a scenario file. A share is a
    number or a fraction such as "1/3"; every combination of levels is required, with share 0 if it is empty.
    """
    if not isinstance(shares, Mapping):
        keys = {"y", "c", "share"}
        rows = shares if isinstance(shares, list | tuple) else [None]
        if any(not isinstance(row, Mapping) or not keys <= set(row) for row in rows):
            raise ValueError(
                "the population table must be a mapping of cells (y, c) to shares, or a list with entries"
                " {'y': ..., 'c': ..., 'share': ...}"
            )
        listed = [(row["y"], row["c"]) for row in shares]
        repeated = next((cell for cell in listed if listed.count(cell) > 1), None)
        if repeated is not None:
            raise ValueError(f"the population table gives cell {cell_name(repeated)} twice")
        shares = {cell: row["share"] for cell, row in zip(listed, shares, strict=True)}
    for cell in shares:
        if not isinstance(cell, tuple) or len(cell) != 2:
            raise ValueError(f"the keys of the population table must be cells (y, c), not {cell!r}")
    table = {cell: _share(cell, value) for cell, value in shares.items()}
    if not table:
        raise ValueError("the population table has no cells")
    for cell in itertools.product(*(dict.fromkeys(levels) for levels in zip(*table, strict=True))):
        if cell not in table:
            raise ValueError(f"the population table has no share for cell {cell_name(cell)}; give 0 if it is empty")
    if not math.isclose(sum(table.values()), 1, abs_tol=1e-6):
        raise ValueError(f"the shares of the population sum to {sum(table.values()):.6g}, not to 1")
    return table


def _share(cell, value):
    try:
        share = float(Fraction(value))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"the share of cell {cell_name(cell)} must be a number or fraction, not {value!r}") from error
    if share < 0:
        raise ValueError(f"the share of cell {cell_name(cell)} is negative: {value!r}")
    return share


def cell_name(cell):
    return f"(y = {cell[0]!r}, c = {cell[1]!r})"


def check_levels(table, available):
    """Raise unless the population table and the data (`available`, rows per cell) have the same levels."""
    for position, name in enumerate("yc"):
        known, given = (dict.fromkeys(cell[position] for cell in by_cell) for by_cell in (available, table))
        for level in given:
            if level not in known:
                alike = next((one for one in known if str(one) == str(level)), None)
                hint = nearest(level, known) if alike is None else f"; in the data it is {_typed(alike)}"
                raise ValueError(f"unknown level of {name} in the population table: {_typed(level)}{hint}")
        for level in known:
            if level not in given:
                raise ValueError(
                    f"the population table has no cell with {name} = {level!r}, which is a level in the data;"
                    " give its cells share 0 to leave them out"
                )


def _typed(level):
    """A level with its type where that is not plain from its name."""
    return f"the text {level!r}" if isinstance(level, str) else f"the {type(level).__name__} {level!r}"


def population_counts(table, available, size=None):
    """Rows per cell of a population set of `size` rows; the data must have enough for a training and a test set.

    By default half of the smallest development cell fills the largest population cell, so that every cell is large
    enough. Counts are rounded down; the remaining rows go one each to the cells with the largest remainders.
    """
    shares = np.array(list(table.values()))
    if size is None:
        limiting = min((cell for cell in table if table[cell] > 0), key=available.__getitem__)
        size = int(available[limiting] // 2 / shares.max() + 1e-9)
        if size < 1:
            raise ValueError(
                f"cell {cell_name(limiting)} is too small: a training and a test set need at least 2 rows,"
                f" the development data have {available[limiting]}"
            )
    else:
        size = whole_number(size, "size", least=1)
    counts = dict(zip(table, apportioned(shares, size).tolist(), strict=True))
    for cell, count in counts.items():
        if 2 * count > available[cell]:
            raise ValueError(
                f"cell {cell_name(cell)} is too small: training and test sets of {size} rows need {2 * count} rows,"
                f" the development data have {available[cell]}"
            )
    return counts


def apportioned(shares, total):
    """Integers with sum `total`, proportional to `shares`: rounded down, the rest to the largest remainders."""
    wanted = np.asarray(shares) * (total / np.sum(shares))
    counts = np.floor(wanted + 1e-9).astype(int)
    by_remainder = np.argsort(np.round(counts - wanted, 9), kind="stable")
    counts[by_remainder[: total - counts.sum()]] += 1
    return counts
