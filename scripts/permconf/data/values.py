"""One column of any origin as a clean vector: the only place that knows masked arrays, byte orders, lists and pandas.

What comes out is an array of numbers, truth values, dates or text, or a pandas Series of categories, without missing or
infinite values. Nobody checks these again.
"""

import math
from collections.abc import Callable, Hashable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np

LARGEST = 1e150  # number whose square can be computed
MOST_LEVELS = 10  # distinct whole numbers up to which a column is taken as levels
ROWS_PER_LEVEL = 5  # values with fewer rows each, on average, are taken as measurements rather than labels


def clean(
    values: Any,
    name: str,
    *,
    rows: int | None = None,
    row_name: Callable[[int], str] = "row {}".format,
    labels: bool = False,
) -> Any:
    """`values` as a clean vector, or a ValueError that begins with `name` and names the first bad row.

    `rows` is the number that there must be. Unless they are to be `labels`, objects that stand for numbers or dates
    become such.
    """
    values = _one_column(plain_values(values), name)
    written = getattr(values, "attrs", {}).get("missing", {}).get(getattr(values, "name", None))
    if not isinstance(values, np.ndarray) or values.dtype.kind in "OSV":
        values, bad = _from_pandas(values, name, labels)
    else:
        bad = np.zeros(len(values), bool)
    if rows is not None and len(values) != rows:
        raise ValueError(f"{name} has {len(values)} rows where {rows} are needed")
    if not len(values):
        raise ValueError(f"{name} is empty; at least one row is needed")
    if values.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers; give real numbers or labels")
    if values.dtype.kind in "fMm":
        bad = bad | ~np.isfinite(values)
    if bad.any():
        first = row_name(int(np.flatnonzero(bad)[0]))
        raise ValueError(
            f"{name} has missing or infinite values in {bad.sum()} of {len(bad)} rows, the first is {first}"
            + (f" ({written!r} in the file was read as missing)" if written else "")
            + "; drop those rows or replace the values"
        )
    return values


def plain_values(values: Any) -> Any:
    """`values`, where masked entries of a NumPy array are missing ones, in the byte order of the machine."""
    if isinstance(values, np.ma.MaskedArray):
        mask, missing = np.ma.getmaskarray(values), np.array(np.nan if values.dtype.kind in "biuf" else None)
        values = np.where(mask, missing, values.data) if mask.any() else values.data
    if not hasattr(values, "iloc") and hasattr(values, "to_pandas"):  # tables and columns of other libraries
        return values.to_pandas()
    dtype = getattr(values, "dtype", None)
    return values.astype(dtype.newbyteorder("=")) if isinstance(dtype, np.dtype) and not dtype.isnative else values


def check_row_order(**vectors: Any) -> None:
    """Raise ValueError if two of these are pandas objects with the same row labels in a different order."""
    indexes = {name: v.index for name, v in vectors.items() if hasattr(v, "iloc")}
    for (one, index), (other, another) in combinations(indexes.items(), 2):
        if len(index) == len(another) and not index.equals(another) and set(index) == set(another):
            raise ValueError(
                f"{one} and {other} have the same row labels in a different order; align them, for example with"
                f" {other}.loc[{one}.index], or give {other}.to_numpy() if the rows are in the same order"
            )


