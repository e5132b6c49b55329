"""What a permutation exchanges: single rows, or whole subjects where the rows of a subject depend on each other.

A confounder that is constant within subjects is permuted between whole subjects; one that varies within subjects is
permuted among the rows of each subject.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels

LARGEST_FORM = 4_000  # entries of T (`permconf.inference.ranks`): its covariance takes their square of memory


@dataclass(frozen=True)
class Coded:
    """A confounder as the columns (n, k) of a linear statistic, and the codes 0, 1, ... of its levels if it has any."""

    columns: np.ndarray
    codes: np.ndarray | None = None


@dataclass(frozen=True)
class Units:
    """The units that are exchanged, the number of the unit that each row is in, and the strata of the units."""

    name: str  # "rows" or "subjects"
    of_row: Levels
    strata: Levels

    @classmethod
    def rows(cls, strata):
        return cls("rows", Levels.of(np.arange(len(strata.codes))), strata)

    @classmethod
    def subjects(cls, subjects, strata_of_rows):
        """Every subject is a unit, in the stratum that all of its rows are in."""
        return cls("subjects", subjects, Levels.of(strata_of_rows[first_rows(subjects)]))

    def means(self, columns):
        """Columns of the rows, averaged over each unit."""
        if self.name == "rows":
            return columns
        return np.stack([self.of_row.sums(column) / self.of_row.counts for column in columns.T], axis=1)

    def coded(self, confounder: Coded) -> Coded:
        """A confounder of the rows as one of the units."""
        codes = confounder.codes
        if self.name != "rows" and codes is not None:
            codes = None if varies_within(codes, self.of_row) else codes[first_rows(self.of_row)]
        return Coded(self.means(confounder.columns), codes)

    def changeable(self, columns):
        """Number of units in strata in which the columns vary, so that a permutation can change them."""
        first = columns[first_rows(self.strata)][self.strata.codes]
        varying = np.unique(self.strata.codes[(columns != first).any(axis=1)])
        return int(self.strata.counts[varying].sum())


def permutable(units: Units, problem: str) -> Units:
    """The units, or a ValueError if none of them has another one in its stratum."""
    if units.strata.counts.max() < 2:
        raise ValueError(f"nothing can be permuted: {problem}")
    return units


def crossed(one, other):
    """Levels of the pairs of two codes."""
    return Levels.of(one * (other.max() + 1) + other)


def varies_within(values, levels):
    """Whether any level holds different values."""
    return bool(np.any(values != values[first_rows(levels)][levels.codes]))


def first_rows(levels):
    return levels.order[levels.starts[:-1]]


def compositions(levels, subjects):
    """For each row, the code of its subject's shares of the levels: subjects with the same code are alike in them."""
    table = np.zeros((subjects.counts.size, levels.counts.size), np.int64)
    np.add.at(table, (subjects.codes, levels.codes), 1)
    table //= np.gcd.reduce(table, axis=1)[:, None]  # shares, in smallest terms
    by_first_level = table[:, ::-1]  # so that subjects of one level are sorted like that level
    return np.unique(by_first_level, axis=0, return_inverse=True)[1].ravel()[subjects.codes]


def check_level_numbers(columns: Sequence[Confounder], units: Units, scores: int) -> None:
    """Raise ValueError for labels that are different for every unit, or too many for so many columns of scores."""
    count = units.of_row.counts.size
    levels = [(column, 2 if column.levels is None else column.levels.size) for column in columns]
    for column, size in levels:
        if column.kind == "categorical" and size >= count:
            raise ValueError(
                f"confounder {column.name!r} has a different label for each of {count} {units.name}; leave it out if it"
                " is an identifier, or give numbers or broader categories"
            )
    largest = max(size for _, size in levels)
    if scores * (largest - 1) > LARGEST_FORM:
        raise ValueError(f"a confounder has {largest:,} levels, too many for a joint test; give broader categories")


def split_by_variation(columns, subjects):
    """Names of confounders that vary within subjects, and of those that do not."""
    varying = [column.name for column in columns if varies_within(column.values, subjects)]
    return varying, [column.name for column in columns if column.name not in varying]


def association_units(y: np.ndarray, columns: Sequence[Confounder], subjects: Levels | None, parts: Levels) -> Units:
    """What is permuted: rows within parts, whole subjects within parts, or the rows of each subject."""
    if subjects is None:
        return permutable(Units.rows(parts), "each part has a single row; give fewer parts")
    varying, constant = split_by_variation(columns, subjects)
    if not varying or not varies_within(y, subjects):
        strange = np.flatnonzero(parts.codes != parts.codes[first_rows(subjects)][subjects.codes])
        if strange.size:
            raise ValueError(f"the group of row {strange[0]} is in several parts; keep the rows of a group in one part")
        problem = "each part has a single subject; give fewer parts or more subjects"
        return permutable(Units.subjects(subjects, parts.codes), problem)
    if constant:
        raise ValueError(
            f"{varying[0]!r} varies within groups, {constant[0]!r} does not, and y varies; test them separately"
        )
    within = Units.rows(crossed(subjects.codes, parts.codes))
    return permutable(within, "every group has a single row; leave groups out")
