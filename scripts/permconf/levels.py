"""The confounder as levels, and the checks that every function of x, y and c makes first."""

from dataclasses import dataclass

import numpy as np

from permconf.checks import numeric_vector, one_of, same_length
from permconf.distances import ESTIMATORS, divisor, pairwise_distances

CODINGS = ("dummy", "numeric")


@dataclass(frozen=True)
class Levels:
    """The confounder as sorted level values, the level index of every row, and the rows per level."""

    values: np.ndarray
    codes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, c):
        """Levels of the vector c."""
        return cls(*np.unique(c, return_inverse=True, return_counts=True))

    def sums(self, v):
        """Sum of v over each level."""
        return np.bincount(self.codes, weights=v, minlength=self.counts.size)

    def fitted(self, v):
        """Mean of v in the level of each row."""
        return (self.sums(v) / self.counts)[self.codes]

    def design(self, coding):
        """Columns that represent c: its numeric code, or one indicator for every level."""
        if coding == "dummy":
            return np.eye(self.counts.size)[self.codes]
        return self.values[self.codes].astype(float)[:, None]

    def pair_sums(self, A):
        """Sum of A over the rows and columns of each pair of levels."""
        indicator = self.design("dummy")
        return indicator.T @ A @ indicator

    def distance_products(self, x_sums, y_sums, coding, estimator):
        """Inner products of the centred distance matrix of the coded c with those of x and y, and with itself.

        That matrix is constant over each pair of levels (but for the empty diagonal of the U-statistics), so the sums
        of the other matrices over pairs of levels are all that is needed of them.
        """
        between = self._between(coding)
        n, counts = self.codes.size, self.counts
        row_sums = between @ counts
        grand = row_sums @ counts
        if estimator == "V":
            entries = between - (row_sums + row_sums[:, None]) / n + grand / n**2
        else:
            entries = between - (row_sums + row_sums[:, None]) / (n - 2) + grand / ((n - 1) * (n - 2))
        n_pairs = np.outer(counts, counts) - (np.diag(counts) if estimator == "U" else 0)
        products = (np.sum(entries * sums) for sums in (x_sums, y_sums, entries * n_pairs))
        return tuple(total / divisor(n, estimator) for total in products)

    def _between(self, coding):
        """Distances between the levels: of their numeric codes, or of their indicators."""
        if coding == "dummy":
            return np.sqrt(2) * ~np.eye(self.counts.size, dtype=bool)
        return pairwise_distances(self.values.astype(float))


def _is_missing(value):
    """None, NaN, NaT or pandas' NA (which answers a comparison with itself rather than a truth value)."""
    equal = value == value
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


def _confounder(c, coding):
    """Levels of the confounder: any labels for dummy coding, finite numbers for numeric coding."""
    c = np.asarray(c)
    if c.ndim != 1:
        raise ValueError(f"c must be one-dimensional, got shape {c.shape}")
    values = [] if c.dtype.kind in "biu" else c.tolist()  # whole numbers cannot be missing
    missing = [row for row, value in enumerate(values) if _is_missing(value)]
    if missing:
        raise ValueError(f"c has {len(missing)} missing values, the first at row {missing[0]}")
    if coding == "numeric" and not (c.dtype.kind in "biuf" and np.isfinite(c).all()):
        raise ValueError(f"numeric coding needs finite numbers in c, got dtype {c.dtype}; labels need coding='dummy'")
    levels = Levels.of(c)
    if levels.counts.size < 2:
        raise ValueError(f"c needs at least two levels, got {levels.values.tolist()}")
    return levels


def checked(x, y, c, *, coding="dummy", minimum=3):
    """Valid x, y and levels of c."""
    one_of(coding, CODINGS, "coding")
    x, y = numeric_vector(x, "x"), numeric_vector(y, "y")
    same_length(minimum=minimum, x=x, y=y, c=np.atleast_1d(np.asarray(c)))
    return x, y, _confounder(c, coding)


def checked_distance(x, y, c, *, coding="dummy", estimator="U"):
    """As `checked`; the U-statistics divide by n - 3."""
    one_of(estimator, ESTIMATORS, "estimator")
    return checked(x, y, c, coding=coding, minimum=4)


def checked_pair(x, y, *, estimator):
    """Valid x and y for a distance statistic."""
    one_of(estimator, ESTIMATORS, "estimator")
    x, y = numeric_vector(x, "x"), numeric_vector(y, "y")
    same_length(minimum=4, x=x, y=y)
    return x, y
