"""The response given the confounders, p(y | c): a penalised spline model fitted in a few milliseconds.

Each numeric confounder has a linear term and a P-spline (Eilers & Marx 1996): cubic B-splines with knots at quantiles,
whose second differences are penalised. Each pair of them has products of Legendre polynomials of their ranks, up to a
degree that the number of rows allows; a `fine` model also has quadrants of two of them (`permconf.permute.crosses`).
The combination of the categorical confounders enters by indicators; where there are few, large combinations, the effect
of a numeric confounder may differ between them. Classes follow a multinomial logistic model. Numbers follow a Gaussian
one, on the log scale if that fits positive numbers better.

In the mixed-model form of a P-spline the second differences are the coefficients, with a normal prior N(0, sd^2). The
sd of each term is the one with the smallest corrected Akaike criterion (AICc, Hurvich & Tsai 1989) on a grid, times
two: a model that is too smooth leaves confounding behind, one that is too rough costs only power. Weak priors on the
other coefficients keep the estimates finite where a confounder separates the classes.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.permute.crosses import cross_columns, share_below

KNOTS, ROWS_PER_KNOT = 8, 10  # most interior knots of a spline, and rows that each needs
FINE_KNOTS, ROWS_PER_FINE_KNOT = 20, 25  # the same for all splines of a finer model together
PRODUCT_SDS = CROSS_SDS = (0.02, 0.1, 0.25, 0.5, 1.0, 2.0)
DEGREE = 4  # largest degree of a product of two confounders, taken together
ROWS_PER_PRODUCT = 15
DEVIATION_SDS = (*PRODUCT_SDS, 4.0)
SMOOTH_SDS = (*DEVIATION_SDS, 8.0)
DEVIATING_ROWS = 20  # fewest rows of a level that may have an effect of a numeric confounder of its own
MOST_DEVIATING = 10  # largest number of such levels
LEVEL_SDS = (0.5, 1.0, 2.0, 5.0)
COMBINATION_SDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
ROUGHER = 2.0  # how much larger the sds are than those with the smallest AICc
LINEAR_SD = 5.0  # of a slope, per standard deviation of the confounder
MOST_ROWS = 50_000  # that choose the sds; all rows are fitted with them
_INTERCEPT = 0.01  # prior precision
_STEPS = 30
_TOLERANCE = 1e-6
_LINK_LIMIT = 30.0


@dataclass(frozen=True)
class Term:
    """Columns of the design that share a normal prior, and the standard deviations it may have."""

    columns: np.ndarray
    sds: tuple[float, ...]


@dataclass(frozen=True)
class Design:
    """Columns that represent the confounders: the intercept first, then term after term."""

    X: np.ndarray
    terms: tuple[Term, ...]
    rougher: float = ROUGHER

    @classmethod
    def of(cls, confounders: Confounders, *, classes: int = 2, fine: bool = False, degree: int = DEGREE) -> "Design":
        """The design of these confounders, with fewer columns where there are few rows or many classes.

        A `fine` one has up to 20 knots where there are rows for them, and sds as AICc chooses them: it is for
        permutations that keep the fit, which do not depend on how smooth it is. `degree` is the largest of products.
        """
        terms, levels = [], confounders.strata
        rows = len(confounders) // max(1, classes - 1)
        knots = min(KNOTS, rows // ROWS_PER_KNOT)
        if fine:
            knots = max(knots, min(FINE_KNOTS, rows // ROWS_PER_FINE_KNOT) // max(1, confounders.numeric.shape[1]))
        if levels.counts.size > 1:
            terms += _level_terms(confounders, levels)
        for x in confounders.numeric.T:
            terms += _spline_terms(x, knots)
            terms += _deviation_terms(x, levels)
        terms += _product_terms(confounders.numeric, degree, rows // ROWS_PER_PRODUCT)
        X = np.hstack([np.ones((len(confounders), 1)), *(term.columns for term in terms)])
        ends = np.cumsum([1, *(term.columns.shape[1] for term in terms)])
        parts = [Term(X[:, first:last], term.sds) for term, first, last in zip(terms, ends, ends[1:], strict=False)]
        return cls(X, tuple(parts), 1.0 if fine else ROUGHER)  # terms are views: one copy of the columns

    def take(self, rows: np.ndarray) -> "Design":
        if rows.size == len(self.X) and (np.diff(rows) == 1).all():
            return self
        return replace(self, X=self.X[rows])

    def extended(self, columns: np.ndarray, sds: tuple[float, ...]) -> "Design":
        return Design(np.hstack([self.X, columns]), (*self.terms, Term(columns, sds)), self.rougher)

    def precision(self, sds):
        """Prior precision of every coefficient, given the sd of every term."""
        parts = [np.full(term.columns.shape[1], sd**-2) for term, sd in zip(self.terms, sds, strict=True)]
        return np.concatenate([[_INTERCEPT], *parts])


def _level_terms(confounders, levels):
    """Indicators of the levels of each categorical confounder and, where there are several, of their combinations."""
    variables = [Levels.of(column.values).indicators() for column in confounders.categorical]
    each = Term(np.hstack(variables), LEVEL_SDS)
    return [each] if len(variables) == 1 else [each, Term(levels.indicators(), COMBINATION_SDS)]


def _spline_terms(x, knots):
    """The linear term and the P-spline of one numeric confounder; the values of a spline with sd 1 have variance 1."""
    if x.min() == x.max():
        return []
    B = bspline_basis(x, quantile_knots(x, knots))
    by_knots = B @ np.arange(B.shape[1])  # second differences leave free a straight line on the scale of the knots
    straight = np.column_stack([_standardised(x), _standardised(by_knots)])
    smooth = B @ np.linalg.pinv(np.diff(np.eye(B.shape[1]), n=2, axis=0))
    smooth -= smooth.mean(axis=0)
    smooth /= np.sqrt(max(smooth.var(axis=0).sum(), 1e-12))
    return [Term(straight, (LINEAR_SD,)), Term(smooth, SMOOTH_SDS)]


def _standardised(v):
    return (v - v.mean()) / v.std()


def _deviation_terms(x, levels):
    """The difference of the effect of a numeric confounder from its common one, in each large level of the others."""
    large = np.flatnonzero(levels.counts >= DEVIATING_ROWS)
    if levels.counts.size == 1 or large.size > MOST_DEVIATING:
        return []
    columns = []
    for level in large:
        rows = levels.codes == level
        for term in _spline_terms(x[rows], min(3, rows.sum() // DEVIATING_ROWS)):
            own = np.zeros((x.size, term.columns.shape[1]))
            own[rows] = term.columns
            columns.append(own)
    return [Term(np.hstack(columns), DEVIATION_SDS)] if columns else []


def _product_terms(numeric, largest, most):
    """Products of the Legendre polynomials of the ranks of two numeric confounders: at most `most`, of low degree."""
    ranks = [2 * share_below(x) - 1 for x in numeric.T if x.min() < x.max()]
    pairs = list(combinations([np.polynomial.legendre.legvander(u, DEGREE - 1) for u in ranks], 2))
    for degree in range(largest, 1, -1):
        powers = [(i, j) for i in range(1, degree) for j in range(1, degree - i + 1)]
        if pairs and len(pairs) * len(powers) <= most:
            columns = [_standardised(one[:, i] * other[:, j]) for one, other in pairs for i, j in powers]
            return [Term(np.column_stack(columns), PRODUCT_SDS)]
    return []


def quantile_knots(x: np.ndarray, count: int) -> np.ndarray:
    """Boundary knots and up to `count` distinct interior knots at quantiles of x."""
    low, high = x.min(), x.max()
    inner = np.unique(np.quantile(x, np.arange(1, count + 1) / (count + 1)))
    return np.concatenate([[low], inner[(inner > low) & (inner < high)], [high]])


def bspline_basis(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Cubic B-splines at x; they sum to one between the first and the last knot."""
    from scipy.interpolate import BSpline  # slow to import, and few studies need it

    repeated = np.concatenate([[knots[0]] * 3, knots, [knots[-1]] * 3])
    return BSpline.design_matrix(x, repeated, 3).toarray()


