"""Quadrants of two confounders, one of them numeric, at all borders that score tests find likely.

A joint effect with borders (both high, or one high and the other low) is no product of smooth functions, and a border
that is misplaced by 5 % of the rows leaves confounding behind. A cross is a cut of the ranks of each of two
confounders; its columns are the sides of both and their product. Every cross has a score statistic, what its columns
explain of the residuals of a model without joint effects, given its design, which says how likely it is. No single
cross is taken for the true one: the columns returned are the principal components of all likely crosses of one pair of
confounders, so that the model follows, and permutations keep, what the response does at any of these borders.
"""

from itertools import combinations, product

import numpy as np

from permconf.data.levels import Levels

BINS = 60  # of the ranks of a confounder; cuts lie between them
MOST_CROSSES, MOST_COLUMNS = 60, 8
KEPT = 0.95  # share of the variance of the crosses that the columns have
FLATTER = 0.3  # power of the likelihood: which cross is likely is less certain than a score statistic has it
_RIDGE = 4.0  # rows' worth of information, so that a quadrant with few rows does not win


def cross_columns(
    numeric: np.ndarray, levels: np.ndarray, X: np.ndarray, residuals: np.ndarray, variances: np.ndarray
) -> np.ndarray | None:
    """Centred columns (n, k) of the likely crosses of two columns of `numeric`, or of one with an indicator of
    `levels`; None if there are no two.

    `residuals` and `variances` (n, k) are those of a model with the design `X`, for each class but the first.
    """
    bins, sides = (
        [(share_below(x) * BINS).astype(np.int64) for x in some.T if np.ptp(x)] for some in (numeric, levels)
    )
    models = [_unexplained(X, *one) for one in zip(residuals.T, np.sqrt(variances).T, strict=True)]
    found = []
    for u, v in [*combinations(bins, 2), *product(bins, sides)]:
        cell = u * BINS + v
        found.append((sum(_gains(cell, *one) for one in models), cell))
    if not found:
        return None
    gains, cell = max(found, key=lambda one: one[0].max())
    likely = np.argsort(-gains, axis=None, kind="stable")[:MOST_CROSSES]
    chances = np.exp(FLATTER * (gains.ravel()[likely] - gains.max()) / 2)
    columns = _sides(*(cut + 1 for cut in np.unravel_index(likely, gains.shape))) * np.sqrt(chances / chances.sum())
    columns, rows = columns.reshape(BINS**2, -1), np.bincount(cell, minlength=BINS**2) / cell.size
    columns = columns - rows @ columns
    variance, directions = (found[..., ::-1] for found in np.linalg.eigh((columns.T * rows) @ columns))
    count = min(MOST_COLUMNS, 1 + int(np.searchsorted(np.cumsum(variance), KEPT * variance.sum())))
    return (columns @ directions[:, :count])[cell]


def share_below(x: np.ndarray) -> np.ndarray:
    """The share of rows below each value; ties have half of their rows below."""
    values = Levels.of(x)
    return ((np.cumsum(values.counts) - values.counts / 2) / x.size)[values.codes]


def orthonormal(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span those of X, and nothing else where some are combinations of others."""
    u, size, _ = np.linalg.svd(X, full_matrices=False)
    return u[:, size > size[0] * max(X.shape) * np.finfo(float).eps]


def _unexplained(X, residual, root):
    """Residuals that no column of the design has a part in, and columns of the design, orthonormal, times `root`."""
    basis = orthonormal(X * root[:, None])
    return residual - root * (basis @ (basis.T @ (residual / root))), root**2, basis * root[:, None]


def _sides(a, b):
    """Which side of the cuts a cell is on, -1 or 1, and the product (cells, 3, crosses)."""
    u, v = (number.ravel()[:, None] for number in np.indices((BINS, BINS)))
    above, right = np.where(u >= a, 1.0, -1.0), np.where(v >= b, 1.0, -1.0)
    return np.stack([above, right, above * right], axis=1)


def _gains(cell, residual, variance, basis):
    """Score statistics (cuts of one confounder, cuts of the other) of all crosses, from sums over the rows of cells."""

    def sums(values):
        """Sums over rows times 1, the sides of both cuts, and their product."""
        table = np.bincount(cell, values, BINS**2).reshape(BINS, BINS)
        beyond = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
        total, above, right, both = beyond[:1, :1], beyond[1:, :1], beyond[:1, 1:], beyond[1:, 1:]
        parts = total, 2 * above - total, 2 * right - total, 4 * both - 2 * above - 2 * right + total
        return np.stack(np.broadcast_arrays(*parts), axis=-1)

    score, known = sums(residual)[..., 1:], sums(variance)
    information = known[..., np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0]])]
    for column in basis.T:
        followed = sums(column)[..., 1:]
        information = information - followed[..., :, None] * followed[..., None, :]
    information = information + _RIDGE * variance.mean() * np.eye(3)
    gains = np.einsum("abc,abc->ab", score, np.linalg.solve(information, score[..., None])[..., 0])
    filled = np.bincount(cell, minlength=BINS**2).reshape(BINS, BINS) > 0
    rows, columns = (np.logical_or.reduce(filled, axis=axis)[:-1] for axis in (1, 0))
    return np.where(np.outer(rows, columns), gains, -np.inf)  # other cuts separate the same rows as these
