"""Confounders as a user has them, as columns with a name and a kind; the one entry for every function that takes them.

A column is *binary* if it has two distinct values, *categorical* if its values are labels (text, categories, objects,
truth values) or whole numbers or dates with at most ten distinct values, and *numeric* otherwise. Missing or infinite
values, constant columns and wrong lengths are errors that name the column.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

MOST_LEVELS = 10  # distinct whole numbers up to which a column is taken as levels


@dataclass(frozen=True)
class ConfounderColumn:
    """One confounder: its name, its kind ("binary", "categorical" or "numeric"), and a number for every row.

    The numbers are the values of a numeric confounder, and the codes 0, 1, ... of the `levels` of any other.
    """

    name: str
    kind: str
    values: np.ndarray
    levels: tuple | None = None


def confounder_columns(confounders: Any, *, rows: int | None = None) -> list[ConfounderColumn]:
    """The columns of a vector, an (m, k) array, a pandas Series or a DataFrame, checked and with their kinds.

    `rows`, where given, is the number of rows that the columns must have.
    """
    columns = _named_columns(confounders)
    length = len(columns[0][1])
    if rows is not None and length != rows:
        raise ValueError(f"confounders have {length} rows where {rows} are needed, one for each row of y")
    return [_column(name, values) for name, values in columns]


def check_row_order(**vectors: Any) -> None:
    """Raise ValueError if two of these are pandas objects with the same row labels in a different order."""
    indexes = {name: v.index for name, v in vectors.items() if isinstance(v, pd.Series | pd.DataFrame)}
    for (one, index), (other, another) in combinations(indexes.items(), 2):
        if len(index) == len(another) and not index.equals(another) and set(index) == set(another):
            raise ValueError(
                f"{one} and {other} have the same row labels in a different order; align them first, for example with"
                f" {other}.loc[{one}.index]"
            )


def _named_columns(confounders):
    """Pairs of a name and a pandas Series."""
    if isinstance(confounders, pd.DataFrame):
        names = _unique_names(confounders.columns)
        pairs = [(name, confounders.iloc[:, j]) for j, name in enumerate(names)]
    elif isinstance(confounders, pd.Series):
        pairs = [("confounder" if confounders.name is None else str(confounders.name), confounders)]
    else:
        pairs = _array_columns(confounders)
    if not pairs or not len(pairs[0][1]):
        raise ValueError("confounders are empty; at least one column with rows is needed")
    return pairs


def _unique_names(columns):
    names = [str(name) for name in columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"confounders have several columns named {repeated[0]!r}; give every column its own name")
    return names


def _array_columns(confounders):
    if confounders is None or isinstance(confounders, Mapping | set | str | bytes):
        raise ValueError(
            f"confounders must be a vector, an (m, k) array, a Series or a DataFrame, not {type(confounders).__name__};"
            " put named columns into a DataFrame"
        )
    array = confounders if isinstance(confounders, np.ndarray) else _as_array(confounders)
    if isinstance(array, pd.Series):
        return [("confounder", array)]
    if array.ndim == 1:
        return [("confounder", pd.Series(array))]
    if array.ndim != 2:
        raise ValueError(f"confounders must be a vector or an (m, k) array, not an array of shape {array.shape}")
    if array.shape[1] == 1:
        return [("confounder", pd.Series(array[:, 0]))]
    return [(f"confounder {j + 1}", pd.Series(array[:, j])) for j in range(array.shape[1])]


def _as_array(values):
    """An array of a list, a tuple or another sequence; numbers beside labels or None stay what they are."""
    if isinstance(values, pd.Index | pd.api.extensions.ExtensionArray):
        return pd.Series(values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError("confounders must have rows of one length; they form no vector and no (m, k) array") from error
    return np.asarray(values, object) if array.dtype.kind in "US" else array


def _column(name, column):
    """The column with its kind, or a ValueError that names it."""
    title = f"confounder {name!r}" if not name.startswith("confounder") else name
    _check_complete(title, column)
    column = _inferred(title, column)
    _check_finite(title, column)
    levels, codes = _levels(column)
    if levels.size < 2:
        raise ValueError(f"{title} is constant: every value is {levels[0]}; leave it out")
    if levels.size == 2 or _is_categorical(column, levels.size):
        kind = "binary" if levels.size == 2 else "categorical"
        return ConfounderColumn(name, kind, codes, tuple(levels.tolist()))
    return ConfounderColumn(name, "numeric", _numbers(column))


def _check_complete(title, column):
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"{title} has missing values in {missing.size} of {len(column)} rows, the first is row {missing[0]};"
            " drop those rows or impute them"
        )


def _inferred(title, column):
    """The column in a type that tells numbers from labels."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    if column.dtype == object:
        column = column.infer_objects()
    if pd.api.types.is_complex_dtype(column.dtype):
        raise ValueError(f"{title} holds complex numbers; give real numbers or labels")
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        return column.dt.tz_convert(None)
    if not (pd.api.types.is_numeric_dtype(column.dtype) or column.dtype.kind in "Mm"):
        column = column.astype(str).astype(object)
        _check_not_numbers_as_text(title, column)
    return column


def _check_not_numbers_as_text(title, column):
    distinct = column.unique()
    if len(distinct) > MOST_LEVELS and not np.isnan(pd.to_numeric(distinct, errors="coerce")).any():
        raise ValueError(
            f"{title} holds numbers written as text, such as {distinct[0]!r}; convert it with astype(float), or with"
            " astype('category') if they are labels"
        )


def _check_finite(title, column):
    if pd.api.types.is_float_dtype(column.dtype):
        infinite = np.flatnonzero(~np.isfinite(column.to_numpy(float)))
        if infinite.size:
            raise ValueError(
                f"{title} has infinite values in {infinite.size} of {len(column)} rows, the first is row {infinite[0]};"
                " drop those rows or replace them"
            )


def _levels(column):
    """Distinct values in their order, and the number of each row's value among them."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = column.cat.remove_unused_categories()
        return used.cat.categories.to_numpy(), used.cat.codes.to_numpy(np.int64)
    return np.unique(column.to_numpy(), return_inverse=True)


def _is_categorical(column, distinct):
    if pd.api.types.is_float_dtype(column.dtype):
        return False
    counted = pd.api.types.is_integer_dtype(column.dtype) or column.dtype.kind in "Mm"
    return distinct <= MOST_LEVELS if counted else True


def _numbers(column):
    """Values as floats; dates and durations by their number of time units."""
    if column.dtype.kind in "Mm":
        return column.to_numpy().astype(np.int64).astype(float)
    return column.to_numpy(float)
