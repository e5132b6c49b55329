"""Association of two variables given a categorical confounder, and its exact moments under restricted permutation.

Partial covariance and correlation, their distance versions (squared throughout, as in Theorem 2), and the mean of each
plain measure over all permutations of y within the levels of c, in closed form: no permutation is drawn. Theorems 1 and
2 of the paper tie the two together (`permconf.method.theorems`).

The plain distance statistics come from `dcor`, imported when first needed: its import compiles for about ten seconds in
every process, so the exact expectations work on centred distance matrices of their own (the tests compare the two).
"""

import numpy as np

from permconf.method.distances import centred, distance_scale, expected_product, pairwise_distances
from permconf.method.validation import checked, checked_distance, checked_pair, positive

# --- Covariance and correlation, of checked input ---


def covariance(x, y):
    """Sample covariance, divisor n - 1."""
    return (x - x.mean()) @ (y - y.mean()) / (x.size - 1)


def _correlation_scale(x, y):
    """(Var(X) Var(Y))^(1/2)."""
    return np.sqrt(covariance(x, x) * covariance(y, y))


def residuals(v, levels, coding):
    """Residuals of the least-squares regression of v on an intercept and the coded confounder."""
    if coding == "dummy":
        return v - levels.fitted(v)
    code = levels.values[levels.codes].astype(float)
    code -= code.mean()
    v = v - v.mean()
    return v - code * (code @ v) / (code @ code)


def _conditional_variance(v, levels, coding, name):
    """Var(V | C) of Theorem 1."""
    unexplained = residuals(v, levels, coding)
    message = f"{name} is determined by c ({coding} coding): its partial correlation is undefined"
    return positive(covariance(unexplained, unexplained), message, scale=covariance(v, v))


def conditional_scale(x, y, levels, coding):
    """(Var(X | C) Var(Y | C))^(1/2) of Theorem 1."""
    variances = (_conditional_variance(v, levels, coding, name) for v, name in ((x, "x"), (y, "y")))
    return np.sqrt(np.prod(list(variances)))


def residual_covariance(x, y, levels, coding):
    """Covariance of the residuals of x and y."""
    return covariance(residuals(x, levels, coding), residuals(y, levels, coding))


# --- Partial covariance and correlation ---


def partial_covariance(x, y, c, *, coding="dummy"):
    """pCov(X, Y | C): covariance of the residuals of x and y after least-squares regression on c (divisor n - 1)."""
    x, y, levels = checked(x, y, c, coding=coding)
    return float(residual_covariance(x, y, levels, coding))


def partial_correlation(x, y, c, *, coding="dummy"):
    """pCor(X, Y | C): correlation of the residuals of x and y after least-squares regression on c."""
    x, y, levels = checked(x, y, c, coding=coding)
    return float(residual_covariance(x, y, levels, coding) / conditional_scale(x, y, levels, coding))


def partial_correlation_formula(x, y, c):
    """Conventional sample partial correlation from three pairwise correlations, c numeric (paper, Section 2.2)."""
    x, y, levels = checked(x, y, c, coding="numeric")
    code = levels.design("numeric")[:, 0]
    xy, xc, yc = np.corrcoef([x, y, code])[[0, 0, 1], [1, 2, 2]]
    determined = "x or y is a linear function of c: the partial correlation is undefined"
    return float((xy - xc * yc) / np.sqrt(positive((1 - xc**2) * (1 - yc**2), determined)))


def partial_correlation_from_null(x, y, c, expected):
    """pCor(X, Y | C) by Theorem 1, from E[Cor(X, Y*)] over restricted permutations, exact or from Monte Carlo."""
    x, y, levels = checked(x, y, c)
    correlation_scale = _correlation_scale(x, y)
    difference = covariance(x, y) / correlation_scale - expected
    return float(difference * correlation_scale / conditional_scale(x, y, levels, "dummy"))


