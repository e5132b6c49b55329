"""Confounders as they come: several variables, categorical and numeric ones, without bins.

A variable is categorical if it holds strings, objects or truth values, or whole numbers with at most ten distinct
values, or any two values; else it is numeric. The combination of the categorical variables is one level per row.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf.method.binning import confounder_levels
from permconf.method.levels import Levels
from permconf.method.validation import complete_vector

MOST_WHOLE_NUMBERS = 10  # distinct values up to which whole numbers are levels


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
    def of(cls, confounders: Any) -> "MixedConfounders":
        """Confounders given as a vector, a matrix with a column for each, a Series or a DataFrame."""
        columns = named_columns(confounders)
        return cls.of_columns(columns, [True] * len(columns))

    @classmethod
    def of_columns(cls, columns: dict[str, np.ndarray], smooth: list[bool]) -> "MixedConfounders":
        """Confounders by name; those not marked as smooth are levels whatever they hold."""
        numeric = {name for name, s in zip(columns, smooth, strict=True) if s and not categorical(columns[name])}
        rows = len(next(iter(columns.values())))
        codes, labels, parts = _combined([Levels.of(v) for name, v in columns.items() if name not in numeric], rows)
        names = tuple(name for name in columns if name in numeric)
        values = [columns[name].astype(float) for name in names]
        return cls(codes, labels, parts, np.column_stack(values) if values else np.empty((rows, 0)), names)

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, rows):
        return MixedConfounders(self.codes[rows], self.labels, self.parts, self.numeric[rows], self.names)


def _combined(variables, rows):
    """Combinations of the levels of several variables: the code of every row, the names and the parts of the codes."""
    if not variables:
        return np.zeros(rows, np.int64), ("all rows",), np.zeros((1, 1), np.int64)
    together = np.stack([v.codes for v in variables], axis=1)
    parts, codes = np.unique(together, axis=0, return_inverse=True)
    names = [tuple(v.values[k].item() for v, k in zip(variables, row, strict=True)) for row in parts]
    return codes.ravel(), tuple(name[0] if len(name) == 1 else name for name in names), parts


def analysed_confounder(c: Any, binning: Any = "levels") -> "np.ndarray | MixedConfounders":
    """The confounders in the columns of `c` (or c itself) as an analysis treats them.

    `binning` is as in `confounder_levels`, or "smooth", for all confounders or for some in a list. The result is a
    vector of levels, unless a confounder that is smooth is numeric.
    """
    binnings = binning if isinstance(binning, list) else [binning]
    if "smooth" not in binnings:
        return confounder_levels(c, binning)
    columns = list(named_columns(c).values())
    binnings = binning if isinstance(binning, list) else [binning] * len(columns)
    if len(binnings) != len(columns):
        raise ValueError(f"confounder gives {len(binnings)} binnings, the data have {len(columns)} confounders")
    smooth = [one == "smooth" for one in binnings]
    made = [v if s else confounder_levels(v, one) for v, s, one in zip(columns, smooth, binnings, strict=True)]
    mixed = MixedConfounders.of_columns({f"c{k + 1}": v for k, v in enumerate(made)}, smooth)
    return mixed if mixed.names else mixed.codes


def categorical(v: np.ndarray) -> bool:
    """Whether a variable is a set of levels rather than a number."""
    if v.dtype.kind not in "iuf":
        return True
    distinct = np.unique(v).size
    return distinct <= 2 or (v.dtype.kind in "iu" and distinct <= MOST_WHOLE_NUMBERS)


def named_columns(confounders: Any) -> dict[str, np.ndarray]:
    """The confounders by name, complete and finite; a ValueError names the one that is not."""
    if hasattr(confounders, "columns"):
        columns = {str(name): np.asarray(confounders[name]) for name in confounders.columns}
    else:
        values = np.asarray(confounders)
        if values.ndim not in (1, 2) or values.shape[1:] == (0,):
            raise ValueError(
                f"confounders must be a vector or a matrix with a column for each, not of shape {values.shape}"
            )
        first = str(getattr(confounders, "name", None) or "c")
        columns = {first: values} if values.ndim == 1 else {f"c{k + 1}": v for k, v in enumerate(values.T)}
    return {name: _complete(v, name) for name, v in columns.items()}


def _complete(v, name):
    v = complete_vector(v, f"confounder {name!r}")
    if v.dtype.kind == "O":
        v = np.array(v.tolist())  # numbers among objects are numbers
    if v.dtype.kind == "f" and not np.isfinite(v).all():
        raise ValueError(f"confounder {name!r} has infinite values")
    return v
