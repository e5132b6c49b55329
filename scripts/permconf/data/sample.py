"""A sample: features, response, confounders and subjects, row by row, each of them checked when it was made.

A simulated data set, a table of one's own and a test set with predictions made elsewhere are samples.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from permconf.data.confounders import Confounders, joined
from permconf.data.features import Features
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.values import check_row_order, clean, coded


@dataclass(frozen=True, eq=False)
class Subjects:
    """Whose rows belong together: levels, whose values are the names of the subjects."""

    levels: Levels
    name: str = "groups"

    @classmethod
    def of(cls, groups: Any, *, name: str = "groups", rows: int | None = None) -> "Subjects | None":
        """From a vector with the subject of each row; None without one."""
        if groups is None:
            return None
        labels, codes = coded(clean(groups, name, rows=rows, labels=True))
        if labels.size < 2:
            raise ValueError(f"{name} has one group only, {labels.tolist()[0]!r}; leave groups out")
        return cls(Levels(labels, codes, np.bincount(codes)), name)

    @property
    def codes(self) -> np.ndarray:
        """The subject of every row as a number."""
        return self.levels.codes

    def take(self, rows: Any) -> "Subjects":
        local = Levels.of_codes(self.levels.codes[rows], self.levels.counts.size)
        return replace(self, levels=replace(local, values=self.levels.values[local.values]))


@dataclass(frozen=True, eq=False)
class Sample:
    """Features, response, confounders and subjects (None where rows are independent).

    `index` has the names of the rows, and `notes` what a reader must know about how they were read.
    """

    features: Features
    response: Response
    confounders: Confounders
    subjects: Subjects | None = None
    index: Any = None
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        x, y, c = len(self.features), len(self.response), len(self.confounders)
        if not x == y == c:
            raise ValueError(f"X, y and c have {x}, {y} and {c} rows")

    @classmethod
    def of(cls, X: Any, y: Any, c: Any, *, task: str | None = None, treatment: Any = "levels") -> "Sample":
        """From arrays or pandas objects with one row for each row of the response."""
        check_row_order(X=X, y=y, confounders=c)
        response = Response.of(y, task)
        return cls(Features.of(X), response, Confounders.of(c, treatment, rows=len(response)))

    @classmethod
    def of_sets(
        cls, train: tuple, test: tuple, *, task: str | None = None, treatment: Any = "levels", positive: Any = None
    ) -> "Sample":
        """The rows of a training set (X, y, c), then those of a test set; confounders are analysed together."""
        for values, part in ((train, "train"), (test, "test")):
            named = {f"{name}_{part}": one for name, one in zip("Xyc", values, strict=True)}
            check_row_order(**named)
            for name, one in named.items():
                if not np.shape(one):
                    raise ValueError(f"{name} must have a row for each row of the data, not {type(one).__name__}")
            x, y, c = (np.shape(one)[0] for one in values)
            if not x == y == c:
                raise ValueError(f"X_{part}, y_{part} and c_{part} have {x}, {y} and {c} rows")
        n = len(train[1])

        def row_name(row):
            return f"row {row} of c_train" if row < n else f"row {row - n} of c_test"

        confounders = Confounders.of(joined(train[2], test[2]), treatment, row_name=row_name)
        both = (train[1], "y_train"), (test[1], "y_test")
        parts = [clean(y, name) if len(y) else y for y, name in both]  # what learns nothing needs no training rows
        response = Response.of(joined(parts[0], parts[1], "y"), task, positive=positive)
        return cls(Features.of_sets(train[0], test[0]), response, confounders)

    def take(self, rows: Any) -> "Sample":
        """Some rows; a row that is taken twice becomes two rows."""
        return Sample(
            self.features.take(rows),
            self.response.take(rows),
            self.confounders.take(rows),
            None if self.subjects is None else self.subjects.take(rows),
            None if self.index is None else self.index[rows],
            self.notes,
        )

    def treated(self, treatment: Any) -> "Sample":
        return replace(self, confounders=self.confounders.treated(treatment))

    def __len__(self) -> int:
        return len(self.response)