# --- Distance covariance and correlation, from dcor ---


def distance_covariance(x, y, *, estimator="U"):
    """dCov(X, Y)^2: unbiased U-statistic (can be negative) or classical V-statistic."""
    x, y = checked_pair(x, y, estimator=estimator)
    import dcor

    squared = dcor.u_distance_covariance_sqr if estimator == "U" else dcor.distance_covariance_sqr
    return float(squared(x, y))


def distance_correlation(x, y, *, estimator="U"):
    """dCor(X, Y)^2: bias-corrected U-statistic (can be negative) or classical V-statistic."""
    x, y = checked_pair(x, y, estimator=estimator)
    import dcor

    squared = dcor.u_distance_correlation_sqr if estimator == "U" else dcor.distance_correlation_sqr
    return float(squared(x, y))


def partial_distance_covariance(x, y, c, *, coding="dummy", estimator="U"):
    """pdCov(X, Y | C) (proof of Theorem 2, first equation); "V" puts the classical statistics into the same formula."""
    x, y, levels = checked_distance(x, y, c, coding=coding, estimator=estimator)
    import dcor

    z = levels.design(coding)
    if estimator == "U":
        return float(dcor.partial_distance_covariance(x, y, z))
    squared = dcor.distance_covariance_sqr
    return float(squared(x, y) - squared(x, z) * squared(y, z) / squared(z, z))


def partial_distance_correlation(x, y, c, *, coding="dummy", estimator="U"):
    """pdCor(X, Y | C) (proof of Theorem 2, last equation); "V" puts the classical statistics into the same formula."""
    x, y, levels = checked_distance(x, y, c, coding=coding, estimator=estimator)
    import dcor

    z = levels.design(coding)
    if estimator == "U":
        return float(dcor.partial_distance_correlation(x, y, z))
    xy, xz, yz = (dcor.distance_correlation_sqr(*pair) for pair in ((x, y), (x, z), (y, z)))
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


# --- Exact moments under restricted permutation ---


def expected_covariance(x, y, c):
    """E[Cov(X, Y*)] over all permutations of y within the levels of c: covariance of the level means (Theorem 1)."""
    x, y, levels = checked(x, y, c)
    return float(covariance(levels.fitted(x), levels.fitted(y)))


def expected_correlation(x, y, c):
    """E[Cor(X, Y*)] over all permutations of y within the levels of c (Theorem 1); shuffling leaves Var(Y) alone."""
    x, y, levels = checked(x, y, c)
    return float(covariance(levels.fitted(x), levels.fitted(y)) / _correlation_scale(x, y))


def restricted_correlation_sd(x, y, c):
    """Exact sd of Cor(X, Y*) over all permutations of y within the levels of c; the standard null has 1/sqrt(n - 1)."""
    x, y, levels = checked(x, y, c)
    ss_x, ss_y = (levels.sums(residuals(v, levels, "dummy") ** 2) for v in (x, y))
    variance = np.sum(ss_x * ss_y / np.maximum(levels.counts - 1, 1)) / (x.size - 1) ** 2
    return float(np.sqrt(variance) / _correlation_scale(x, y))


def expected_distance_covariance(x, y, c, *, estimator="U"):
    """E[dCov(X, Y*)^2] over all permutations of y within the levels of c (Theorem 2)."""
    x, y, levels = checked_distance(x, y, c, estimator=estimator)
    A, B = (centred(pairwise_distances(v), estimator) for v in (x, y))
    return float(expected_product(A, B, levels, estimator))


def expected_distance_correlation(x, y, c, *, estimator="U"):
    """E[dCor(X, Y*)^2] over all permutations of y within the levels of c (Theorem 2)."""
    x, y, levels = checked_distance(x, y, c, estimator=estimator)
    A, B = (centred(pairwise_distances(v), estimator) for v in (x, y))
    return float(expected_product(A, B, levels, estimator) / distance_scale(A, B, estimator))
