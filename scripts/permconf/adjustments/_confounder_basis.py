"""Confounders as columns of a regression: knots, levels and scale from the training rows, columns for any rows.

The combination of the categorical confounders enters by indicators. A numeric confounder enters additively by a natural
cubic spline, which is a straight line beyond its outer knots (Harrell 2001, Section 2.4.5).
"""

from dataclasses import dataclass

import numpy as np

from permconf.data.confounders import Confounders

KNOTS = 6
_OUTER = 0.05  # share of the rows beyond each outer knot
_RANK = 1e-8  # share of a column that must be left after those before it


@dataclass(frozen=True)
class ConfounderBasis:
    """Columns that represent confounders; on the training rows they have mean 0, variance 1 and no correlation."""

    levels: np.ndarray
    shares: np.ndarray
    knots: tuple[np.ndarray, ...]
    centre: np.ndarray
    axes: np.ndarray

    @classmethod
    def of(cls, c_train: Confounders, *, knots: int = KNOTS) -> "ConfounderBasis":
        """The columns for training rows; with fewer than three (distinct) knots a spline is a straight line."""
        numeric, levels, counts = c_train.numeric, c_train.strata.values, c_train.strata.counts
        places = tuple(np.unique(np.quantile(x, np.linspace(_OUTER, 1 - _OUTER, max(knots, 1)))) for x in numeric.T)
        plain = cls(levels, counts / len(c_train), places, np.zeros(1), np.eye(1))
        raw = plain.raw(c_train)
        return cls(levels, plain.shares, places, raw.mean(axis=0), _axes(raw - raw.mean(axis=0)))

    def raw(self, c):
        """Splines and indicators as they are; a level that the training rows lack counts as the average of all."""
        indicators = (c.codes[:, None] == self.levels).astype(float)
        indicators[indicators.sum(axis=1) == 0] = self.shares
        splines = [natural_spline(x, knots) for x, knots in zip(c.numeric.T, self.knots, strict=True)]
        return np.hstack([*splines, indicators])

    def columns(self, c):
        """The columns (rows, k) of any rows; equal confounders have equal columns, unlike in a matrix product."""
        centred = self.raw(c) - self.centre
        return sum((np.outer(*pair) for pair in zip(centred.T, self.axes, strict=True)), start=np.zeros(1))


def _axes(centred):
    """Combinations of columns, one after the other, that are uncorrelated with variance 1; redundant ones are left out.

    The columns come first to last, so that the first one of a numeric confounder is the confounder itself.
    """
    n, made, axes = len(centred), np.empty((len(centred), 0)), np.empty((centred.shape[1], 0))
    for j, column in enumerate(centred.T):
        axis = np.eye(centred.shape[1])[j]
        for _ in range(2):  # twice is enough against rounding (Giraud, Langou & Rozloznik 2005)
            axis = axis - axes @ (made.T @ (centred @ axis)) / n
        left = np.sqrt(np.mean((centred @ axis) ** 2))
        if left > _RANK * np.sqrt(np.mean(column**2)) and left > 0:
            axes = np.column_stack([axes, axis / left])
            made = centred @ axes
    return axes


def natural_spline(x, knots):
    """x itself, and a column for each knot but two: cubic between the knots and linear beyond, without the constant."""
    if knots.size < 3:
        return x[:, None]
    last, width = knots[-1], knots[-1] - knots[-2]
    cubes = np.maximum(x[:, None] - knots, 0) ** 3
    weight = (last - knots[:-2]) / width
    curved = cubes[:, :-2] - cubes[:, [-2]] * weight + cubes[:, [-1]] * (weight - 1)
    return np.column_stack([x, curved / (last - knots[0]) ** 2])