def coded(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distinct clean values in their order (categories in theirs), and the code of every row."""
    if hasattr(values, "cat"):
        return values.cat.categories.to_numpy(), values.cat.codes.to_numpy(np.int64)
    if values.dtype.kind in "bi" or values.dtype in (np.uint8, np.uint16, np.uint32):
        low, high = int(values.min(initial=0)), int(values.max(initial=0))
        if high - low <= len(values):  # counting is faster than sorting
            places = values.astype(np.int64) - low
            found = np.bincount(places) > 0
            return (np.flatnonzero(found) + low).astype(values.dtype), (np.cumsum(found) - 1)[places]
    return np.unique(values, return_inverse=True)


def in_order(column: Any) -> Any:
    """Categories by the order of their labels, whatever their own was; labels without an order become text."""
    with suppress(TypeError):  # which they raise if they cannot be compared
        labels = sorted(column.cat.categories)
        if not isinstance(labels[0], str) and all(one < other for one, other in pairwise(labels)):
            return column.cat.reorder_categories(labels)
    return np.array(column.astype(str).tolist())


def not_numbers(texts: list[str]) -> list[str]:
    """Those of some texts that are not written as numbers."""

    def is_number(text):
        with suppress(ValueError):
            return not math.isnan(float(text))
        return False

    return [text for text in texts if not is_number(text)]


def numbers(values: Any, name: str) -> np.ndarray:
    """Clean values as floats whose squares can be computed; dates and durations by their number of time units."""
    if values.dtype.kind in "Mm":
        values = values.astype(np.int64)
    try:
        found = np.asarray(values).astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be made of real numbers here, but some of its values are not") from error
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has missing or infinite values, written as text; drop those rows or replace them")
    if np.abs(found).max() > LARGEST:
        raise ValueError(f"{name} has values beyond {LARGEST:g}: their squares overflow; rescale it")
    if 0 < np.ptp(found) < 1 / LARGEST:
        raise ValueError(f"{name} varies by less than {1 / LARGEST:g}, whose square is zero; rescale it")
    return found


# ---- one column ------------------------------------------------------------------------------------------------------


def _one_column(values, name):
    """A vector (array or pandas object); a table or matrix with one column is that column."""
    if values is None or isinstance(values, str | bytes | set | dict):
        raise ValueError(f"{name} must be a vector with a value for each row, not {type(values).__name__}")
    if not isinstance(values, np.ndarray) and not hasattr(values, "isna"):
        try:
            array = np.asarray(values)
        except ValueError as error:
            raise ValueError(f"{name} must be one-dimensional, but its rows have different lengths") from error
        values = np.asarray(values, object) if array.dtype.kind in "USO" else array  # None beside text stays missing
    if np.ndim(values) == 2 and np.shape(values)[1] == 1:
        values = values.iloc[:, 0] if hasattr(values, "iloc") else values[:, 0]
    if np.ndim(values) != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {np.shape(values)}")
    return values


def _from_pandas(column, name, labels):
    """A Series or a vector of objects as `clean` needs it, and which of its rows are missing or infinite."""
    import pandas as pd  # slow to import, and studies have arrays of numbers

    column = pd.Series(column).reset_index(drop=True)
    if isinstance(column.dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if column.dtype == object:
        wrong = next((value for value in column if not isinstance(value, Hashable)), None)
        if wrong is not None:
            raise ValueError(f"{name} holds values of type {type(wrong).__name__}; give numbers or labels")
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
    if not isinstance(column.dtype, pd.CategoricalDtype):
        text = {isinstance(value, str | bytes) for value in column.tolist()}
        if len(text) > 1:
            raise ValueError(f"the values of {name} are of different types; give numbers or text")
        if text == {True}:
            return np.array(column.astype(str).tolist()), bad
        column = column.astype("category")  # other objects stay what they are, and so does their order
    column = column.cat.remove_unused_categories()
    infinite = [isinstance(value, float | Decimal) and math.isinf(value) for value in column.cat.categories]
    return column, np.array(infinite, bool)[column.cat.codes]


def _measured(column):
    """Decimals and fractions as floats, and more dates or periods than can be levels as NumPy has them."""
    import pandas as pd

    kind = pd.api.types.infer_dtype(column)
    if kind == "decimal" or (kind == "mixed" and all(isinstance(value, Fraction) for value in column)):
        return column.astype(float)
    if kind not in ("date", "period") or column.nunique() <= MOST_LEVELS:
        return column
    return pd.to_datetime(column) if kind == "date" else column.dt.to_timestamp()
