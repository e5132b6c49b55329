"""Theorems 1 and 2 of the paper (proofs in its Appendix): where they hold, and where they do not.

Both theorems state that a partial association equals the observed association minus its mean over all permutations of
y within the levels of c. That mean has a closed form, so both sides of each equation are computed here without drawing
permutations.

- Theorem 1 (covariance, correlation) is an identity whenever the regression on c reproduces the level means: always for
  two levels and for indicator ("dummy") coding, and only by coincidence for a numeric code with three or more levels.
- Theorem 2 (distance covariance, distance correlation) is an identity for two levels with the unbiased U-statistics.
  The mean over permutations is a projection onto the centred matrices that are constant over pairs of levels, a space
  of dimension k(k - 1)/2; partialling out c removes one direction of it. The two agree for k = 2 only. The biased
  V-statistics include the diagonal, which the projection averages separately: an error of order 1/n.
"""

from dataclasses import dataclass

import numpy as np

from permconf.data.levels import Levels
from permconf.theory.distances import centred, confounder_products, expected_product, pairwise_distances, product
from permconf.theory.partial_association import conditional_scale, covariance, positive, residual_covariance

ESTIMATORS = ("U", "V")
_NO_DISTANCE_VARIANCE = "distance variance of x, y or c is zero: the distance correlation is undefined"
_DETERMINED = "x or y is determined by c: the partial distance correlation is undefined"


@dataclass(frozen=True)
class Sides:
    """Both sides of a theorem's equation: the conventional statistic, and the one from restricted permutations."""

    conventional: float
    permutation: float

    @property
    def discrepancy(self):
        """Permutation side minus conventional side; zero where the theorem holds."""
        return self.permutation - self.conventional


@dataclass(frozen=True)
class Theorem:
    """A theorem evaluated on one data set: its equations for the covariance and for the correlation."""

    covariance: Sides
    correlation: Sides


def theorem1(x, y, c, *, coding="dummy"):
    """Both sides of Theorem 1's equations for the partial covariance and the partial correlation."""
    levels = Levels.of(c)
    partial = residual_covariance(x, y, levels, coding)
    direct = covariance(x, y) - covariance(levels.fitted(x), levels.fitted(y))
    return _theorem(partial, direct, conditional_scale(x, y, levels, coding))


def theorem2(x, y, c, *, coding="dummy", estimator="U"):
    """Both sides of Theorem 2's equations for the partial distance covariance and the partial distance correlation."""
    levels = Levels.of(c)
    A, B = (centred(pairwise_distances(v), estimator) for v in (x, y))
    xy, xx, yy = (product(*pair, estimator) for pair in ((A, B), (A, A), (B, B)))
    xc, yc, cc = confounder_products(levels, levels.pair_sums(A), levels.pair_sums(B), coding, estimator)
    xx, yy, cc = (positive(variance, _NO_DISTANCE_VARIANCE) for variance in (xx, yy, cc))
    partial = xy - xc * yc / cc
    direct = xy - expected_product(A, B, levels, estimator)
    unexplained = positive((1 - xc**2 / (xx * cc)) * (1 - yc**2 / (yy * cc)), _DETERMINED)
    return _theorem(partial, direct, np.sqrt(xx * yy * unexplained))


def _theorem(partial, direct, scale):
    return Theorem(Sides(float(partial), float(direct)), Sides(float(partial / scale), float(direct / scale)))
