"""Association of two variables given a categorical confounder (paper, Theorems 1 and 2, proofs in the Appendix).

Both theorems state that a partial association equals the observed association minus its mean over all permutations of
y within the levels of c. That mean has a closed form, so both sides of each equation are computed here without drawing
a single permutation.

- Theorem 1 (covariance, correlation) is an identity whenever the regression on c can reproduce the level means: always
  for two levels and for indicator ("dummy") coding, and only by accident for a numeric code with three or more levels.
- Theorem 2 (distance covariance, distance correlation) is an identity for two levels with the unbiased U-statistics.
  The mean over permutations is a projection onto the centred matrices that are constant over pairs of levels, a space
  of dimension k(k - 1)/2; partialling out c removes one direction of it. The two agree for k = 2 only. The biased
  V-statistics carry a diagonal that the projection treats apart, which costs an error of order 1/n.

Distance statistics are squared throughout, as in Theorem 2. The plain ones come from `dcor`, imported when first
needed: its import compiles for about ten seconds in every process, so the exact expectations, the theorems and the
table work on centred distance matrices of their own (the tests compare the two).
"""

from dataclasses import dataclass

import numpy as np

CODINGS = ("dummy", "numeric")
ESTIMATORS = ("U", "V")

ROUNDING = 1e-10
VANISHING_SLOPE = -0.5


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


@dataclass(frozen=True)
class _Levels:
    """The confounder as sorted level values, the level index of every row, and the rows per level."""

    values: np.ndarray
    codes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, c):
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

    def distances(self, coding):
        """Distance matrix of the design, looked up from the distances between levels."""
        if coding == "dummy":
            between = np.sqrt(2) * ~np.eye(self.counts.size, dtype=bool)
        else:
            between = _distances(self.values.astype(float))
        return between[np.ix_(self.codes, self.codes)]

    def pair_sums(self, A):
        """Sum of A over the rows and columns of each pair of levels."""
        indicator = self.design("dummy")
        return indicator.T @ A @ indicator


# --- Validation ---


def _vector(v, name):
    """A finite, varying, one-dimensional float array, or a ValueError that says what is wrong."""
    v = np.asarray(v)
    if v.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {v.shape}")
    if v.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numeric, got dtype {v.dtype}")
    v = v.astype(float)
    bad = np.flatnonzero(~np.isfinite(v))
    if bad.size:
        raise ValueError(f"{name} has {bad.size} values that are not finite, the first is {v[bad[0]]} at row {bad[0]}")
    if v.size and v.min() == v.max():
        raise ValueError(f"{name} is constant: every value is {v[0]}")
    return v


