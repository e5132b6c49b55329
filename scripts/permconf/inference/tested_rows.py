"""The rows of a prediction test: the scores ranked within levels of the response, and what may be exchanged."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.data.response import RESPONSE_GROUPS, Response
from permconf.data.sample import Subjects
from permconf.inference.ranks import indicators, normalised_ranks
from permconf.inference.shapes import ALONG_RESPONSE, BETWEEN_CLASSES, Shapes, curve
from permconf.options import whole_number
from permconf.permute.units import Units, compositions, crossed, permutable, split_by_variation

ROWS_PER_SEGMENT = 20
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
    def of(
        cls, S: np.ndarray, response: Response, subjects: Subjects | None, parts: Levels, bins: int | None
    ) -> "TestedRows":
        """Rows with scores (m, q); a numeric response is cut into `bins` groups (see `prediction_test`)."""
        response = response.present()
        if bins is None and subjects is not None:  # finer groups leave few subjects that are alike in them
            bins = RESPONSE_GROUPS
        bins = bins if bins is None else whole_number(bins, "bins", least=2)
        levels = response.levels(bins, parts=parts.counts.size)
        within = crossed(parts.codes, levels.codes)
        if parts.counts.size > 1 and within.counts.max() < 2:
            raise ValueError("nothing can be permuted: no two rows of a part have the same y; give fewer parts")
        groups = None if subjects is None else subjects.levels
        return cls(ranked_scores(S, response, within, parts), response, levels, within, parts, groups)

    def units(self, columns: Sequence[Confounder]) -> Units:
        """What is exchanged: rows of the same y, whole subjects with the same shares of y, or a subject's rows by y."""
        if self.groups is None:
            return permutable(
                Units.rows(self.within), "y has a different label in every row; give classes, or numbers as floats"
            )
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
