"""Association of two variables given a categorical confounder, and its exact mean under restricted permutation.

The mean of the correlation over all permutations of y within the levels of c has a closed form, so no permutations are
drawn. Theorem 1 of the paper relates it to the partial correlation (`permconf.theory.theorems`). x and y are vectors of
numbers, c of levels.
"""

import numpy as np

from permconf.data.levels import Levels


def positive(value, message, *, scale=1.0):
    """`value`; raises ValueError if it is zero up to rounding, since a ratio would then be noise."""
    if value <= 1e-24 * scale:
        raise ValueError(message)
    return value


def covariance(x, y):
    return (x - x.mean()) @ (y - y.mean()) / (x.size - 1)


def _correlation_scale(x, y):
    """(Var(X) Var(Y))^(1/2)."""
    return np.sqrt(covariance(x, x) * covariance(y, y))


def _residuals(v, levels, coding):
    """Residuals of the least-squares regression of v on an intercept and the coded confounder."""
    if coding == "dummy":
        return v - levels.fitted(v)
    code = levels.values[levels.codes].astype(float)
    code -= code.mean()
    v = v - v.mean()
    return v - code * (code @ v) / (code @ code)


def conditional_scale(x, y, levels, coding):
    """(Var(X | C) Var(Y | C))^(1/2) of Theorem 1."""
    variances = []
    for name, v in (("x", x), ("y", y)):
        message = f"{name} is determined by c ({coding} coding): its partial correlation is undefined"
        variances.append(positive(residual_covariance(v, v, levels, coding), message, scale=covariance(v, v)))
    return np.sqrt(np.prod(variances))


def residual_covariance(x, y, levels, coding):
    return covariance(_residuals(x, levels, coding), _residuals(y, levels, coding))


def partial_correlation_formula(x, y, c):
    """Conventional sample partial correlation from three pairwise correlations, c numeric (paper, Section 2.2)."""
    xy, xc, yc = np.corrcoef([x, y, c])[[0, 0, 1], [1, 2, 2]]
    determined = "x or y is a linear function of c: the partial correlation is undefined"
    return float((xy - xc * yc) / np.sqrt(positive((1 - xc**2) * (1 - yc**2), determined)))


def partial_correlation_from_null(x, y, c, expected):
    """pCor(X, Y | C) by Theorem 1, from E[Cor(X, Y*)] over restricted permutations, exact or from Monte Carlo."""
    correlation_scale = _correlation_scale(x, y)
    difference = covariance(x, y) / correlation_scale - expected
    return float(difference * correlation_scale / conditional_scale(x, y, Levels.of(c), "dummy"))


def expected_correlation(x, y, c):
    """E[Cor(X, Y*)] over all permutations of y within the levels of c (Theorem 1); permuting does not change Var(Y)."""
    levels = Levels.of(c)
    return float(covariance(levels.fitted(x), levels.fitted(y)) / _correlation_scale(x, y))
