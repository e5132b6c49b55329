"""Matching by subsampling: equal numbers of rows of every class within each level of the confounder."""

from dataclasses import dataclass

import numpy as np

from permconf.adjustments import Adjustment
from permconf.engine.adjustment import adjustment_name
from permconf.options import choice

SETS = ("both", "training")


@dataclass(frozen=True)
class Matching(Adjustment):
    """Drops rows at random until, within each level, every class is as frequent as the rarest one.

    Response and confounder are then independent in the sample. A level that lacks a class is dropped. `sets` is "both"
    or "training" (only the training set is matched).
    """

    sets: str = "both"
    tasks = ("classification",)
    keeps_confounder_tests = True

    def __post_init__(self):
        choice(self.sets, f"sets of {adjustment_name(self)}", SETS)

    @property
    def selects(self):  # type: ignore[override]
        """The sets from which rows are dropped."""
        return ("train", "test") if self.sets == "both" else ("train",)

    def select(self, part, train, rng):
        """The rows that are kept."""
        return matched_rows(part.response, part.confounders.codes, rng)


def matched_rows(response, c, rng):
    """Rows, in order, such that every class is equally frequent within each level of c."""
    y, shuffled = response.values, rng.permutation(len(response))
    kept = []
    for level in np.unique(c):
        by_class = [shuffled[(c[shuffled] == level) & (y[shuffled] == k)] for k in range(response.classes)]
        size = min(rows.size for rows in by_class)
        kept += [rows[:size] for rows in by_class]
    rows = np.sort(np.concatenate(kept))
    if not rows.size:
        raise ValueError("matching leaves no rows: no level of the confounder has rows of every class")
    return rows


ADJUSTMENT = Matching