def _same_length(*, minimum, **vectors):
    lengths = {name: len(v) for name, v in vectors.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError("lengths differ: " + ", ".join(f"{name} has {n}" for name, n in lengths.items()))
    if min(lengths.values()) < minimum:
        raise ValueError(f"at least {minimum} rows are needed, got {min(lengths.values())}")


def _is_missing(value):
    """None, NaN, NaT or pandas' NA (which answers a comparison with itself rather than a truth value)."""
    equal = value == value
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


def _confounder(c, coding):
    """Levels of the confounder: any labels for dummy coding, finite numbers for numeric coding."""
    c = np.asarray(c)
    if c.ndim != 1:
        raise ValueError(f"c must be one-dimensional, got shape {c.shape}")
    missing = [row for row, value in enumerate(c.tolist()) if _is_missing(value)]
    if missing:
        raise ValueError(f"c has {len(missing)} missing values, the first at row {missing[0]}")
    if coding == "numeric" and not (c.dtype.kind in "biuf" and np.isfinite(c).all()):
        raise ValueError(f"numeric coding needs finite numbers in c, got dtype {c.dtype}; labels need coding='dummy'")
    levels = _Levels.of(c)
    if levels.counts.size < 2:
        raise ValueError(f"c needs at least two levels, got {levels.values.tolist()}")
    return levels


def _one_of(value, choices, name):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def _checked(x, y, c, *, coding="dummy", minimum=3):
    """Valid x, y and levels of c."""
    _one_of(coding, CODINGS, "coding")
    x, y = _vector(x, "x"), _vector(y, "y")
    _same_length(minimum=minimum, x=x, y=y, c=np.atleast_1d(np.asarray(c)))
    return x, y, _confounder(c, coding)


def _checked_distance(x, y, c, *, coding="dummy", estimator="U"):
    """As `_checked`; the U-statistics divide by n - 3."""
    _one_of(estimator, ESTIMATORS, "estimator")
    return _checked(x, y, c, coding=coding, minimum=4)


def _positive(value, message, *, scale=1.0):
    """`value`, or a ValueError where it is zero up to rounding and a ratio would be noise."""
    if value <= 1e-24 * scale:
        raise ValueError(message)
    return value


# --- Covariance and correlation ---


def _covariance(x, y):
    return (x - x.mean()) @ (y - y.mean()) / (x.size - 1)


def _correlation_scale(x, y):
    return np.sqrt(_covariance(x, x) * _covariance(y, y))


def _residuals(v, levels, coding):
    """Residuals of the least-squares regression of v on an intercept and the coded confounder."""
    if coding == "dummy":
        return v - levels.fitted(v)
    code = levels.values[levels.codes].astype(float)
    code -= code.mean()
    centred = v - v.mean()
    return centred - code * (code @ centred) / (code @ code)


def _conditional_variance(v, levels, coding, name):
    """Var(V | C) of Theorem 1."""
    residuals = _residuals(v, levels, coding)
    variance = _covariance(residuals, residuals)
    message = f"{name} is determined by c ({coding} coding): its partial correlation is undefined"
    return _positive(variance, message, scale=_covariance(v, v))


def _conditional_scale(x, y, levels, coding):
    variances = (_conditional_variance(v, levels, coding, name) for v, name in ((x, "x"), (y, "y")))
    return np.sqrt(np.prod(list(variances)))


def _partial_covariance(x, y, levels, coding):
    return _covariance(_residuals(x, levels, coding), _residuals(y, levels, coding))


def partial_covariance(x, y, c, *, coding="dummy"):
    """pCov(X, Y | C): covariance of the residuals of x and y after least-squares regression on c (divisor n - 1)."""
    x, y, levels = _checked(x, y, c, coding=coding)
    return float(_partial_covariance(x, y, levels, coding))


def partial_correlation(x, y, c, *, coding="dummy"):
    """pCor(X, Y | C): correlation of the residuals of x and y after least-squares regression on c."""
    x, y, levels = _checked(x, y, c, coding=coding)
    return float(_partial_covariance(x, y, levels, coding) / _conditional_scale(x, y, levels, coding))


def partial_correlation_formula(x, y, c):
    """Conventional sample partial correlation from three pairwise correlations, c numeric (paper, Section 2.2)."""
    x, y, levels = _checked(x, y, c, coding="numeric")
    code = levels.design("numeric")[:, 0]
    xy, xc, yc = np.corrcoef([x, y, code])[[0, 0, 1], [1, 2, 2]]
    determined = "x or y is a linear function of c: the partial correlation is undefined"
    return float((xy - xc * yc) / np.sqrt(_positive((1 - xc**2) * (1 - yc**2), determined)))


# --- Distance covariance and correlation, from dcor ---


def distance_covariance(x, y, *, estimator="U"):
    """dCov(X, Y)^2: unbiased U-statistic (can be negative) or classical V-statistic."""
    x, y = _checked_pair(x, y, estimator)
    import dcor

    squared = dcor.u_distance_covariance_sqr if estimator == "U" else dcor.distance_covariance_sqr
    return float(squared(x, y))


def distance_correlation(x, y, *, estimator="U"):
    """dCor(X, Y)^2: bias-corrected U-statistic (can be negative) or classical V-statistic."""
    x, y = _checked_pair(x, y, estimator)
    import dcor

    squared = dcor.u_distance_correlation_sqr if estimator == "U" else dcor.distance_correlation_sqr
    return float(squared(x, y))


def partial_distance_covariance(x, y, c, *, coding="dummy", estimator="U"):
    """pdCov(X, Y | C) (proof of Theorem 2, first equation); "V" puts the classical statistics into the same formula."""
    x, y, levels = _checked_distance(x, y, c, coding=coding, estimator=estimator)
    import dcor

    z = levels.design(coding)
    if estimator == "U":
        return float(dcor.partial_distance_covariance(x, y, z))
    squared = dcor.distance_covariance_sqr
    return float(squared(x, y) - squared(x, z) * squared(y, z) / squared(z, z))


def partial_distance_correlation(x, y, c, *, coding="dummy", estimator="U"):
    """pdCor(X, Y | C) (proof of Theorem 2, last equation); "V" puts the classical statistics into the same formula."""
    x, y, levels = _checked_distance(x, y, c, coding=coding, estimator=estimator)
    import dcor

    z = levels.design(coding)
    if estimator == "U":
        return float(dcor.partial_distance_correlation(x, y, z))
    xy, xz, yz = (dcor.distance_correlation_sqr(*pair) for pair in ((x, y), (x, z), (y, z)))
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def _checked_pair(x, y, estimator):
    _one_of(estimator, ESTIMATORS, "estimator")
    x, y = _vector(x, "x"), _vector(y, "y")
    _same_length(minimum=4, x=x, y=y)
    return x, y


# --- Exact moments under restricted permutation ---


def expected_covariance(x, y, c):
    """E[Cov(X, Y*)] over all permutations of y within the levels of c: covariance of the level means (Theorem 1)."""
    x, y, levels = _checked(x, y, c)
    return float(_covariance(levels.fitted(x), levels.fitted(y)))


def expected_correlation(x, y, c):
    """E[Cor(X, Y*)] over all permutations of y within the levels of c (Theorem 1); shuffling leaves Var(Y) alone."""
    x, y, levels = _checked(x, y, c)
    return float(_covariance(levels.fitted(x), levels.fitted(y)) / _correlation_scale(x, y))


def restricted_correlation_sd(x, y, c):
    """Exact sd of Cor(X, Y*) over all permutations of y within the levels of c; the standard null has 1/sqrt(n - 1)."""
    x, y, levels = _checked(x, y, c)
    ss_x, ss_y = (levels.sums(_residuals(v, levels, "dummy") ** 2) for v in (x, y))
    variance = np.sum(ss_x * ss_y / np.maximum(levels.counts - 1, 1)) / (x.size - 1) ** 2
    return float(np.sqrt(variance) / _correlation_scale(x, y))


def expected_distance_covariance(x, y, c, *, estimator="U"):
    """E[dCov(X, Y*)^2] over all permutations of y within the levels of c (Theorem 2)."""
    x, y, levels = _checked_distance(x, y, c, estimator=estimator)
    A, B = (_centred(_distances(v), estimator) for v in (x, y))
    return float(_expected_product(A, B, levels, estimator))


def expected_distance_correlation(x, y, c, *, estimator="U"):
    """E[dCor(X, Y*)^2] over all permutations of y within the levels of c (Theorem 2)."""
    x, y, levels = _checked_distance(x, y, c, estimator=estimator)
    A, B = (_centred(_distances(v), estimator) for v in (x, y))
    return float(_expected_product(A, B, levels, estimator) / _distance_scale(A, B, estimator))


def _distances(v):
    return np.abs(np.subtract.outer(v, v))


def _centred(D, estimator):
    """Doubly centred distance matrix ("V"), or its unbiased version with an empty diagonal ("U")."""
    n = len(D)
    row_sums = D.sum(axis=1)
    if estimator == "V":
        row, grand = row_sums / n, row_sums.sum() / n**2
    else:
        row, grand = row_sums / (n - 2), row_sums.sum() / ((n - 1) * (n - 2))
    A = D - row
    A -= row[:, None] - grand
    if estimator == "U":
        np.fill_diagonal(A, 0)
    return A


def _divisor(n, estimator):
    return n * (n - 3) if estimator == "U" else n * n


def _product(A, B, estimator):
    """Squared distance covariance as the scaled inner product of two centred matrices."""
    return np.vdot(A, B) / _divisor(len(A), estimator)


def _distance_scale(A, B, estimator):
    """dVar(X) dVar(Y), the denominator of a squared distance correlation."""
    scale = np.sqrt(_product(A, A, estimator) * _product(B, B, estimator))
    return _positive(scale, "distance variance of x, y or c is zero: the distance correlation is undefined")


def _expected_product(A, B, levels, estimator):
    """Mean of sum_ij A_ij B_{pi(i) pi(j)} over permutations pi within levels, scaled as `_product`.

    A permutation sends a row of level l to any row of l, and an ordered pair of distinct rows of levels (l, m) to any
    such pair, all equally often. So each diagonal entry of B is replaced by its mean over the level, each other entry
    by its mean over the distinct pairs of its two levels, and only sums over levels and pairs of levels are left.
    """
    diagonal_a, diagonal_b = (levels.sums(np.diagonal(M)) for M in (A, B))
    pair_a = levels.pair_sums(A) - np.diag(diagonal_a)
    pair_b = levels.pair_sums(B) - np.diag(diagonal_b)
    n_pairs = np.outer(levels.counts, levels.counts) - np.diag(levels.counts)
    alone = n_pairs == 0  # a level of one row has no pair of distinct rows, and its sums are zero
    total = np.sum(diagonal_a * diagonal_b / levels.counts) + np.sum(pair_a * pair_b / (n_pairs + alone))
    return total / _divisor(len(A), estimator)


# --- The theorems ---


def theorem1(x, y, c, *, coding="dummy"):
    """Both sides of Theorem 1's equations for the partial covariance and the partial correlation."""
    x, y, levels = _checked(x, y, c, coding=coding)
    return _theorem1(x, y, levels, coding)


def _theorem1(x, y, levels, coding):
    partial = _partial_covariance(x, y, levels, coding)
    direct = _covariance(x, y) - _covariance(levels.fitted(x), levels.fitted(y))
    scale = _conditional_scale(x, y, levels, coding)
    return Theorem(Sides(float(partial), float(direct)), Sides(float(partial / scale), float(direct / scale)))


def theorem2(x, y, c, *, coding="dummy", estimator="U"):
    """Both sides of Theorem 2's equations for the partial distance covariance and the partial distance correlation."""
    x, y, levels = _checked_distance(x, y, c, coding=coding, estimator=estimator)
    A, B, C = (_centred(D, estimator) for D in (_distances(x), _distances(y), levels.distances(coding)))
    return _theorem2(A, B, C, levels, estimator)


def _theorem2(A, B, C, levels, estimator):
    xy, xc, yc, cc = (_product(*pair, estimator) for pair in ((A, B), (A, C), (B, C), (C, C)))
    partial = xy - xc * yc / _positive(cc, "distance variance of c is zero")
    direct = xy - _expected_product(A, B, levels, estimator)
    r_xc, r_yc = xc / _distance_scale(A, C, estimator), yc / _distance_scale(B, C, estimator)
    determined = "x or y is determined by c: the partial distance correlation is undefined"
    shrinkage = np.sqrt(_positive((1 - r_xc**2) * (1 - r_yc**2), determined))
    scale = _distance_scale(A, B, estimator) * shrinkage
    return Theorem(Sides(float(partial), float(direct)), Sides(float(partial / scale), float(direct / scale)))


# --- Where the theorems hold (figure S2) ---

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
    _one_of(effect, tuple(EFFECTS), "effect")
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
    x, y, levels = _checked(x, y, c, coding="numeric", minimum=4)
    rows = []
    for coding in codings:
        rows += _rows(_theorem1(x, y, levels, coding), coding, theorem=1, estimator="")
    for estimator in ESTIMATORS:
        A, B = (_centred(_distances(v), estimator) for v in (x, y))
        for coding in codings:
            C = _centred(levels.distances(coding), estimator)
            rows += _rows(_theorem2(A, B, C, levels, estimator), coding, theorem=2, estimator=estimator)
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
