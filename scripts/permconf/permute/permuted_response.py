"""How the response of a sample is permuted: by rows or by subjects, within parts and levels of the confounders.

Where rows belong to subjects, a response that is constant within subjects is permuted between subjects with the same
confounders. A response that varies within subjects is permuted among the rows of each subject.
"""

from dataclasses import dataclass

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.permute.conditional import ConditionalShuffle
from permconf.permute.shuffles import shuffled
from permconf.permute.units import compositions, crossed, first_rows, varies_within


@dataclass(frozen=True)
class PermutedResponse:
    """The response of the units, the strata of units within which it is permuted, and the unit of every row.

    `unit` is None if rows are the units. `conditional` replaces permutations within strata by conditional ones.
    """

    y: np.ndarray
    strata: Levels
    unit: np.ndarray | None = None
    conditional: ConditionalShuffle | None = None

    @classmethod
    def of(
        cls,
        response: Response,
        confounders: Confounders,
        subjects: Subjects | None,
        parts: np.ndarray | None,
        hub_keys: np.ndarray | None,
        *,
        keep_fit: bool = False,
    ) -> "PermutedResponse":
        """The permutations given confounders, with subjects and parts, if any; keys are needed for numeric ones.

        `keep_fit` also keeps the fit of the response to numeric confounders (`permconf.permute.kept_fit`).
        """
        strata, unit, conditional = confounders.strata, None, None
        if subjects is None and parts is not None:
            strata = crossed(confounders.codes, parts)
        elif subjects is not None:
            parts, groups = np.zeros(len(response), np.int64) if parts is None else parts, subjects.levels
            if varies_within(response.values, groups):
                strata = crossed(confounders.codes, crossed(parts, groups.codes).codes)
            else:
                _check_constant(confounders, groups)
                first, unit = first_rows(groups), groups.codes
                strata = crossed(compositions(confounders.strata, groups)[first], parts[first])
                response, confounders = response.take(first), confounders.take(first)
        if not confounders.has_levels:
            assert hub_keys is not None
            conditional = ConditionalShuffle.of(response, confounders, hub_keys, within=strata, keep_fit=keep_fit)
        return cls(response.values, strata, unit, conditional)

    def shuffled(self, keys: np.ndarray) -> np.ndarray:
        """One permuted response (column) per key."""
        Y = self.conditional.shuffled(keys) if self.conditional else shuffled(self.y, self.strata, keys)
        return Y if self.unit is None else Y[self.unit]

    @property
    def fixed(self) -> tuple[int, int]:
        """Numbers of strata, and of rows in them, where no permutation changes anything."""
        y, starts = self.y[self.strata.order], self.strata.starts[:-1]
        still = np.minimum.reduceat(y, starts) == np.maximum.reduceat(y, starts)
        rows = np.ones(len(self.y)) if self.unit is None else np.bincount(self.unit)
        return int(still.sum()), int(self.strata.sums(rows)[still].sum())

    def checked(self, *, within_subjects: bool) -> "PermutedResponse":
        """These permutations, or a ValueError if there is nothing to permute."""
        if self.fixed[0] < self.strata.counts.size:
            return self
        units = "row" if self.unit is None else "group"
        within = " of a group" if within_subjects and self.unit is None else ""
        raise ValueError(
            f"the response cannot be permuted: every combination{within} of the confounders, in every part of the"
            f" split, has a single {units} or a single value of the response; give fewer confounders, or bins of a"
            " numeric one"
        )


def _check_constant(confounders, groups):
    """Raise ValueError for a numeric confounder that varies within groups where the response does not."""
    for name, values in zip(confounders.numeric_names, confounders.numeric.T, strict=True):
        if varies_within(values, groups):
            raise ValueError(
                f"the response is constant within groups but confounder {name!r} is not, so the response can be"
                " permuted neither within nor between groups; give the confounder one value per group, such as a mean"
            )
