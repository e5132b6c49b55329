"""Several confounders as an analysis needs them: the combination of the levels of some, and the numbers of others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf.data.confounders import ConfounderColumn, confounder_columns, joined


@dataclass(frozen=True)
class MixedConfounders:
    """The level of every row in the combination of the categorical confounders, and a column for each numeric one.

    `labels` names the levels: a value, or a tuple of values where there are several categorical confounders; row l of
    `parts` has the level of each of these in combination l.
    """

    codes: np.ndarray
    labels: tuple
    parts: np.ndarray
    numeric: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def of(cls, confounders: Any, binning: Any = "smooth", **checks: Any) -> "MixedConfounders":
        """Confounders as `confounder_columns` takes them."""
        return cls.of_columns(confounder_columns(confounders, binning, **checks))

    @classmethod
    def of_columns(cls, columns: list[ConfounderColumn]) -> "MixedConfounders":
        """Columns that have been checked."""
        rows, numeric = len(columns[0].values), [column for column in columns if column.kind == "numeric"]
        values = np.column_stack([column.values for column in numeric]) if numeric else np.empty((rows, 0))
        levelled = [column for column in columns if column.kind != "numeric"]
        codes, labels, parts = _combined(levelled, rows)
        return cls(codes, labels, parts, values, tuple(column.name for column in numeric))

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, rows):
        return MixedConfounders(self.codes[rows], self.labels, self.parts, self.numeric[rows], self.names)


def _combined(columns, rows):
    """Combinations of the levels of several columns: the code of every row, the names and the parts of the codes."""
    if not columns:
        return np.zeros(rows, np.int64), ("all rows",), np.zeros((1, 1), np.int64)
    together = np.stack([column.values for column in columns], axis=1)
    parts, codes = np.unique(together, axis=0, return_inverse=True)
    names = [tuple(column.levels[k] for column, k in zip(columns, row, strict=True)) for row in parts]
    return codes.ravel(), tuple(name[0] if len(name) == 1 else name for name in names), parts


def analysed_confounder(c: Any, binning: Any = "levels", **checks: Any) -> Any:
    """Confounders as the paper's method treats them: a vector of levels, unless one that is smooth is numeric."""
    mixed = MixedConfounders.of(c, binning, **checks)
    if mixed.names:
        return mixed
    if any(isinstance(label, tuple) for label in mixed.labels):  # of several confounders, or no scalars
        return mixed.codes
    return np.array(mixed.labels)[mixed.codes]


def analysed_confounders(c_train: Any, c_test: Any, binning: Any) -> tuple[Any, Any]:
    """The same for a training and a test set. The response has no part in it, so they may be binned together."""
    both, n = joined(c_train, c_test), len(c_train)

    def row_name(row):
        return f"row {row} of c_train" if row < n else f"row {row - n} of c_test"

    c = analysed_confounder(both, binning, row_name=row_name)
    return c[:n], c[n:]
