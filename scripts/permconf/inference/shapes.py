"""Shapes of an association other than linear: what else scores and confounders may have in common.

The linear block of a confounder is T = A' C, with the ranks of a numeric confounder or the indicators of levels. The
other blocks are of the same kind, with other columns on one of the two sides, and are permuted together with it:

- *curved*: Legendre polynomials of degree 2 and 3 of the ranks of a numeric confounder;
- *spread*: the absolute values of the scores, so that their variation depends on the confounder;
- *differs between classes* (or along a numeric response): the scores times what the response is;
- *together with* another confounder: products of the columns of two confounders.

Columns are freed from what the linear columns explain of them, so that a shape means what the linear block does not
see. A block with more than `MOST_ENTRIES` products is left out, as are pairs of more than `MOST_PAIRED` confounders.

A confounder's statistic is the largest of its blocks, to which the logarithm of a weight is added: that of the linear
block is 1, and the others share (1 - LINEAR) / LINEAR, which costs little of the power against monotone effects.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.inference.ranks import centred, indicators, normalised_ranks
from permconf.permute.units import Coded, Units

SHAPES = ("any", "linear")
LINEAR = 0.75  # share of the level that the linear block gets
PAIRED = 0.1  # the same of all pairs of confounders together, relative to all confounders
MOST_ENTRIES = 60
MOST_PAIRED = 6
LINEAR_SHAPE, CURVED, SPREAD = "linear", "curved", "spread"
BETWEEN_CLASSES, ALONG_RESPONSE = "differs between classes", "differs along the response"


class Item(NamedTuple):
    """Columns of the permuted side (codes, if they are indicators of levels), which meet the first `width` scores."""

    columns: np.ndarray
    codes: np.ndarray | None
    width: int


class Block(NamedTuple):
    """A quadratic form: some columns of scores with the columns of an item, for a confounder or a pair of them."""

    unit: int
    shape: str
    item: int
    scores: slice
    log_weight: float


@dataclass(frozen=True)
class Blocks:
    """Columns of scores, the items that they meet, the blocks, and the pairs of confounders, units after the single."""

    scores: np.ndarray
    items: list[Item]
    blocks: list[Block]
    pairs: list[tuple[int, int]]


@dataclass(frozen=True)
class Curve:
    """A confounder as the columns of its products with others, and its curved columns; None for one with levels."""

    base: np.ndarray
    curved: np.ndarray | None = None


@dataclass(frozen=True)
class Shapes:
    """What is looked for besides linear effects: the scores times the response (None for none), spread, curves."""

    by_response: np.ndarray | None
    response_shape: str
    spread: bool
    curves: tuple[Curve, ...]

    def take(self, order: np.ndarray) -> "Shapes":
        curves = (Curve(one.base[order], None if one.curved is None else one.curved[order]) for one in self.curves)
        by_response = None if self.by_response is None else self.by_response[order]
        return replace(self, by_response=by_response, curves=tuple(curves))


def curve(column: Confounder, levels: Levels, units: Units) -> Curve:
    """A confounder's curve, from its ranks within `levels`."""
    if column.kind != "numeric":
        return Curve(units.means(indicators(column.values)))
    v = normalised_ranks(column.values, levels)
    return Curve(units.means(v[:, None]), units.means(legendre(v)))


def legendre(v: np.ndarray) -> np.ndarray:
    """Legendre polynomials of degree 2 and 3 on (-1/2, 1/2)."""
    square = v * v
    return np.column_stack([6 * square - 0.5, (20 * square - 3) * v])


def all_blocks(A: np.ndarray, confounders: list[Coded], shapes: Shapes | None, strata: Levels) -> Blocks:
    """The linear blocks of centred columns, and those of the other shapes (None: of none)."""
    q = A.shape[1]
    if shapes is None:
        items = [Item(one.columns, one.codes, q) for one in confounders]
        return Blocks(A, items, [Block(j, LINEAR_SHAPE, j, slice(q), 0.0) for j in range(len(items))], [])
    further = {SPREAD: np.abs(A)} if shapes.spread else {}
    if shapes.by_response is not None:
        further[shapes.response_shape] = shapes.by_response
    further = {shape: _without(centred(columns, strata), A) for shape, columns in further.items()}
    scores = np.hstack([A, *further.values()])
    ends = np.cumsum([q, *(part.shape[1] for part in further.values())])
    items, blocks = [], list[Block]()
    own = [_own_columns(one, shapes.curves[j], strata) for j, one in enumerate(confounders)]
    for j, (one, (_, curved)) in enumerate(zip(confounders, own, strict=True)):
        slices = {shape: slice(*ends[k : k + 2]) for k, shape in enumerate(further)}
        slices = {shape: part for shape, part in slices.items() if _fits(part.stop - part.start, one.columns)}
        bent = curved is not None and _fits(q, curved)
        log_weight = np.log((1 - LINEAR) / LINEAR / max(1, len(slices) + bent))
        blocks += [Block(j, LINEAR_SHAPE, len(items), slice(q), 0.0)]
        blocks += [Block(j, shape, len(items), part, log_weight) for shape, part in slices.items()]
        items.append(Item(one.columns, one.codes, max([q, *(part.stop for part in slices.values())])))
        if bent:
            blocks.append(Block(j, CURVED, len(items), slice(q), log_weight))
            items.append(Item(curved, None, q))
    pairs: list[tuple[int, int]] = []
    for (i, j), columns in _products(confounders, own, shapes, strata):
        if _fits(q, columns):
            blocks.append(Block(len(confounders) + len(pairs), "", len(items), slice(q), 0.0))
            items.append(Item(columns, None, q))
            pairs.append((i, j))
    log_weight = np.log(PAIRED * len(confounders) / max(1, len(pairs)) / LINEAR)
    blocks = [block if block.shape else block._replace(log_weight=log_weight) for block in blocks]
    return Blocks(scores, items, blocks, pairs)


def _fits(scores, columns):
    return 0 < scores * columns.shape[1] <= MOST_ENTRIES


def _own_columns(confounder, its_curve, strata):
    """All columns of one confounder, linear and curved, and the curved ones alone, without the linear."""
    if its_curve.curved is None:
        return confounder.columns, None
    curved = _without(centred(its_curve.curved, strata), confounder.columns)
    return np.hstack([confounder.columns, curved]), curved


def _products(confounders, own, shapes, strata):
    """Products of the columns of two confounders, without what those of each explain."""
    if not 1 < len(confounders) <= MOST_PAIRED:
        return
    for i, j in combinations(range(len(confounders)), 2):
        one, other = (shapes.curves[k].base - shapes.curves[k].base.mean(axis=0) for k in (i, j))
        varying = own[i][0].any() and own[j][0].any()  # within strata; else the product is a shape of the other one
        if varying and 0 < one.shape[1] * other.shape[1] <= MOST_ENTRIES:
            columns = (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)
            yield (i, j), _without(centred(columns, strata), np.hstack([own[i][0], own[j][0]]))


def _without(columns, explained):
    """Residuals of a regression; what rounding leaves is zero."""
    fitted = explained @ np.linalg.lstsq(explained, columns, rcond=1e-9)[0]
    size = np.sqrt(np.mean(columns**2, axis=0))
    residuals = columns - fitted
    return np.where(np.sqrt(np.mean(residuals**2, axis=0)) > 1e-6 * size, residuals, 0.0)
