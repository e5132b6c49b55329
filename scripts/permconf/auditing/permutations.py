"""How the response of a table is permuted: by rows or by subjects, within parts and levels of the confounders.

Where rows belong to groups (subjects), a response that is constant within subjects is permuted between subjects with
the same confounders; a response that varies within subjects is permuted among the rows of each subject.
"""

from dataclasses import dataclass

import numpy as np

from permconf.method.conditional_shuffle import ConditionalShuffle
from permconf.method.levels import Levels
from permconf.method.mixed_confounders import MixedConfounders
from permconf.method.shuffles import shuffled
from permconf.method.units import compositions, first_rows, pasted, varies_within


@dataclass(frozen=True)
class PermutedResponse:
    """The response of the units, the unit of every row, and the strata of units within which it is permuted."""

    y: np.ndarray
    unit: np.ndarray | None
    strata: Levels
    conditional: ConditionalShuffle | None = None

    def shuffled(self, keys):
        """One permuted response (column) per key."""
        Y = self.conditional.shuffled(keys) if self.conditional else shuffled(self.y, self.strata, keys)
        return Y if self.unit is None else Y[self.unit]

    @property
    def fixed(self):
        """Numbers of strata, and of rows in them, where no permutation changes anything."""
        low, high = (np.full(self.strata.counts.size, self.y[0], float) for _ in range(2))
        low[:], high[:] = np.inf, -np.inf
        np.minimum.at(low, self.strata.codes, self.y)
        np.maximum.at(high, self.strata.codes, self.y)
        rows = np.ones(len(self.y)) if self.unit is None else np.bincount(self.unit)
        still = low == high
        return int(still.sum()), int(self.strata.sums(rows)[still].sum())


def permuted_response(y, confounders, groups, parts, hub_keys):
    """The permutations of a response given confounders (None: free permutations), for groups and parts, if any."""
    part = np.zeros(len(y), np.int64) if parts is None else parts
    if confounders is None:
        confounders = MixedConfounders.of(np.zeros(len(y), np.int64))
    if groups is None:
        return _rows(y, confounders, part, hub_keys)
    if varies_within(y, groups):
        return _rows(y, confounders, pasted(part, groups.codes).codes, hub_keys)
    return _subjects(y, confounders, groups, part, hub_keys)


def _rows(y, confounders, within, hub_keys):
    strata = pasted(confounders.codes, within)
    return PermutedResponse(y, None, strata, _conditional(y, confounders, strata, hub_keys))


def _subjects(y, confounders, groups, part, hub_keys):
    first = first_rows(groups)
    of_subject = confounders[first]
    codes = compositions(Levels.of(confounders.codes), groups)[first]
    for j, name in enumerate(confounders.names):
        if varies_within(confounders.numeric[:, j], groups):
            raise ValueError(
                f"the response is constant within groups and confounder {name!r} is not; give one value per group, such"
                " as its mean"
            )
    strata = pasted(codes, part[first])
    return PermutedResponse(y[first], groups.codes, strata, _conditional(y[first], of_subject, strata, hub_keys))


def _conditional(y, confounders, strata, hub_keys):
    """The conditional shuffle, for numeric confounders; without them permutations within strata are enough."""
    if not confounders.names:
        return None
    return ConditionalShuffle.of(y, confounders, hub_keys, classes=y.dtype == np.uint8, within=strata.codes)
