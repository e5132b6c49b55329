"""Confounders as a user has them, as checked columns with a name and a kind: the one entry of every function.

How a confounder is analysed is "levels" (every distinct value is a level), a binning (`permconf.data.binning`) or
"smooth", as it comes: *binary* if it has two distinct values, *categorical* if its values are labels (text, categories,
objects that are no numbers or dates, truth values) or whole numbers or dates with at most ten distinct values, and
*numeric* otherwise. That is one for all confounders, or one for each: in a list, or in a mapping by name. Missing or
infinite values, wrong lengths and what cannot be binned are errors that name the column and the row.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from permconf.data.binning import binned, check_binning, is_binning
from permconf.data.features import LARGEST
from permconf.data.validation import plain_values
from permconf.errors import nearest

MOST_LEVELS = 10  # distinct whole numbers up to which a column is taken as levels
ROWS_PER_LEVEL = 5  # values with fewer rows each, on average, are taken as measurements rather than labels


@dataclass(frozen=True)
class ConfounderColumn:
    """One confounder: its name, its kind ("binary", "categorical" or "numeric"), and a number for every row.

    The numbers are the values of a numeric confounder, and the codes 0, 1, ... of the `levels` of any other. `binning`
    is what was asked for; the levels of a confounder in bins are their numbers, and `unbinned` has its values.
    """

    name: str
    kind: str
    values: np.ndarray
    levels: tuple | None = None
    binning: Any = "smooth"
    unbinned: np.ndarray | None = None

    def rows(self, rows: Any) -> "ConfounderColumn":
        """Some of the rows (a slice or index)."""
        return replace(self, values=self.values[rows], unbinned=None if self.unbinned is None else self.unbinned[rows])


def confounder_columns(
    confounders: Any,
    binning: Any = "smooth",
    *,
    rows: int | None = None,
    row_name: Callable[[int], str] = "row {}".format,
) -> list[ConfounderColumn]:
    """The columns of a vector, an (m, k) array, a pandas Series or a DataFrame, checked and with their kinds.

    `rows`, where given, is the number of rows that the columns must have; `row_name` names a row in an error.
    """
    columns = _named_columns(confounders)
    length = len(columns[0][1])
    if rows is not None and length != rows:
        raise ValueError(f"confounders have {length} rows where {rows} are needed, one for each row of y")
    binnings = _one_for_each(binning, [name for name, _ in columns])
    return [_column(name, values, one, row_name) for (name, values), one in zip(columns, binnings, strict=True)]


def varying(columns: list[ConfounderColumn]) -> list[ConfounderColumn]:
    """The columns, or a ValueError if one is constant."""
    for column in columns:
        if column.levels and len(column.levels) == 1:
            raise ValueError(f"{_title(column.name)} is constant: every value is {column.levels[0]}; leave it out")
    return columns


def check_row_order(**vectors: Any) -> None:
    """Raise ValueError if two of these are pandas objects with the same row labels in a different order."""
    indexes = {name: v.index for name, v in vectors.items() if hasattr(v, "iloc")}
    for (one, index), (other, another) in combinations(indexes.items(), 2):
        if len(index) == len(another) and not index.equals(another) and set(index) == set(another):
            raise ValueError(
                f"{one} and {other} have the same row labels in a different order; align them, for example with"
                f" {other}.loc[{one}.index], or give {other}.to_numpy() if the rows are in the same order"
            )


def joined(c_train: Any, c_test: Any) -> Any:
    """The confounders of the training rows, then those of the test rows."""
    c_train, c_test = _of_pandas(c_train), _of_pandas(c_test)
    if hasattr(c_train, "iloc") and hasattr(c_test, "iloc"):
        import pandas as pd

        if list(getattr(c_train, "columns", [])) != list(getattr(c_test, "columns", [])):
            raise ValueError("c_train and c_test have different columns")
        return pd.concat([c_train, c_test], ignore_index=True)
    c_train, c_test = (np.asarray(c) if hasattr(c, "iloc") else _as_array(c) for c in (c_train, c_test))
    if c_train.shape[1:] != c_test.shape[1:]:
        raise ValueError(f"c_train and c_test have different columns: shapes {c_train.shape} and {c_test.shape}")
    return np.concatenate([c_train, c_test])


# ---- columns and what is asked of them -------------------------------------------------------------------------------


def _named_columns(confounders):
    """Pairs of a name and a vector: an array, or a pandas Series where only that can tell numbers from labels."""
    confounders = _of_pandas(confounders)
    if hasattr(confounders, "columns") and hasattr(confounders, "iloc"):
        names = _unique_names(confounders.columns)
        pairs = [(name, confounders.iloc[:, j]) for j, name in enumerate(names)]
    elif hasattr(confounders, "iloc"):
        pairs = [("confounder" if confounders.name is None else str(confounders.name), confounders)]
    else:
        array = _as_array(confounders)
        columns = [array] if array.ndim == 1 else [array[:, j] for j in range(array.shape[1])]
        names = ["confounder"] if len(columns) == 1 else [f"confounder {j + 1}" for j in range(len(columns))]
        pairs = list(zip(names, columns, strict=True))
    if not pairs or not len(pairs[0][1]):
        raise ValueError("confounders are empty; at least one column with rows is needed")
    return pairs


def _of_pandas(confounders):
    """Tables and columns of other libraries as those of pandas, if they know how."""
    convert = None if hasattr(confounders, "iloc") else getattr(confounders, "to_pandas", None)
    return confounders if convert is None else convert()


def _unique_names(columns):
    names = [str(name) for name in columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"confounders have several columns named {repeated[0]!r}; give every column its own name")
    return names


def _as_array(values):
    """A vector or matrix; numbers beside labels or None stay what they are."""
    if values is None or isinstance(values, Mapping | set | str | bytes):
        raise ValueError(
            f"confounders must be a vector, an (m, k) array, a Series or a DataFrame, not {type(values).__name__};"
            " put named columns into a DataFrame"
        )
    try:
        array = np.asarray(plain_values(values))
    except ValueError as error:
        raise ValueError("confounders must have rows of one length; they form no vector and no (m, k) array") from error
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, object)
    if hasattr(values, "isna"):  # pandas' own arrays
        import pandas as pd

        return pd.Series(values)
    if array.ndim not in (1, 2):
        raise ValueError(f"confounders must be a vector or an (m, k) array, not an array of shape {array.shape}")
    return array


def _one_for_each(binning, names):
    """What is asked of every column, checked."""
    if isinstance(binning, Mapping) and not is_binning(binning, names):
        unknown = [name for name in binning if name not in names]
        if unknown:
            raise ValueError(f"unknown confounder {unknown[0]!r}{nearest(unknown[0], names)}")
        lacking = [name for name in names if name not in binning]
        if lacking:
            raise ValueError(f"confounder has no entry for {lacking[0]!r}; give 'levels', 'smooth' or a binning")
        binning = [binning[name] for name in names]
    binnings = binning if isinstance(binning, list) else [binning] * len(names)
    if len(binnings) != len(names):
        raise ValueError(f"confounder gives {len(binnings)} binnings, the data have {len(names)} confounders")
    return [check_binning(one) for one in binnings]


# ---- one column ------------------------------------------------------------------------------------------------------


def _title(name):
    return name if name.startswith("confounder") else f"confounder {name!r}"


def _column(name, column, binning, row_name):
    """The column with its kind, or a ValueError that names it."""
    title = _title(name)
    values = _complete(title, column, row_name, labels=binning == "levels")
    if isinstance(binning, Mapping):
        numbers = _numbers(title, values)
        levels, codes = np.unique(binned(numbers, binning), return_inverse=True)
        return ConfounderColumn(name, _kind(levels), codes, tuple(levels.tolist()), binning, numbers)
    levels, codes = _levels(values)
    if binning == "levels" or categorical(values, levels.size):
        if binning == "smooth":
            _check_not_numbers_as_text(title, levels, len(codes))
        return ConfounderColumn(name, _kind(levels), codes, tuple(levels.tolist()), binning)
    return ConfounderColumn(name, "numeric", _numbers(title, _told_apart(values, levels.size)))


def _kind(levels):
    return "binary" if levels.size == 2 else "categorical"


def categorical(values: Any, distinct: int) -> bool:
    """Whether values, so many of them distinct, are labels rather than numbers."""
    if distinct <= 2 or values.dtype.kind not in "iufMm":
        return True
    return values.dtype.kind != "f" and distinct <= MOST_LEVELS


def _complete(title, column, row_name, *, labels):
    """An array of numbers, dates or text, or pandas categories, without missing or infinite values.

    Unless they are to be `labels`, objects that stand for numbers or dates become such.
    """
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        values, bad = column, np.zeros(len(column), bool)
    else:
        values, bad = _from_pandas(column, labels)
    if values.dtype.kind == "c":
        raise ValueError(f"{title} holds complex numbers; give real numbers or labels")
    if values.dtype.kind in "fMm":
        bad = bad | ~np.isfinite(values)
    if bad.any():
        first = row_name(int(np.flatnonzero(bad)[0]))
        raise ValueError(
            f"{title} has missing or infinite values in {bad.sum()} of {len(bad)} rows, the first is {first};"
            " drop those rows or replace the values"
        )
    return values


def _from_pandas(column, labels):
    """A Series, or a vector of objects, as `_complete` needs it, and which of its rows are missing or infinite."""
    import pandas as pd  # slow to import, and studies have arrays of numbers

    column = pd.Series(column)
    if isinstance(column.dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    bad = column.isna().to_numpy()
    if bad.any():
        return np.zeros(len(bad), int), bad
    if column.dtype == object:
        column = column.infer_objects()
    column = column if labels else _measured(column)
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert(None)
    if pd.api.types.is_numeric_dtype(column.dtype) or column.dtype.kind in "Mm":
        return column.to_numpy(getattr(column.dtype, "numpy_dtype", column.dtype)), bad
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        return column, _infinite(column.cat.categories)[column.cat.codes]
    infinite = _infinite(column) if column.dtype == object else bad
    return np.array(column.astype(str).tolist()), infinite


def _measured(column):
    """Decimals and fractions as floats, and more dates or periods than can be levels as NumPy has them."""
    import pandas as pd

    kind = pd.api.types.infer_dtype(column)
    if kind == "decimal" or (kind == "mixed" and all(isinstance(value, Fraction) for value in column)):
        return column.astype(float)
    if kind not in ("date", "period") or column.nunique() <= MOST_LEVELS:
        return column
    return pd.to_datetime(column) if kind == "date" else column.dt.to_timestamp()


def _infinite(values):
    return np.array([isinstance(value, float | Decimal) and math.isinf(value) for value in values], bool)


def _check_not_numbers_as_text(title, levels, rows):
    if levels.dtype.kind == "U" and levels.size > MOST_LEVELS and levels.size * ROWS_PER_LEVEL > rows:
        try:
            levels.astype(float)
        except ValueError:
            return
        raise ValueError(
            f"{title} holds numbers written as text, such as {levels[0].item()!r}; convert it with astype(float), or"
            " with astype('category') if they are labels"
        )


def _levels(values):
    """Distinct values in their order, and the number of each row's value among them."""
    if hasattr(values, "cat"):
        return values.cat.categories.to_numpy(), values.cat.codes.to_numpy(np.int64)
    return np.unique(values, return_inverse=True)


def _told_apart(values, distinct):
    """Values; whole numbers and dates that floats cannot tell apart as distances from the smallest one."""
    whole = values.astype(np.int64) if values.dtype.kind in "Mm" else values
    if whole.dtype.kind not in "iu" or np.unique(whole.astype(float)).size == distinct:
        return values
    return whole.astype(np.uint64) - whole.min().astype(np.uint64)  # modulo 2**64, so that nothing overflows


def _numbers(title, values):
    """Values as floats; dates and durations by their number of time units."""
    if values.dtype.kind in "Mm":
        values = values.astype(np.int64)
    try:
        numbers = np.asarray(values).astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{title} cannot be binned because its values are not all numbers; use 'levels'") from error
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"{title} has missing or infinite values, written as text; drop those rows or replace the values"
        )
    if np.abs(numbers).max() > LARGEST:
        raise ValueError(f"{title} has values beyond {LARGEST:g}, whose squares are no numbers any more; rescale it")
    if 0 < np.ptp(numbers) < 1 / LARGEST:
        raise ValueError(f"{title} varies by less than {1 / LARGEST:g}, whose square is zero; rescale it")
    return numbers
