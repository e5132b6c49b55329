"""Do predictions carry more of a confounder C than the response Y explains? A test that needs no refits.

On a test set, C is permuted within the levels of Y while the scores of the learner stay. If the scores are independent
of C given Y, rows with the same Y are exchangeable and the p-value is exact, for every learner. A permutation costs a
few inner products. Within each level of Y the scores are ranked, and so is a numeric C; levels of C are indicators. For
a binary C and linear effects this is the test of van Elteren (1960). `permconf.inference.shapes` adds effects of other
shapes, `permconf.inference.joint_test` makes a joint test of several confounders.

A numeric Y is cut into groups of similar values. What scores and C both vary with Y within a group would look like an
association, so the trend of the scores in Y (a piecewise linear regression of ranks on ranks) is removed first, and the
number of groups and segments grows with the square root of the number of rows. The p-value is approximate: it is exact
only if C is independent of Y within the groups.

Dependence is not causation: C may be a cause of X, an effect, or share one with it. C *inflates* performance if it is
associated with the scores, given Y, in the direction in which it is associated with Y, and *masks* it otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solveh_banded
from scipy.special import log_ndtr

from permconf.data.confounders import Confounder, Confounders
from permconf.data.levels import Levels
from permconf.data.response import RESPONSE_GROUPS, Response
from permconf.data.sample import Subjects
from permconf.data.values import check_row_order, plain_values
from permconf.engine.scores import in_class_order
from permconf.inference.association_test import association_units, part_levels
from permconf.inference.joint_result import JointResult, joint_fields
from permconf.inference.joint_test import joint_test
from permconf.inference.ranks import check_size, coded, indicators, normalised_ranks, statistic
from permconf.inference.shapes import ALONG_RESPONSE, BETWEEN_CLASSES, SHAPES, Shapes, curve, legendre
from permconf.keywords import helpful
from permconf.options import choice, whole_number
from permconf.permute.random_streams import Streams
from permconf.permute.units import (
    Units,
    check_distinct_levels,
    compositions,
    crossed,
    permutable,
    split_by_variation,
)

ALTERNATIVES = ("two-sided", "inflates", "masks")
ROWS_PER_SEGMENT = 20
_KNOT_WITHOUT_ROWS = 1e-10  # keeps the equations solvable where y is tied and a knot has no rows near it
_CLEAR = 1.64  # |z| from which the direction of an association is reported
_CLEAR_CURVE = 2.5  # the same for one of the two parts of a curve


@dataclass(frozen=True, repr=False, eq=False)
class PredictionTest(JointResult):
    """Evidence that predictions are associated with confounders given the response (see `JointResult`).

    `sign` says whether the confounder with the smallest p-value "inflates" or "masks" performance ("unclear" if either
    association has |z| < 1.64, or the response has more than two classes). `levels` says within which levels of the
    response confounders were permuted, `units` what was permuted ("rows" or "subjects").

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = (0.6 * site + rng.uniform(size=200) > 0.8).astype(int)
    >>> scores = rng.normal(ill + site)
    >>> from permconf import prediction_test
    >>> prediction_test(scores, ill, site).by_confounder[["confounder", "sign", "kind"]]
       confounder      sign    kind
    0  confounder  inflates  binary
    """

    sign: str
    alternative: str
    levels: str
    units: str

    @property
    def _described(self) -> tuple[str, ...]:
        return ("sign",)


@helpful
def prediction_test(
    scores: Any,
    y: Any,
    confounders: Any,
    *,
    permutations: int = 9999,
    groups: Any = None,
    parts: Any = None,
    alternative: str = "two-sided",
    confounder: Any = "auto",
    positive: Any = None,
    bins: int | None = None,
    shape: str = "any",
    seed: int = 0,
) -> PredictionTest:
    """Test whether the predictions on a test set are associated with confounders, given the response.

    `scores` (m,) or (m, K) are any predictions: probabilities, decision values, predicted numbers, a column per class.
    Of two classes larger scores stand for `positive` (by default as in `permconf.data.response`). `y` has
    the true classes, or numbers, which are cut into at most `bins` groups with at least five rows (by default
    2 sqrt(m), at least 20; 20 with `groups`). `confounders` is a vector, an (m, k) array, a Series or a DataFrame with
    labels, numbers or both; `confounder` says how they are analysed (see `permconf.data.confounders`): as they
    come ("auto"), as "levels", "smooth" or in bins.

    `groups` names the subject of each row, where subjects have several: confounders that are constant within subjects
    are permuted between subjects with the same shares of the levels of y, others among the rows of a subject with the
    same y. `parts`, a label for each row such as the fold whose model made its score, restricts ranks and permutations
    to rows of the same part: scores of different models are not comparable. `shape` says which effects are looked for:
    "any", curved, class-wise, on the spread or of two confounders together beside the linear one, or "linear" ones
    only, for which power is larger by a few hundredths (see `permconf.inference.shapes`). `alternative` "inflates" or
    "masks" makes the test one-sided, for linear effects, two classes or a numeric y, and confounders that are binary or
    numeric.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = (0.6 * site + rng.uniform(size=200) > 0.8).astype(int)
    >>> scores = rng.normal(ill + site)
    >>> from permconf import prediction_test
    >>> test = prediction_test(scores, ill, site)
    >>> test.sign, test.p < 0.05
    ('inflates', True)
    """
    check_row_order(scores=scores, y=y, confounders=confounders, groups=groups, parts=parts)
    response = Response.of(y, positive=positive).varying()
    rows = len(response)
    return prediction_test_of(
        score_matrix(scores, rows, response),
        response,
        Confounders.of(confounders, confounder, rows=rows),
        Subjects.of(groups, rows=rows),
        part_levels(parts, rows),
        permutations=permutations,
        alternative=alternative,
        bins=bins,
        shape=shape,
        seed=seed,
    )


def prediction_test_of(
    S: np.ndarray,
    response: Response,
    confounders: Confounders,
    subjects: Subjects | None,
    parts: Levels,
    *,
    permutations: int,
    alternative: str = "two-sided",
    bins: int | None = None,
    shape: str = "any",
    seed: int,
) -> PredictionTest:
    """`prediction_test` of what has been checked, with scores (m, q)."""
    permutations = whole_number(permutations, "permutations", least=1)
    choice(alternative, "alternative", ALTERNATIVES)
    any_shape = choice(shape, "shape", SHAPES) == "any" and alternative == "two-sided"
    response, columns = response.present(), confounders.present().varying().columns
    groups = None if subjects is None else subjects.levels
    if bins is None and groups is not None:  # finer groups leave few subjects that are alike in them
        bins = RESPONSE_GROUPS
    bins = bins if bins is None else whole_number(bins, "bins", least=2)
    levels = response.levels(bins, parts=parts.counts.size)
    within = crossed(parts.codes, levels.codes)
    if parts.counts.size > 1 and within.counts.max() < 2:
        raise ValueError("nothing can be permuted: no two rows of a part have the same y; give fewer parts")
    units = prediction_units(within, columns, groups)
    check_distinct_levels(columns, units)
    check_size(S.shape[1], [1 if one.levels is None else one.levels.size - 1 for one in columns])
    ranked = ranked_scores(S, response, within, parts)
    A = units.means(ranked)
    coded_columns = [units.coded(coded(column, within)) for column in columns]
    directions = [_Direction.of(column, response, levels, groups, any_shape) for column in columns]
    shapes = _shapes(ranked, columns, response, levels, within, parts, units) if any_shape else None
    test = joint_test(
        A,
        coded_columns,
        units.strata,
        Streams(seed, "prediction_test").keys("confounder", permutations),
        directions=_one_sided(alternative, directions, columns, response, S),
        shapes=shapes,
    )
    signed = [
        shapes.curves[j].curved if direction.is_curved and shapes else coded_columns[j].columns
        for j, direction in enumerate(directions)
    ]
    signs = [direction.sign(A[:, -1:], one, units) for direction, one in zip(directions, signed, strict=True)]
    changeable = [units.changeable(one.columns) for one in coded_columns]
    return PredictionTest(
        **joint_fields(test, columns, permutations, sign=signs, permutable=changeable),
        sign=signs[test.leading],
        alternative=alternative,
        levels=_described_levels(response, levels),
        units=units.name,
    )


def _shapes(ranked, columns, response, levels, within, parts, units):
    """The shapes of a prediction test: curved, spread, and slopes that differ with the response.

    Groups of a numeric response have few rows, so that curves there are of ranks among all rows of a part.
    """
    is_numeric = response.labels is None
    factors = normalised_ranks(levels.codes, parts)[:, None] if is_numeric else indicators(levels.codes)
    by_response = (ranked[:, :, None] * factors[:, None, :]).reshape(len(ranked), -1)
    curves = tuple(curve(column, parts if is_numeric else within, units) for column in columns)
    name = ALONG_RESPONSE if is_numeric else BETWEEN_CLASSES
    return Shapes(units.means(by_response), name, True, curves)


def score_matrix(scores: Any, rows: int, response: Response) -> np.ndarray:
    """Scores as an (m, q) matrix without missing values; two columns for two classes become their difference."""
    scores = plain_values(scores)
    try:
        scores = in_class_order(scores, response.labels)
        S = np.asarray(scores, complex if np.iscomplexobj(scores) else float).astype(float, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise ValueError("scores must be numbers; for predicted labels give a 0/1 column for each class") from error
    if S.ndim not in (1, 2) or not S.size:
        raise ValueError(f"scores must be a vector or an (m, K) matrix with a column per class, not of shape {S.shape}")
    S = S.reshape(len(S), -1)
    if len(S) != rows:
        raise ValueError(f"scores have {len(S)} rows where {rows} are needed, one for each row of y")
    missing = np.flatnonzero(np.isnan(S).any(axis=1))
    if missing.size:
        raise ValueError(f"scores have missing values in {missing.size} of {rows} rows, the first is row {missing[0]}")
    if response.classes == 2 and S.shape[1] == 2:
        return S[:, 1:] - S[:, :1]
    return S


def ranked_scores(S: np.ndarray, response: Response, levels: Levels, parts: Levels | None = None) -> np.ndarray:
    """Ranks of the scores within levels of the response; for a numeric response, of their residuals given it.

    The residuals are those of a regression in each of the `parts`, in which the levels lie; of all rows by default.
    """
    parts = parts or Levels.single(len(S))
    if response.labels is None:
        residuals, segments = np.empty(S.shape), levels.counts.size // parts.counts.size
        for part in range(parts.counts.size):
            rows = parts.codes == part
            residuals[rows] = without_trend(S[rows], response.values[rows], segments)
        S = residuals
    return np.stack([normalised_ranks(score, levels) for score in S.T], axis=1)


def without_trend(S: np.ndarray, y: np.ndarray, segments: int) -> np.ndarray:
    """Residuals of each column's ranks in a continuous, piecewise linear regression on the ranks of y.

    The segments have equal numbers of rows, at least twenty. Residuals are rounded, so that those of a perfect fit tie.
    """
    whole = Levels.single(len(y))
    segments = max(1, min(segments, len(y) // ROWS_PER_SEGMENT))
    place = (normalised_ranks(y, whole) + 0.5) * segments
    R = np.stack([normalised_ranks(score, whole) for score in S.T], axis=1)
    return np.round(R - piecewise_linear(R, place, segments), 9)


def piecewise_linear(R: np.ndarray, place: np.ndarray, segments: int) -> np.ndarray:
    """Least-squares fit to every column of R of a function on 0 .. segments that is linear between whole numbers.

    In the basis of tent functions, each 1 at one of these knots and 0 at the others, the normal equations have a band
    of width one, so that time and memory grow with the number of rows only.
    """
    left = np.minimum(place.astype(np.int64), segments - 1)
    near = np.stack([1 - (place - left), place - left])  # values of the tents at the knots left and right of each row

    def at_knots(v):
        return np.bincount(left, near[0] * v, segments + 1) + np.bincount(left + 1, near[1] * v, segments + 1)

    band = np.zeros((2, segments + 1))
    band[0, 1:] = np.bincount(left, near[0] * near[1], segments)
    band[1] = np.bincount(left, near[0] ** 2, segments + 1) + np.bincount(left + 1, near[1] ** 2, segments + 1)
    band[1] += _KNOT_WITHOUT_ROWS
    coefficients = solveh_banded(band, np.stack([at_knots(r) for r in R.T], axis=1))
    return near[0][:, None] * coefficients[left] + near[1][:, None] * coefficients[left + 1]


def prediction_units(levels: Levels, columns: Sequence[Confounder], subjects: Levels | None) -> Units:
    """What is permuted: rows with the same y, whole subjects with the same shares of y, or a subject's rows by y."""
    if subjects is None:
        return permutable(
            Units.rows(levels), "y has a different label in every row; give classes, or numbers as floats"
        )
    varying, constant = split_by_variation(columns, subjects)
    if varying and constant:
        raise ValueError(f"{varying[0]!r} varies within groups and {constant[0]!r} does not; test them separately")
    if varying:
        problem = "no group has two rows with the same y; leave groups out if rows are independent, or use fewer bins"
        return permutable(Units.rows(crossed(subjects.codes, levels.codes)), problem)
    problem = "no two groups have the same shares of the levels of y; give one row per group, or use fewer bins"
    return permutable(Units.subjects(subjects, compositions(levels, subjects)), problem)


