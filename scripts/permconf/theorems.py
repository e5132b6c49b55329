"""Theorems 1 and 2 of the paper (proofs in its Appendix): where they hold, and where they do not.

Both theorems state that a partial association equals the observed association minus its mean over all permutations of
y within the levels of c. That mean has a closed form, so both sides of each equation are computed here without drawing
a single permutation.

- Theorem 1 (covariance, correlation) is an identity whenever the regression on c can reproduce the level means: always
  for two levels and for indicator ("dummy") coding, and only by accident for a numeric code with three or more levels.
- Theorem 2 (distance covariance, distance correlation) is an identity for two levels with the unbiased U-statistics.
  The mean over permutations is a projection onto the centred matrices that are constant over pairs of levels, a space
  of dimension k(k - 1)/2; partialling out c removes one direction of it. The two agree for k = 2 only. The biased
  V-statistics carry a diagonal that the projection treats apart, which costs an error of order 1/n.
"""

from dataclasses import dataclass

import numpy as np

from permconf.association import conditional_scale, covariance, residual_covariance
from permconf.checks import one_of, positive
from permconf.distances import ESTIMATORS, centred, expected_product, pairwise_distances, product
from permconf.levels import checked, checked_distance

ROUNDING = 1e-10
VANISHING_SLOPE = -0.5

_NO_DISTANCE_VARIANCE = "distance variance of x, y or c is zero: the distance correlation is undefined"


@dataclass(frozen=True)
class Sides:
    """Both sides of a theorem's equation: the conventional statistic, and the one made from restricted permutations."""

    conventional: float
    permutation: float

    @property
    def discrepancy(self):
        """Permutation side minus conventional side; zero where the theorem holds."""
        return self.permutation - self.conventional


@dataclass(frozen=True)
class Theorem:
    """A theorem evaluated on one data set: its equation for the covariance and its equation for the correlation."""

    covariance: Sides
    correlation: Sides


# --- The theorems ---


def theorem1(x, y, c, *, coding="dummy"):
    """Both sides of Theorem 1's equations for the partial covariance and the partial correlation."""
    x, y, levels = checked(x, y, c, coding=coding)
    return _theorem1(x, y, levels, coding)


def _theorem1(x, y, levels, coding):
    partial = residual_covariance(x, y, levels, coding)
    direct = covariance(x, y) - covariance(levels.fitted(x), levels.fitted(y))
    scale = conditional_scale(x, y, levels, coding)
    return Theorem(Sides(float(partial), float(direct)), Sides(float(partial / scale), float(direct / scale)))


def theorem2(x, y, c, *, coding="dummy", estimator="U"):
    """Both sides of Theorem 2's equations for the partial distance covariance and the partial distance correlation."""
    x, y, levels = checked_distance(x, y, c, coding=coding, estimator=estimator)
    return _theorem2(DistanceProducts.of(x, y, levels, estimator), levels, coding, estimator)


@dataclass(frozen=True)
class DistanceProducts:
    """What Theorem 2 needs of the centred distance matrices of x and y, whatever the coding of c.

    Their inner products, the mean of the mixed one over restricted permutations, and their sums over pairs of levels.
    """

    xy: float
    xx: float
    yy: float
    expected_xy: float
    x_sums: np.ndarray
    y_sums: np.ndarray

    @classmethod
    def of(cls, x, y, levels, estimator):
        """From checked x, y and levels."""
        A, B = (centred(pairwise_distances(v), estimator) for v in (x, y))
        xy, xx, yy = (product(*pair, estimator) for pair in ((A, B), (A, A), (B, B)))
        expected = expected_product(A, B, levels, estimator)
        return cls(xy, xx, yy, expected, levels.pair_sums(A), levels.pair_sums(B))


def _theorem2(products, levels, coding, estimator):
    xc, yc, cc = levels.distance_products(products.x_sums, products.y_sums, coding, estimator)
    xy, xx, yy = products.xy, *(positive(v, _NO_DISTANCE_VARIANCE) for v in (products.xx, products.yy))
    partial = xy - xc * yc / positive(cc, _NO_DISTANCE_VARIANCE)
    direct = xy - products.expected_xy
    determined = "x or y is determined by c: the partial distance correlation is undefined"
    unexplained = positive((1 - xc**2 / (xx * cc)) * (1 - yc**2 / (yy * cc)), determined)
    scale = np.sqrt(xx * yy * unexplained)
    return Theorem(Sides(float(partial), float(direct)), Sides(float(partial / scale), float(direct / scale)))


# --- Where they hold (figure S2) ---

