"""The response as a user has it: classes, or numbers, which are cut into groups of similar values to have levels.

Labels of any type, truth values and numbers with at most ten distinct values (some of them repeated) are classes, as
are whole numbers with at least five rows per distinct value. Other numbers are the response of a regression.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from permconf.data.confounders import MOST_LEVELS, ROWS_PER_LEVEL
from permconf.data.levels import Levels
from permconf.data.validation import plain_values, vector

RESPONSE_GROUPS = 20  # fewest groups of a numeric response


@dataclass(frozen=True)
class Response:
    """Classes (`labels`, and `values` with the number of each row's class) or, without labels, numeric `values`."""

    values: np.ndarray
    labels: tuple | None

    @property
    def is_ordered(self) -> bool:
        """Whether "larger" has a meaning: numbers, and two classes (the second is the larger one)."""
        return self.labels is None or len(self.labels) == 2

    def levels(self, bins: int | None = None, *, parts: int = 1) -> Levels:
        """The classes, or at most `bins` groups of similar values with at least five rows (by quantiles).

        The default is `group_number`. With several parts of the data, a group has about five rows in each.
        """
        bins = group_number(len(self.values)) if bins is None else bins
        return Levels.of(self.values if self.labels else quantile_groups(self.values, bins, parts=parts))


def response_of(y: Any) -> Response:
    """The response of a vector or Series, checked and with its kind."""
    y = _complete(_series(y))
    if isinstance(y.dtype, pd.CategoricalDtype):
        return _classes(y.to_numpy())
    if not pd.api.types.is_numeric_dtype(y.dtype):
        return _classes(y.to_numpy(object))
    if pd.api.types.is_complex_dtype(y.dtype):
        raise ValueError("y holds complex numbers; give classes or real numbers")
    values = y.to_numpy(float)
    infinite = np.flatnonzero(~np.isfinite(values))
    if infinite.size:
        raise ValueError(f"y has infinite values in {infinite.size} of {len(y)} rows, the first is row {infinite[0]}")
    return _classes(y.to_numpy()) if _is_class_code(y, np.unique(values).size) else Response(values, None)


def group_number(rows: int) -> int:
    """Number of groups of a numeric response: twice the square root of the number of rows, but at least 20.

    What varies with the response within a group looks like an association, with a z that grows with the square root of
    the number of rows and falls with the square of that of groups; so z falls as there are more rows.
    """
    return max(RESPONSE_GROUPS, int(2 * np.sqrt(rows)))


def quantile_groups(values, bins, *, parts=1):
    """Group of every row: min(bins, rows // 5 // parts) groups of equal size, fewer where values are tied."""
    groups = min(bins, len(values) // (ROWS_PER_LEVEL * parts))
    if groups < 2:
        least = 2 * ROWS_PER_LEVEL * parts
        raise ValueError(
            f"y is numeric and has {len(values)} rows{'' if parts == 1 else f' in {parts} parts'}; at least {least} are"
            " needed for groups of similar y"
        )
    return np.searchsorted(np.quantile(values, np.arange(1, groups) / groups), values, side="right")


def _series(y):
    """y as a Series; in a list, None and NaN beside text stay missing."""
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if isinstance(y, pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        return plain_values(pd.Series(y)).infer_objects()
    array = vector(y if isinstance(y, np.ndarray) else np.asarray(y, object), "y")
    return pd.Series(array).infer_objects()


def _complete(y):
    """y, without missing values and with at least two distinct ones."""
    if not len(y):
        raise ValueError("y is empty")
    missing = np.flatnonzero(y.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"y has missing values in {missing.size} of {len(y)} rows, the first is row {missing[0]}; drop those rows"
        )
    if y.dtype.kind in "Mm":
        raise ValueError("y holds dates or durations; give classes or numbers")
    if y.nunique() < 2:
        raise ValueError(f"y has one value only, {y.iloc[0]}; at least two are needed")
    return y


def _is_class_code(y, distinct):
    """Whether numbers are class codes rather than the response of a regression."""
    if distinct == 2 or distinct <= min(MOST_LEVELS, len(y) - 1):
        return True
    return pd.api.types.is_integer_dtype(y.dtype) and distinct * ROWS_PER_LEVEL <= len(y)


def _classes(y):
    if y.dtype == object and not _have_an_order(pd.unique(y)):
        y = y.astype(str)
    labels, codes = np.unique(y, return_inverse=True)
    return Response(codes, tuple(labels.tolist()))


def _have_an_order(objects):
    try:
        return all(one < other for one, other in pairwise(sorted(objects)))
    except TypeError:
        return False
