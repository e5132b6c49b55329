"""Validation of vectors for the measures of association and for Section 4."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from permconf.data.levels import Levels

CODINGS = ("dummy", "numeric")
ESTIMATORS = ("U", "V")


def plain_values(values: Any) -> Any:
    """`values`, where masked entries of a NumPy array are missing ones, in the byte order of the machine."""
    if isinstance(values, np.ma.MaskedArray):
        mask, missing = np.ma.getmaskarray(values), np.array(np.nan if values.dtype.kind in "biuf" else None)
        values = np.where(mask, missing, values.data) if mask.any() else values.data
    dtype = getattr(values, "dtype", None)
    return values.astype(dtype.newbyteorder("=")) if isinstance(dtype, np.dtype) and not dtype.isnative else values


def numeric_vector(v, name):
    """`v` as a one-dimensional array of finite floats that are not all equal; raises ValueError if it is not one."""
    v = np.asarray(plain_values(v))
    if v.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {v.shape}")
    if v.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numeric, got dtype {v.dtype}")
    v = v.astype(float)
    bad = np.flatnonzero(~np.isfinite(v))
    if bad.size:
        raise ValueError(f"{name} has {bad.size} values that are not finite, the first is {v[bad[0]]} at row {bad[0]}")
    if v.size and v.min() == v.max():
        raise ValueError(f"{name} is constant: every value is {v[0]}")
    return v


def same_length(*, minimum, **vectors):
    """Raise ValueError unless all vectors have the same length, at least `minimum`."""
    lengths = {name: len(v) for name, v in vectors.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError("lengths differ: " + ", ".join(f"{name} has {n}" for name, n in lengths.items()))
    if min(lengths.values()) < minimum:
        raise ValueError(f"at least {minimum} rows are needed, got {min(lengths.values())}")


def one_of(value, choices, name):
    """Raise ValueError unless `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def positive(value, message, *, scale=1.0):
    """`value`; raises ValueError if it is zero up to rounding, since a ratio would then be noise."""
    if value <= 1e-24 * scale:
        raise ValueError(message)
    return value


def complete_vector(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as a one-dimensional array; raises ValueError if any is missing (None, NaN, NaT, pandas' NA)."""
    values = vector(values, name)
    missing = np.flatnonzero(_missing(values))
    if missing.size:
        raise ValueError(f"{name} has {missing.size} missing values, the first at row {missing[0]}")
    if values.dtype.kind == "O" and len({isinstance(value, str) for value in values.tolist()}) > 1:
        raise ValueError(f"the values of {name} are of different types; give numbers or text")
    return values


def vector(values: ArrayLike, name: str) -> np.ndarray:
    """`values` as a one-dimensional array; a matrix with one column is taken as that column."""
    try:
        array = np.asarray(plain_values(values))
    except ValueError as error:
        raise ValueError(f"{name} must be one-dimensional, but its rows have different lengths") from error
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.dtype.kind in "US" and isinstance(values, list | tuple):  # NaN beside text stays missing
        return array if all(isinstance(value, str | bytes) for value in values) else np.array(values, object)
    return array


def _missing(values):
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return _missing_objects(values.tolist())
    return np.isnat(values) if values.dtype.kind in "Mm" else np.zeros(len(values), bool)


def _missing_objects(values):
    try:
        distinct = set(values)  # few, as a rule
    except TypeError:
        distinct = values
    if not any(map(_is_missing, distinct)):
        return np.zeros(len(values), bool)
    return np.array([_is_missing(value) for value in values], bool)


def _is_missing(value):
    """None, NaN, NaT or pandas' NA (whose comparison with itself is not a boolean)."""
    equal = value == value
    return value is None or not isinstance(equal, bool | np.bool_) or not equal


def _confounder(c, coding):
    """Levels of the confounder: any labels for dummy coding, finite numbers for numeric coding."""
    c = complete_vector(c, "c")
    if coding == "numeric" and not (c.dtype.kind in "biuf" and np.isfinite(c).all()):
        raise ValueError(f"numeric coding needs finite numbers in c, got dtype {c.dtype}; use 'dummy' for labels")
    levels = Levels.of(c)
    if levels.counts.size < 2:
        raise ValueError(f"c needs at least two levels, got {levels.values.tolist()}")
    return levels


def checked(x, y, c, *, coding="dummy", minimum=3):
    """Valid x, y and levels of c."""
    one_of(coding, CODINGS, "coding")
    x, y = numeric_vector(x, "x"), numeric_vector(y, "y")
    same_length(minimum=minimum, x=x, y=y, c=np.atleast_1d(np.asarray(c)))
    return x, y, _confounder(c, coding)


def checked_distance(x, y, c, *, coding="dummy", estimator="U"):
    """As `checked`; the U-statistics divide by n - 3."""
    one_of(estimator, ESTIMATORS, "estimator")
    return checked(x, y, c, coding=coding, minimum=4)
