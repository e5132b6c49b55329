"""Quadrants of two numeric confounders: where their borders lie, found by score tests.

A joint effect with borders (both high, or one high and the other low) is no product of smooth functions, and a border
that is misplaced by 5 % of the rows leaves confounding behind. So the borders are searched for: a cross is a cut of the
ranks of each of two confounders, and its columns are the sides of both and their product. Of all crosses the one is
chosen whose columns explain most of the residuals of a model without joint effects, by their score statistic given its
design: among a few spread crosses first, then along each confounder in turn.
"""

from itertools import combinations

import numpy as np

from permconf.data.levels import Levels

BINS = 60  # of the ranks of a confounder; cuts lie between them
FIRST = np.arange(6, BINS, 8)  # cuts with which the search begins
ROUNDS = 2
_RIDGE = 4.0  # rows' worth of information, so that a quadrant with few rows does not win


def cross_columns(
    numeric: np.ndarray, X: np.ndarray, residuals: np.ndarray, variances: np.ndarray
) -> np.ndarray | None:
    """Centred columns (n, 3) of the best cross of two columns of `numeric`; None if there are no two.

    `residuals` and `variances` (n, k) are those of a model with the design `X`, for each class but the first.
    """
    shares = [share_below(x) for x in numeric.T if x.min() < x.max()]
    models = [_unexplained(X, *one) for one in zip(residuals.T, np.sqrt(variances).T, strict=True)]
    found = [(*_best_cuts(u, v, models), u, v) for u, v in combinations(shares, 2)]
    if not found:
        return None
    _, a, b, u, v = max(found, key=lambda one: one[0])
    sides = _sides(u * BINS, v * BINS, a, b)
    return sides - sides.mean(axis=0)


def share_below(x: np.ndarray) -> np.ndarray:
    """The share of rows below each value; ties have half of their rows below."""
    values = Levels.of(x)
    return ((np.cumsum(values.counts) - values.counts / 2) / x.size)[values.codes]


def _unexplained(X, residual, root):
    """Residuals that no column of the design has a part in, and columns of the design, orthonormal, times `root`."""
    basis = np.linalg.qr(X * root[:, None])[0]
    return residual - root * (basis @ (basis.T @ (residual / root))), root**2, basis * root[:, None]


def _sides(u, v, a, b):
    """Which side of the cuts a row is on, -1 or 1, and the product (..., 3)."""
    above, right = np.where(u >= a, 1.0, -1.0), np.where(v >= b, 1.0, -1.0)
    return np.stack([above, right, above * right], axis=-1)


def _best_cuts(u, v, models):
    """The largest score statistic of a cross of these ranks, and its cuts."""
    cell = (u * BINS).astype(np.int64) * BINS + (v * BINS).astype(np.int64)
    rows, columns = (number.ravel() + 0.5 for number in np.indices((BINS, BINS)))

    def sums(values):
        return np.bincount(cell, values, BINS**2)

    by_cell = [(sums(r), sums(variance), np.stack([sums(q) for q in basis.T])) for r, variance, basis in models]

    def best(a, b):
        sides = _sides(rows[:, None], columns[:, None], a, b)
        gains = sum(_gains(sides, *one) for one in by_cell)
        place = int(np.argmax(gains))
        return gains[place], a[place], b[place]

    every = np.arange(1, BINS)
    found = best(*(cut.ravel() for cut in np.meshgrid(FIRST, FIRST)))
    for _ in range(ROUNDS):
        found = best(every, np.full_like(every, found[2]))
        found = best(np.full_like(every, found[1]), every)
    return found


def _gains(sides, residual, variance, basis):
    """Score statistics (k,) of crosses with `sides` (cells, k, 3), from sums over the rows of each cell.

    `basis` (p, cells) has the sums of the orthonormal columns of the design.
    """
    score = np.tensordot(residual, sides, 1)
    followed = np.tensordot(basis, sides, 1)
    information = np.einsum("nkc,nkd->kcd", sides * variance[:, None, None], sides, optimize=True)
    information -= np.einsum("pkc,pkd->kcd", followed, followed)
    information += _RIDGE * variance.sum() / max(np.count_nonzero(variance), 1) * np.eye(3)
    return np.einsum("kc,kc->k", score, np.linalg.solve(information, score[:, :, None])[:, :, 0])
