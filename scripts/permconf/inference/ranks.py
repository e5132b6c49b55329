"""Linear statistics within strata, and their exact covariance under permutations.

Scores A (n, q) and a confounder coded as columns C (n, k) give T = A' C. The rows of C are permuted within strata. The
permutation covariance of T is in closed form (Strasser and Weber 1999): V = sum_h (A_h' A_h) x (C_h' C_h) / (n_h - 1),
where x is the Kronecker product and columns are centred in stratum h. Q = T' V^- T has as many degrees of freedom as V
has rank (z^2 where T is one number). To compare forms of different kinds, Q is standardised to
-log P(chi-squared >= Q).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import gammaincc, gammaln, log_ndtr

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.engine.blas_threads import one_blas_thread
from permconf.permute.units import Coded

_ZERO = 1e-12  # deviations from a mean that are smaller, relatively, are rounding
_RANK = 1e-8  # eigenvalues of a correlation matrix below this are zero


# ---- scores and coding -----------------------------------------------------------------------------------------------


def midranks(v, levels):
    """Rank of every value within its level, from 1; tied values share the mean of their ranks."""
    order = np.lexsort((v, levels.codes))
    v, codes = v[order], levels.codes[order]
    first = np.flatnonzero(np.r_[True, (v[1:] != v[:-1]) | (codes[1:] != codes[:-1])])
    size = np.diff(np.r_[first, v.size])
    ranks = np.empty(v.size)
    ranks[order] = np.repeat(first + (size + 1) / 2, size) - levels.starts[codes]
    return ranks


def normalised_ranks(v, levels):
    """Centred midranks within levels, divided by n_h + 1, so that all rows count alike (van Elteren 1960)."""
    return midranks(v, levels) / (levels.counts[levels.codes] + 1) - 0.5


def coded(column: Confounder, levels: Levels) -> Coded:
    """Columns of a confounder: its ranks within `levels` if it is numeric, else indicators of all levels but one."""
    if column.kind == "numeric":
        return Coded(normalised_ranks(column.values, levels)[:, None])
    return Coded(indicators(column.values), column.values)


def indicators(codes):
    """A column for each code 1, 2, ...; the rows with code 0 are zero in all."""
    return (codes[:, None] == np.arange(1, codes.max() + 1)).astype(float)


# ---- the statistic ---------------------------------------------------------------------------------------------------


def centred(columns, levels):
    """Columns minus their means within levels; what rounding leaves of a column that is constant there is zero."""
    residuals = columns - np.stack([levels.fitted(column) for column in columns.T], axis=1)
    return np.where(np.abs(residuals) > _ZERO * np.max(np.abs(columns), axis=0), residuals, 0.0)


def permutation_covariance(A, C, levels):
    """Covariance of the entries of A' C*, row by row, for columns centred within levels."""
    q, k = A.shape[1], C.shape[1]
    V = np.zeros((q, q, k, k))
    A, C = A[levels.order], C[levels.order]
    for first, last in pairwise(levels.starts):
        if last - first > 1:
            a, c = A[first:last], C[first:last]
            V += np.multiply.outer(a.T @ a, c.T @ c / (last - first - 1))
    return V.transpose(0, 2, 1, 3).reshape(q * k, q * k)


@dataclass(frozen=True)
class QuadraticForm:
    """T' V^- T as the squared length of T W; `df`, the number of columns of W, is the rank of V."""

    W: np.ndarray

    @classmethod
    def of(cls, V):
        """The form of this covariance; coordinates that permutations do not change are left out."""
        sd = np.sqrt(np.diag(V))
        moving = sd > 0
        sd = sd[moving]
        values, vectors = np.linalg.eigh(V[np.ix_(moving, moving)] / np.outer(sd, sd))
        kept = values > _RANK
        W = np.zeros((len(V), int(kept.sum())))
        W[moving] = vectors[:, kept] / np.sqrt(values[kept]) / sd[:, None]
        return cls(W)

    @property
    def df(self):
        return self.W.shape[1]

    @property
    def is_scalar(self):
        """Whether T is one number, so that T W is its z."""
        return self.W.shape == (1, 1)

    def z(self, T):
        """z of a T that is one number: T divided by its standard deviation."""
        return T[:, 0] * abs(self.W[0, 0])

    def standardised(self, T, direction=None):
        """-log P(chi-squared with df degrees >= Q) for each line of T, or the z in this direction (+1 or -1)."""
        if direction is not None:
            return direction * self.z(T)
        return -log_chi2_tail(np.sum((T @ self.W) ** 2, axis=1), self.df)


def statistic(A, C, levels):
    """T = A' C as a line, for columns of rows within levels, and its quadratic form."""
    A, C = centred(A, levels), centred(C, levels)
    with one_blas_thread():
        return (A.T @ C).reshape(1, -1), QuadraticForm.of(permutation_covariance(A, C, levels))


def log_chi2_tail(Q, df):
    """log P(chi-squared with df degrees of freedom >= Q), also where the probability itself is too small a number."""
    Q = np.asarray(Q, float)
    if df == 1:
        return np.minimum(np.log(2) + log_ndtr(-np.sqrt(Q)), 0.0)
    if df == 2:
        return -Q / 2
    tail = gammaincc(df / 2, Q / 2)
    far = tail < 1e-290
    logs = np.log(np.where(far, 1.0, tail))
    logs[far] = _log_far_tail(df / 2, Q[far] / 2)
    return logs


def _log_far_tail(a, x):
    """Logarithm of the regularised incomplete gamma function Q(a, x), x well above a, by its asymptotic series."""
    term, series = np.ones_like(x), np.ones_like(x)
    for j in range(1, 200):
        term = term * (a - j) / x
        series = series + term
    return (a - 1) * np.log(x) - x - gammaln(a) + np.log(series)
