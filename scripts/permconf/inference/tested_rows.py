"""The rows of a prediction test: scores ranked within levels of the response, what may be exchanged, and directions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solveh_banded
from scipy.special import log_ndtr

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.data.response import RESPONSE_GROUPS, Response
from permconf.inference.association_test import Rows
from permconf.inference.ranks import coded, indicators, normalised_ranks, statistic
from permconf.inference.shapes import ALONG_RESPONSE, BETWEEN_CLASSES, Shapes, curve, legendre
from permconf.options import whole_number
from permconf.permute.units import Units, association_units, compositions, crossed, permutable, split_by_variation

ROWS_PER_SEGMENT = 20
CLEAR = 1.64  # |z| from which the direction of an association is reported
CLEAR_CURVE = 2.5  # the same for one of the two parts of a curve
_KNOT_WITHOUT_ROWS = 1e-10  # keeps the equations solvable where y is tied and a knot has no rows near it


@dataclass(frozen=True, eq=False)
class TestedRows:
    """Ranked scores (m, q), the response and its levels, these `within` parts, and the subject of each row, if any."""

    ranked: np.ndarray
    response: Response
    levels: Levels
    within: Levels
    parts: Levels
    groups: Levels | None

    @classmethod
    def of(cls, S: np.ndarray, rows: Rows, bins: int | None) -> "TestedRows":
        """Rows with scores (m, q); a numeric response is cut into `bins` groups (see `prediction_test`)."""
        response, parts = rows.response.present(), rows.parts
        if bins is None and rows.subjects is not None:  # finer groups leave few subjects that are alike in them
            bins = RESPONSE_GROUPS
        bins = bins if bins is None else whole_number(bins, "bins", least=2)
        levels = response.levels(bins, parts=parts.counts.size)
        within = crossed(parts.codes, levels.codes)
        if parts.counts.size > 1 and within.counts.max() < 2:
            raise ValueError("nothing can be permuted: no two rows of a part have the same y; give fewer parts")
        groups = None if rows.subjects is None else rows.subjects.levels
        return cls(ranked_scores(S, response, within, parts), response, levels, within, parts, groups)

    def units(self, columns: Sequence[Confounder]) -> Units:
        """What is exchanged: rows of the same y, whole subjects with the same shares of y, or a subject's rows by y."""
        if self.groups is None:
            problem = "y has a different label in every row; give classes, or numbers as floats"
            return permutable(Units.rows(self.within), problem)
        varying, constant = split_by_variation(columns, self.groups)
        if varying and constant:
            raise ValueError(f"{varying[0]!r} varies within groups and {constant[0]!r} does not; test them separately")
        if varying:
            problem = (
                "no group has two rows with the same y; leave groups out if rows are independent, or use fewer bins"
            )
            return permutable(Units.rows(crossed(self.groups.codes, self.within.codes)), problem)
        problem = "no two groups have the same shares of the levels of y; give one row per group, or use fewer bins"
        return permutable(Units.subjects(self.groups, compositions(self.within, self.groups)), problem)

    @property
    def response_shape(self) -> str:
        """The name of slopes that differ with the response."""
        return ALONG_RESPONSE if self.response.labels is None else BETWEEN_CLASSES

    @property
    def factors(self) -> np.ndarray:
        """Columns for what the response is: an indicator for each class but the first, or the rank of its group."""
        if self.response.labels is None:
            return normalised_ranks(self.levels.codes, self.parts)[:, None]
        return indicators(self.levels.codes)

    def shapes(self, columns: Sequence[Confounder], units: Units) -> Shapes:
        """The shapes of a prediction test: curved, spread, and slopes that differ with the response.

        Groups of a numeric response have few rows, so that curves there are of ranks among all rows of a part.
        """
        by_response = (self.ranked[:, :, None] * self.factors[:, None, :]).reshape(len(self.ranked), -1)
        ranks_within = self.parts if self.response.labels is None else self.within
        curves = tuple(curve(column, ranks_within, units) for column in columns)
        return Shapes(units.means(by_response), self.response_shape, True, curves)


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


# ---- directions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Direction:
    """The direction of a confounder's association with the response, as weights of its columns.

    The weighted sum increases with the response. `is_clear` says whether the association is, `is_curved` whether the
    columns are the curved ones of a numeric confounder, which has no clear linear association. It "inflates" if what
    the scores read of it goes with the response, and "masks" if against it.
    """

    weights: np.ndarray | None
    is_clear: bool
    is_curved: bool = False

    @classmethod
    def of(cls, column: Confounder, tested: TestedRows, *, any_shape: bool) -> "Direction":
        """Direction in which a confounder goes with the levels of y, which permutations within them do not change."""
        if not tested.response.is_ordered:
            return cls(None, False)
        whole = Levels.single(len(tested.ranked))
        ranks = normalised_ranks(tested.levels.codes, whole)
        units = association_units(tested.levels.codes, [column], tested.groups, whole)
        T, form = statistic(units.means(ranks[:, None]), units.means(coded(column, whole).columns), units.strata)
        is_clear = form.df > 0 and form.standardised(T)[0] >= -np.log(2) - log_ndtr(-CLEAR)
        if column.kind == "categorical":
            of_level = Levels.of(column.values)
            means = of_level.sums(ranks) / of_level.counts
            return cls(means[1:] - means[0], is_clear)
        if any_shape and not is_clear and column.kind == "numeric":
            curved = units.means(legendre(normalised_ranks(column.values, whole)))
            parts = [statistic(units.means(ranks[:, None]), part[:, None], units.strata) for part in curved.T]
            z = np.array([form.z(one)[0] if form.df else 0.0 for one, form in parts])
            return cls(np.where(np.abs(z) >= CLEAR_CURVE, z, 0), bool(np.abs(z).max() >= CLEAR_CURVE), True)
        return cls(np.sign(T[0]), is_clear)

    def sign(self, scores: np.ndarray, columns: Any, units: Units) -> str:
        """Whether scores go with the confounder, given y, in the same direction."""
        if self.weights is None or not self.is_clear:
            return "unclear"
        T, form = statistic(scores, columns @ self.weights[:, None], units.strata)
        return sign_of(form.z(T)[0] if form.df else 0.0)


def sign_of(z: float) -> str:
    """The sign of a clear association of scores with a confounder, in the direction of the response."""
    return "unclear" if abs(z) < CLEAR else "inflates" if z > 0 else "masks"
