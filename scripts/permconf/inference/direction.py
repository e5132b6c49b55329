"""The direction of a confounder: whether what the scores read of it goes with the response, or against it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.inference.association_test import association_units
from permconf.inference.ranks import coded, normalised_ranks, statistic
from permconf.inference.shapes import legendre
from permconf.inference.tested_rows import TestedRows
from permconf.permute.units import Units

CLEAR = 1.64  # |z| from which the direction of an association is reported
CLEAR_CURVE = 2.5  # the same for one of the two parts of a curve


@dataclass(frozen=True)
class Direction:
    """The direction of a confounder's association with the response, as weights of its columns.

    The weighted sum increases with the response. `is_clear` says whether the association is, `is_curved` whether the
    columns are the curved ones of a numeric confounder, which has no clear linear association.
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
        z = form.z(T)[0] if form.df else 0.0
        return sign_of(z)


def sign_of(z: float) -> str:
    """The sign of a clear association of scores with a confounder, in the direction of the response."""
    return "unclear" if abs(z) < CLEAR else "inflates" if z > 0 else "masks"
