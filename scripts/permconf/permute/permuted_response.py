"""How the response of a table is permuted: by rows or by subjects, within parts and levels of the confounders.

Where rows belong to groups (subjects), a response that is constant within subjects is permuted between subjects with
the same confounders. A response that varies within subjects is permuted among the rows of each subject.
"""

from dataclasses import dataclass

import numpy as np

from permconf.data.levels import Levels
from permconf.data.mixed_confounders import MixedConfounders
from permconf.permute.conditional import ConditionalShuffle
from permconf.permute.shuffles import shuffled
from permconf.permute.units import compositions, first_rows, pasted, varies_within


@dataclass(frozen=True)
class PermutedResponse:
    """The response of the units, the strata of units within which it is permuted, and the unit of every row.

    `unit` is None if rows are the units. `conditional` replaces permutations within strata by conditional ones.
    """

    y: np.ndarray
    strata: Levels
    unit: np.ndarray | None = None
    conditional: ConditionalShuffle | None = None

    def shuffled(self, keys: np.ndarray) -> np.ndarray:
        """One permuted response (column) per key."""
        Y = self.conditional.shuffled(keys) if self.conditional else shuffled(self.y, self.strata, keys)
        return Y if self.unit is None else Y[self.unit]

    @property
    def fixed(self) -> tuple[int, int]:
        """Numbers of strata, and of rows in them, where no permutation changes anything."""
        low, high = (np.full(self.strata.counts.size, end) for end in (np.inf, -np.inf))
        np.minimum.at(low, self.strata.codes, self.y)
        np.maximum.at(high, self.strata.codes, self.y)
        rows = np.ones(len(self.y)) if self.unit is None else np.bincount(self.unit)
        still = low == high
        return int(still.sum()), int(self.strata.sums(rows)[still].sum())


def permuted_response(y, confounders, groups, parts, hub_keys):
    """The permutations of a response given confounders (None: free ones), with groups and parts, if any."""
    parts = np.zeros(len(y), np.int64) if parts is None else parts
    if confounders is None:
        confounders = MixedConfounders.of(np.zeros(len(y), np.int64), "levels")
    if groups is None or varies_within(y, groups):
        within = parts if groups is None else pasted(parts, groups.codes).codes
        return _permutable(_between(y, confounders, pasted(confounders.codes, within), hub_keys), groups)
    first = first_rows(groups)
    _check_constant(confounders, groups)
    codes = compositions(Levels.of(confounders.codes), groups)[first]
    strata = pasted(codes, parts[first])
    return _permutable(_between(y[first], confounders[first], strata, hub_keys, groups.codes), groups)


def _between(y, confounders, strata, hub_keys, unit=None):
    """Permutations of units within strata; conditional ones if there are numeric confounders."""
    conditional = None
    if confounders.names:
        classes = y.dtype == np.uint8
        conditional = ConditionalShuffle.of(y, confounders, hub_keys, classes=classes, within=strata.codes)
    return PermutedResponse(y, strata, unit, conditional)


def _check_constant(confounders, groups):
    """Raise ValueError for a numeric confounder that varies within groups where the response does not."""
    for name, values in zip(confounders.names, confounders.numeric.T, strict=True):
        if varies_within(values, groups):
            raise ValueError(
                f"the response is constant within groups but confounder {name!r} is not, so the response can be"
                " permuted neither within nor between groups; give the confounder one value per group, such as a mean"
            )


def _permutable(permuted, groups):
    """The permutations, or a ValueError if there is nothing to permute."""
    if permuted.fixed[0] < permuted.strata.counts.size:
        return permuted
    units = "row" if permuted.unit is None else "group"
    within = " of a group" if groups is not None and permuted.unit is None else ""
    raise ValueError(
        f"the response cannot be permuted: every combination{within} of the confounders, in every part of the split,"
        f" has a single {units} or a single value of the response; give fewer confounders, or bins of a numeric one"
    )