CONFOUNDERS = {"binary": (2, ("numeric",)), "three levels": (3, ("dummy", "numeric"))}

EFFECTS = {
    "linear": (lambda c: c, lambda y: y),
    "nonlinear": (lambda c: 2 * (c % 2), lambda y: y**2),
}


def simulated(n, *, n_levels, effect, rng):
    """One data set x, y, c: c shifts y and x, and y acts on x directly.

    "linear": level means linear in the code of c, direct effect linear in y. "nonlinear": level means alternate between
    0 and 2 (with two levels that is still linear in the code), direct effect quadratic in y.
    """
    one_of(effect, tuple(EFFECTS), "effect")
    of_c, of_y = EFFECTS[effect]
    c = rng.integers(n_levels, size=n)
    y = of_c(c) + rng.standard_normal(n)
    x = of_c(c) + 0.5 * of_y(y) + rng.standard_normal(n)
    return x, y, c


def theorem_table(*, rng, sizes=(50, 100, 200, 400, 800), replicates=20):
    """Both sides of Theorems 1 and 2 on simulated data, one row per data set, coding of c and statistic (figure S2).

    Columns: confounder (binary, three levels), coding (numeric, dummy), effect (linear, nonlinear), n, replicate,
    theorem (1, 2), statistic (covariance, correlation), estimator (U, V, or empty for Theorem 1), conventional,
    permutation, discrepancy. Every combination of confounder, effect and n has its own random stream, so that more
    replicates, or sizes appended to the list, leave the earlier rows as they are.
    """
    import pandas as pd

    rows = []
    for (confounder, effect), stream in _streams(((k, e) for k in CONFOUNDERS for e in EFFECTS), rng):
        n_levels, codings = CONFOUNDERS[confounder]
        for n, generator in _streams(sizes, stream):
            for replicate in range(replicates):
                x, y, c = simulated(n, n_levels=n_levels, effect=effect, rng=generator)
                about = {"confounder": confounder, "effect": effect, "n": n, "replicate": replicate}
                rows += [about | row for row in _both_theorems(x, y, c, codings)]
    order = ["confounder", "coding", "effect", "n", "replicate", "theorem", "statistic", "estimator"]
    return pd.DataFrame(rows)[[*order, "conventional", "permutation", "discrepancy"]]


def _streams(items, rng):
    items = list(items)
    return zip(items, rng.spawn(len(items)), strict=True)


def _both_theorems(x, y, c, codings):
    """Rows of `theorem_table` for one data set; distance matrices are made once for all codings."""
    x, y, levels = checked(x, y, c, coding="numeric", minimum=4)
    rows = []
    for coding in codings:
        rows += _rows(_theorem1(x, y, levels, coding), coding, theorem=1, estimator="")
    for estimator in ESTIMATORS:
        products = DistanceProducts.of(x, y, levels, estimator)
        for coding in codings:
            rows += _rows(_theorem2(products, levels, coding, estimator), coding, theorem=2, estimator=estimator)
    return rows


def _rows(result, coding, **about):
    for statistic in ("covariance", "correlation"):
        sides = getattr(result, statistic)
        yield {
            **about,
            "coding": coding,
            "statistic": statistic,
            "conventional": sides.conventional,
            "permutation": sides.permutation,
            "discrepancy": sides.discrepancy,
        }


def theorem_decay(table):
    """How the discrepancies of `theorem_table` behave as n grows, one row per confounder, coding, effect and equation.

    `largest` is the largest absolute discrepancy, `slope` that of log median |discrepancy| on log n (-1 for an error of
    order 1/n, 0 for a gap that stays), `verdict` one of exact, vanishing, not vanishing.
    """
    by = ["confounder", "coding", "effect", "theorem", "statistic", "estimator"]
    sizes = table.assign(size=table["discrepancy"].abs())
    medians = sizes.groupby([*by, "n"], sort=False)["size"].median().unstack("n")
    decay = sizes.groupby(by, sort=False)["size"].agg(largest="max")
    decay["slope"] = [_log_slope(row.index, row.to_numpy()) for _, row in medians.loc[decay.index].iterrows()]
    decay["verdict"] = [_verdict(*row) for row in decay[["largest", "slope"]].itertuples(index=False)]
    return decay.reset_index()


def _log_slope(n, size):
    return np.polyfit(np.log(np.asarray(n, float)), np.log(np.maximum(size, np.finfo(float).tiny)), 1)[0]


def _verdict(largest, slope):
    if largest < ROUNDING:
        return "exact"
    return "vanishing" if slope < VANISHING_SLOPE else "not vanishing"