@dataclass(frozen=True)
class _Direction:
    """The direction of a confounder's association with the response, as weights of its columns.

    The weighted sum increases with the response. `is_clear` says whether the association is, `is_curved` whether the
    columns are the curved ones of a numeric confounder, which has no clear linear association.
    """

    weights: np.ndarray | None
    is_clear: bool
    is_curved: bool = False

    @classmethod
    def of(
        cls, column: Confounder, response: Response, levels: Levels, subjects: Levels | None, any_shape: bool
    ) -> "_Direction":
        """Direction in which a confounder goes with the levels of y, which permutations within them do not change."""
        if not response.is_ordered:
            return cls(None, False)
        whole = Levels.single(len(levels.codes))
        ranks = normalised_ranks(levels.codes, whole)
        units = association_units(levels.codes, [column], subjects, whole)
        T, form = statistic(units.means(ranks[:, None]), units.means(coded(column, whole).columns), units.strata)
        is_clear = form.df > 0 and form.standardised(T)[0] >= -np.log(2) - log_ndtr(-_CLEAR)
        if column.kind == "categorical":
            of_level = Levels.of(column.values)
            means = of_level.sums(ranks) / of_level.counts
            return cls(means[1:] - means[0], is_clear)
        if any_shape and not is_clear and column.kind == "numeric":
            curved = units.means(legendre(normalised_ranks(column.values, whole)))
            parts = [statistic(units.means(ranks[:, None]), part[:, None], units.strata) for part in curved.T]
            z = np.array([form.z(one)[0] if form.df else 0.0 for one, form in parts])
            return cls(np.where(np.abs(z) >= _CLEAR_CURVE, z, 0), bool(np.abs(z).max() >= _CLEAR_CURVE), True)
        return cls(np.sign(T[0]), is_clear)

    def sign(self, scores: np.ndarray, columns: np.ndarray, units: Units) -> str:
        """Whether scores go with the confounder, given y, in the same direction."""
        if self.weights is None or not self.is_clear:
            return "unclear"
        T, form = statistic(scores, columns @ self.weights[:, None], units.strata)
        z = form.z(T)[0] if form.df else 0.0
        if abs(z) < _CLEAR:
            return "unclear"
        return "inflates" if z > 0 else "masks"


def _one_sided(alternative, directions, columns, response, S):
    """The sign that every z is multiplied by before large values count as evidence; None for a two-sided test."""
    if alternative == "two-sided":
        return None
    if not response.is_ordered or S.shape[1] > 1:
        raise ValueError(f"alternative {alternative!r} needs two classes or a numeric y, and one column of scores")
    for column in columns:
        if column.kind == "categorical":
            raise ValueError(
                f"alternative {alternative!r} needs binary or numeric confounders, but {column.name!r} has"
                f" {len(column.levels)} levels; use 'two-sided'"
            )
    return np.array([direction.weights[0] for direction in directions]) * (1 if alternative == "inflates" else -1)


def _described_levels(response, levels):
    """The levels of the response in words."""
    if response.labels is None:
        return f"{levels.counts.size} groups of a numeric response (approximate)"
    return f"{levels.counts.size} classes"
