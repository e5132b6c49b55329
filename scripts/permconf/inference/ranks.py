"""Permutation tests of several confounders at once, by linear statistics within strata.

Scores A (n, q) and a confounder coded as columns C (n, k) give T = A' C. The rows of C are permuted within strata, for
all confounders together (the same key is the same permutation of rows), so their association with each other and with
the strata stays as it is. The permutation covariance of T is exact and in closed form (Strasser and Weber 1999):
V = sum_h (A_h' A_h) x (C_h' C_h) / (n_h - 1), where x is the Kronecker product and columns are centred in stratum h.

A confounder's statistic is Q = T' V^- T with as many degrees of freedom as V has rank (z^2 where T is one number). To
compare confounders of different kinds, Q is standardised to -log P(chi-squared >= Q). The joint p-value is that of the
largest standardised statistic, and p-values of single confounders are adjusted by the step-down maxT procedure
(Westfall and Young 1993, Algorithm 4.1).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import gammaincc, gammaln, log_ndtr

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.engine.blas_threads import one_blas_thread
from permconf.permute.level_sums import shuffled_level_sums
from permconf.permute.shuffled_products import shuffled_products
from permconf.permute.units import Coded

LARGEST_FORM = 4_000  # entries of T, whose covariance takes their square of memory and their cube of time
_TIE = 1e-9  # statistics that differ by less, relatively, differ by rounding
_ZERO = 1e-12  # deviations from a mean that are smaller, relatively, are rounding
_RANK = 1e-8  # eigenvalues of a correlation matrix below this are zero
_MOST_PRODUCTS = 2e9  # beyond this many multiplications, about two seconds, a normal approximation is drawn from
_FEWEST_ROWS = 10_000  # below this many rows, permutations are drawn whatever it takes
_EFFECTIVE_ROWS = 100  # rows behind T, discounted for outlying values, that justify the approximation


@dataclass(frozen=True)
class JointTest:
    """Results by confounder: standardised statistic, z (NaN if T is not one number), degrees of freedom, and p-values.

    `p` is adjusted for the other confounders, `single_p` is not. The smallest adjusted p-value is the joint one.
    """

    statistic: np.ndarray
    z: np.ndarray
    df: np.ndarray
    p: np.ndarray
    single_p: np.ndarray
    method: str

    @property
    def leading(self):
        """The confounder with the smallest adjusted p-value, among several the one with the largest statistic."""
        return int(np.lexsort((-self.statistic, self.p))[0])


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
        """Rank of V."""
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


# ---- the test --------------------------------------------------------------------------------------------------------


def joint_test(
    A: np.ndarray,
    confounders: list[Coded],
    strata: Levels,
    keys: np.ndarray,
    *,
    directions: np.ndarray | None = None,
) -> JointTest:
    """Test each confounder, and all of them together, by permuting their rows within strata, once for every key.

    With `directions` (+1 or -1 for each confounder; scalar statistics only) the test is one-sided. A confounder for
    which T cannot change has statistic 0 and p-value 1.
    """
    if strata.counts.max() < 2:
        raise ValueError("nothing can be permuted: every stratum has a single row")
    check_size(A.shape[1], [confounder.columns.shape[1] for confounder in confounders])
    A, confounders, strata = _in_canonical_order(A, confounders, strata)
    with one_blas_thread():
        return _joint_test(A, confounders, strata, keys, directions)


def _joint_test(A, confounders, strata, keys, directions):
    A, C = centred(A, strata), [centred(confounder.columns, strata) for confounder in confounders]
    forms = [QuadraticForm.of(permutation_covariance(A, c, strata)) for c in C]
    moving = [j for j, form in enumerate(forms) if form.df and (directions is None or directions[j])]
    varying = [Coded(C[j], confounders[j].codes) for j in moving]
    approximate = bool(moving) and _is_normal(A, varying, len(keys))
    drawn = (_normal_draws if approximate else _permutation_draws)(A, varying, strata, keys)
    observed, draws = np.zeros(len(C)), np.zeros((len(keys), len(C)))
    z = np.full(len(C), np.nan)
    for j, T in zip(moving, drawn, strict=True):
        T_observed, direction = (A.T @ C[j]).reshape(1, -1), None if directions is None else directions[j]
        observed[j] = forms[j].standardised(T_observed, direction)[0]
        draws[:, j] = forms[j].standardised(T, direction)
        if forms[j].is_scalar:
            z[j] = forms[j].z(T_observed)[0]
    single_p, p = np.ones(len(C)), np.ones(len(C))
    single_p[moving] = permutation_ps(observed[moving], draws[:, moving])
    p[moving] = step_down_ps(observed[moving], draws[:, moving])
    method = "normal approximation" if approximate else "permutation"
    return JointTest(observed, z, np.array([form.df for form in forms]), p, single_p, method)


def check_size(scores, columns):
    """Raise ValueError for confounders with too many columns, given as many columns of scores."""
    if scores * max(columns) > LARGEST_FORM:
        raise ValueError(
            f"a confounder has {max(columns) + 1:,} levels, too many for a joint test; give broader categories"
        )


def permutation_ps(observed, draws):
    """(1 + number of draws at least as large as observed) / (1 + number of draws), by column; near ties count."""
    tie = _TIE * np.maximum(np.abs(observed), 1)
    return (1 + np.sum(draws >= observed - tie, axis=0)) / (1 + len(draws))


def step_down_ps(observed, draws):
    """p-values adjusted by step-down maxT: each statistic against the largest draw of those not larger than itself."""
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(draws[:, order[::-1]], axis=1)[:, ::-1]
    p = np.empty(len(observed))
    p[order] = np.maximum.accumulate(permutation_ps(observed[order], largest))
    return p


def _in_canonical_order(A, confounders, strata):
    """Rows sorted by stratum, scores and confounders, so that p-values do not depend on the order of the rows."""
    values = [*A.T]
    for confounder in confounders:
        values += [*confounder.columns.T] if confounder.codes is None else [confounder.codes]
    order = np.lexsort((*values[::-1], strata.codes))
    ordered = [Coded(one.columns[order], None if one.codes is None else one.codes[order]) for one in confounders]
    return A[order], ordered, Levels(strata.values, strata.codes[order], strata.counts)


def _permutation_draws(A, confounders, strata, keys):
    """T of each confounder (a line for every key), by permutation."""
    return [np.concatenate([_permuted(a, one, strata, keys) for a in A.T], axis=1) for one in confounders]


def _permuted(a, confounder, strata, keys):
    if _in_one_pass(confounder):
        return shuffled_level_sums(a, confounder.codes, strata, keys)[:, 1:]
    return np.stack([shuffled_products(a, c, strata, keys) for c in confounder.columns.T], axis=1)


def _in_one_pass(confounder):
    """Whether all columns are indicators of levels, whose sums are made together."""
    return confounder.codes is not None and confounder.columns.shape[1] > 1


def _is_normal(A, confounders, draws):
    """Whether permutations take too long, and enough rows contribute to every entry of T for it to be normal."""
    rows, passes = len(A), sum(1 if _in_one_pass(one) else one.columns.shape[1] for one in confounders)
    if rows <= _FEWEST_ROWS or rows * draws * passes * A.shape[1] <= _MOST_PRODUCTS:
        return False
    fewest = min(_effective_rows(one.columns).min() for one in confounders)
    return bool(_effective_rows(A).min() * fewest / rows >= _EFFECTIVE_ROWS)


def _effective_rows(columns):
    """Sum of squares over largest square: the number of ones of a rare indicator, a third of the rows for ranks."""
    largest = np.max(columns**2, axis=0)
    varying = largest > 0
    return np.sum(columns**2, axis=0)[varying] / largest[varying]


def _normal_draws(A, confounders, strata, keys):
    """T of each confounder (a line for every key), from the normal distribution with their joint covariance."""
    joint = np.concatenate([one.columns for one in confounders], axis=1)
    values, vectors = np.linalg.eigh(permutation_covariance(A, joint, strata))
    root = vectors * np.sqrt(np.clip(values, 0, None))
    normal = np.random.default_rng(keys[:4]).standard_normal((len(keys), len(root)))
    T = (normal @ root.T).reshape(len(keys), A.shape[1], joint.shape[1])
    ends = np.cumsum([one.columns.shape[1] for one in confounders])
    return [part.reshape(len(keys), -1) for part in np.split(T, ends[:-1], axis=2)]