@dataclass(frozen=True)
class ResponseModel:
    """A fitted p(y | c): coefficients (one column for each class but the first, or one for a number), and their prior.

    `values` is the response as it was modelled: class codes, numbers or their logarithms. `edf` is the effective number
    of coefficients, the trace of the hat matrix; `scale` is the residual variance of a numeric response, whose fitted
    mean is `shift` plus the linear predictor.
    """

    design: Design
    values: np.ndarray
    coefficients: np.ndarray
    precision: np.ndarray
    edf: float
    numeric: bool
    shift: float = 0.0
    scale: float = 1.0

    @cached_property
    def linear(self) -> np.ndarray:
        """Linear predictors (n, K - 1), or (n, 1) for a number."""
        return self.design.X @ self.coefficients

    @property
    def mean(self) -> np.ndarray:
        """Fitted mean of a numeric response (n,)."""
        return self.shift + self.linear[:, 0]

    @property
    def theta(self) -> np.ndarray:
        """Natural parameters: log p(class k | c) - log p(class 0 | c) for all K classes, or mean / variance (n, 1)."""
        return (self.mean / self.scale)[:, None] if self.numeric else _with_first_class(self.linear)

    @cached_property
    def _penalised_information(self) -> np.ndarray:
        information = _information(self.design.X, self.probabilities[:, 1:], np.ones(len(self.values)))
        return information + _penalty(self.precision, self.coefficients.shape[1])

    def updated_linear(self, counts: np.ndarray) -> np.ndarray:
        """Linear predictors (n, K - 1, b) if every row counted `counts` (n, b) times in the fit.

        One Newton step from the estimate, with its information J: b + (J + penalty)^-1 (score - penalty b).
        """
        X, P = self.design.X, self.probabilities[:, 1:]
        p, k = self.coefficients.shape
        b, penalty = self.coefficients.T.reshape(-1, 1), _penalty(self.precision, k)
        residuals = (self.values[:, None] == np.arange(1, k + 1)) - P
        score = np.hstack([residuals[:, [j]] * X for j in range(k)]).T @ counts
        updated = b + np.linalg.solve(self._penalised_information, score - penalty @ b)
        return np.stack([X @ updated[j * p : (j + 1) * p] for j in range(k)], axis=1)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """p(class | c) for every row and class (n, K)."""
        return class_probabilities(self.linear)

    @property
    def residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and variances (n, K - 1) of the indicators of classes, or (n, 1) of a number."""
        if self.numeric:
            return (self.values - self.mean)[:, None], np.full((len(self.values), 1), self.scale)
        p = self.probabilities[:, 1:]
        return (self.values[:, None] == np.arange(1, p.shape[1] + 1)) - p, np.maximum(p * (1 - p), 1e-6)


def fitted_response(
    response: Response, confounders: Confounders, *, quadrants: bool = False, **options: Any
) -> ResponseModel:
    """The model of a response given the confounders; `options` are those of the design.

    With `quadrants` it has a term for those of two confounders, one of them numeric (`permconf.permute.crosses`).
    """
    labels, codes = np.unique(response.values, return_inverse=True)
    classes = 2 if response.labels is None else labels.size

    def fitted(design):
        if response.labels is None:
            return _numbers_on_the_better_scale(response.values, design)
        return fit_classes(codes, design, classes=classes)

    design = Design.of(confounders, classes=classes, **options)
    if quadrants and len(confounders.names) > 1:
        additive = fitted(Design.of(confounders, classes=classes, degree=1))
        coded = [Levels.of(column.values) for column in confounders.categorical]
        few = [one.indicators() for one in coded if one.counts.size <= MOST_DEVIATING]
        levels = np.hstack([np.empty((len(confounders), 0)), *few])
        columns = cross_columns(confounders.numeric, levels, additive.design.X, *additive.residuals)
        design = design if columns is None else design.extended(columns, CROSS_SDS)
    return fitted(design)


def _numbers_on_the_better_scale(y, design):
    """The Gaussian model of y or, for positive numbers, of log y if that is more likely."""
    plain = fit_numbers(y, design)
    if y.min() <= 0:
        return plain
    logged = fit_numbers(np.log(y), design)
    jacobian = 2 * np.mean(np.log(y))
    return logged if np.log(logged.scale) + jacobian < np.log(plain.scale) else plain


def fit_classes(codes, design, *, classes):
    """Multinomial logistic model of class codes 0, 1, ..."""
    Y = (codes[:, None] == np.arange(1, classes)).astype(float)
    weights, few = np.ones(len(codes)), _part(len(codes))
    part = design.X[few], Y[few], weights[few]

    def fitted(precision, start):
        return _newton(*part, precision, start)

    start = np.zeros((design.X.shape[1], classes - 1))
    coefficients, precision, edf = _best(fitted, design, part[2].sum(), start)
    if few.step > 1:
        coefficients, _, edf = _newton(design.X, Y, weights, precision, coefficients)
    return ResponseModel(design, codes, coefficients, precision, edf, numeric=False)


def fit_numbers(y, design, *, weights=None):
    """Gaussian model of a numeric response; its residual variance is RSS / (n - edf)."""
    weights = np.ones(len(y)) if weights is None else weights
    total = weights.sum()
    shift = weights @ y / total
    spread = np.sqrt(weights @ (y - shift) ** 2 / total) or 1.0
    z, few = (y - shift) / spread, _part(len(y))

    def least_squares(X, z, weights):
        XtW, total = X.T * weights, weights.sum()
        information, right = XtW @ X, XtW @ z

        def fitted(precision, _):
            both = np.linalg.solve(information + np.diag(precision), np.column_stack([right, information]))
            rss = max(weights @ (z - X @ both[:, 0]) ** 2, 1e-12 * total)
            return both[:, :1], total * np.log(rss / total), np.trace(both[:, 1:])

        return fitted

    chosen = least_squares(design.X[few], z[few], weights[few])
    coefficients, precision, edf = _best(chosen, design, weights[few].sum(), None)
    if few.step > 1:
        coefficients, _, edf = least_squares(design.X, z, weights)(precision, None)
    rss = weights @ (z - design.X @ coefficients[:, 0]) ** 2
    scale = spread**2 * max(rss, 1e-12) / max(total - edf, 1.0)
    return ResponseModel(design, y, coefficients * spread, precision, edf, True, shift, scale)


def _part(rows):
    """Some of very many rows, at equal distances."""
    return slice(None, None, max(1, rows // MOST_ROWS))


def _best(fitted, design, rows, start):
    """Coefficients, prior precision and edf of the sds with the smallest AICc, searched term by term.

    `fitted` maps a prior precision and a starting point to coefficients, deviance and edf.
    """

    def fit(sds, start):
        precision = design.precision(sds)
        coefficients, deviance, edf = fitted(precision, start)
        return deviance + 2 * edf * rows / max(rows - edf - 1, 1), (coefficients, precision, edf)

    sds = [term.sds[len(term.sds) // 2] for term in design.terms]
    aicc, best = fit(sds, start)
    for k, step in [(k, step) for k in range(len(sds)) for step in (1, -1)] * min(2, len(sds)):
        grid = design.terms[k].sds
        while 0 <= (place := grid.index(sds[k]) + step) < len(grid):
            trial = [*sds[:k], grid[place], *sds[k + 1 :]]
            value, found = fit(trial, best[0])
            if value >= aicc:
                break
            sds, aicc, best = trial, value, found
    rougher = [sd * design.rougher if len(term.sds) > 1 else sd for term, sd in zip(design.terms, sds, strict=True)]
    return fit(rougher, best[0])[1]


def _penalty(precision, columns):
    """Penalty matrix of the coefficients, class after class.

    It is symmetric in the classes: penalised are the coefficients of a class minus their mean over all classes.
    """
    if columns == 1:
        return np.diag(precision)
    return np.kron(2 * (np.eye(columns) - 1 / (columns + 1)), np.diag(precision))


def _newton(X, Y, weights, precision, B):
    """Penalised maximum likelihood by Newton's method with step halving: coefficients, deviance and edf."""
    penalty = _penalty(precision, B.shape[1])
    loss = _loss(X, Y, weights, B, penalty)
    for _ in range(_STEPS):
        P, b = class_probabilities(X @ B)[:, 1:], B.T.ravel()
        gradient = (X.T @ (weights[:, None] * (Y - P))).T.ravel() - penalty @ b
        information = _information(X, P, weights)
        step, size = np.linalg.solve(information + penalty, gradient), 1.0
        while True:
            trial = (b + size * step).reshape(B.shape[::-1]).T
            trial_loss = _loss(X, Y, weights, trial, penalty)
            if trial_loss <= loss or size < 1e-3:
                break
            size /= 2
        B, loss = trial, trial_loss
        if gradient @ step < _TOLERANCE:
            break
    b = B.T.ravel()
    edf = np.trace(np.linalg.solve(information + penalty, information))
    return B, 2 * loss - b @ penalty @ b, edf


def _loss(X, Y, weights, B, penalty):
    """Minus the penalised log-likelihood."""
    eta, flat = X @ B, B.T.ravel()
    high = np.maximum(eta.max(axis=1), 0)
    log_total = high + np.log(np.exp(-high) + np.exp(eta - high[:, None]).sum(axis=1))
    return weights @ (log_total - (Y * eta).sum(axis=1)) + flat @ penalty @ flat / 2


def _information(X, P, weights):
    """Expected (and observed) information of the coefficients, class after class."""
    k = P.shape[1]
    return np.block([[(X.T * (weights * P[:, i] * ((i == j) - P[:, j]))) @ X for j in range(k)] for i in range(k)])


def _with_first_class(eta):
    return np.hstack([np.zeros((len(eta), 1)), eta])


def class_probabilities(eta):
    """Softmax of linear predictors (n, K - 1), that of the first class being 0."""
    eta = np.clip(_with_first_class(eta), -_LINK_LIMIT, _LINK_LIMIT)
    odds = np.exp(eta - eta.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)
