"""Columns of own data: by name in a DataFrame, or as an array or Series with one value for each row."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from permconf.data.values import plain_values
from permconf.errors import nearest


def frame_of(data):
    """The data as a DataFrame whose columns have distinct names."""
    data = plain_values(data)  # tables of other libraries keep their names
    if isinstance(data, pd.DataFrame):
        frame = data.set_axis([str(name) for name in data.columns], axis=1)
    else:
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(f"data must be a DataFrame or a matrix of features, not {_described(data)}")
        frame = pd.DataFrame(array, columns=[f"x{j + 1}" for j in range(array.shape[1])]).infer_objects()
    if not len(frame):
        raise ValueError("data have no rows")
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"data have several columns named {repeated[0]!r}; give every column its own name")
    return frame


def is_name(frame, spec):
    """Whether this names one column: a text, or a number or the like that is the name of a column."""
    return isinstance(spec, str) or (spec is not None and isinstance(spec, Hashable) and str(spec) in frame)


def is_list_of_names(frame, spec):
    """Whether this is a list of column names rather than a vector of labels."""
    if not isinstance(spec, list | tuple | pd.Index) or not len(spec) or is_name(frame, spec):
        return False
    if all(isinstance(name, str) for name in spec):
        return len(spec) != len(frame) or any(name in frame for name in spec)
    return len(spec) != len(frame) and all(is_name(frame, name) for name in spec)


def names_of(frame, spec):
    """Names of the columns of the data that a name, a Series or a DataFrame stands for."""
    if is_name(frame, spec):
        return [str(spec)]
    return [str(name) for name, column in _named(spec) if isinstance(name, str) or _is_same(frame, name, column)]


def namesakes(frame, spec):
    """Names of the columns of the data that a Series or DataFrame has, too, with other values."""
    named = [(name, column) for name, column in _named(spec) if isinstance(name, str) and name in frame]
    return [name for name, column in named if not _is_same(frame, name, column)]


def _named(spec):
    """Columns of pandas objects by name; numbers are the names of nameless ones."""
    return pd.DataFrame(spec).items() if isinstance(spec, pd.Series | pd.DataFrame) else ()


def _is_same(frame, name, column):
    return str(name) in frame and np.array_equal(column.to_numpy(object), frame[str(name)].to_numpy(object))


def column_of(frame, spec, role):
    """A column by its name, or as an array with a value for each row."""
    if is_name(frame, spec):
        return checked_values(frame[checked_name(frame, spec, role)], role)
    spec = plain_values(spec)
    if isinstance(spec, pd.DataFrame) and spec.shape[1] == 1:
        spec = spec.iloc[:, 0]
    if spec is None or np.ndim(spec) != 1:
        raise ValueError(f"{role} must be the name of a column or a vector, not {_described(spec)}")
    if not isinstance(spec, pd.Series):
        kept = hasattr(spec, "isna")  # pandas' own arrays, such as categories
        values = spec if kept else np.asarray(spec, None if isinstance(spec, np.ndarray) else object)
        column = pd.Series(values).infer_objects()
        _check_rows(frame, column, role)
        return checked_values(column.set_axis(frame.index).rename(role), role)
    check_aligned(frame, spec, role)
    return checked_values(spec.rename(role if spec.name is None else str(spec.name)), role)


def checked_name(frame, name, role):
    """The name of a column as a text; raises ValueError if there is no such column."""
    if str(name) not in frame:
        raise ValueError(f"{role}: the data have no column {name!r}{nearest(name, frame.columns)}")
    return str(name)


def checked_values(column, role):
    """A column whose values are single ones; raises ValueError if one is a list, an array or the like."""
    if column.dtype == object:
        wrong = next((value for value in column if not isinstance(value, Hashable)), None)
        if wrong is not None:
            raise ValueError(
                f"{role}: column {column.name!r} holds values of type {type(wrong).__name__}; give numbers or labels"
            )
    return plain_values(column)


def _described(spec):
    return type(spec).__name__ if np.ndim(spec) == 0 else f"an array of shape {np.shape(spec)}"


def _check_rows(frame, column, role):
    if len(column) != len(frame):
        raise ValueError(f"{role} has {len(column)} rows, the data have {len(frame)}")


def check_aligned(frame, column, role):
    """Raise ValueError unless the rows of a pandas object have the labels of the data, in the same order."""
    _check_rows(frame, column, role)
    if column.index.equals(frame.index):
        return
    if set(column.index) == set(frame.index):
        raise ValueError(f"{role} has the row labels of the data in a different order; align it with .loc[data.index]")
    raise ValueError(
        f"{role} and the data have different row labels, such as {column.index[0]!r} and {frame.index[0]!r}; give them"
        " the same index, or a plain array if their rows are in the same order"
    )
