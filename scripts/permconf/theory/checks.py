"""What the measures of association need of their vectors."""

import numpy as np

from permconf.data.levels import Levels
from permconf.data.values import clean, coded, numbers

CODINGS = ("dummy", "numeric")
ESTIMATORS = ("U", "V")


def checked(x, y, c, *, coding="dummy", minimum=3):
    """Valid x, y and levels of c."""
    one_of(coding, CODINGS, "coding")
    x, y = numeric_vector(x, "x"), numeric_vector(y, "y")
    levels = _confounder(c, coding)
    same_length(minimum=minimum, x=x, y=y, c=levels.codes)
    return x, y, levels


def checked_distance(x, y, c, *, coding="dummy", estimator="U"):
    """As `checked`; the U-statistics divide by n - 3."""
    one_of(estimator, ESTIMATORS, "estimator")
    return checked(x, y, c, coding=coding, minimum=4)


def numeric_vector(v, name):
    """`v` as a vector of finite floats that are not all equal; raises ValueError if it is not one."""
    v = clean(v, name)
    if v.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numeric, got dtype {v.dtype}")
    v = numbers(v, name)
    if v.min() == v.max():
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


def _confounder(c, coding):
    """Levels of the confounder: any labels for dummy coding, finite numbers for numeric coding."""
    c = clean(c, "c", labels=True)
    if coding == "numeric" and c.dtype.kind not in "biuf":
        raise ValueError(f"numeric coding needs finite numbers in c, got dtype {c.dtype}; use 'dummy' for labels")
    values, codes = coded(c)
    if values.size < 2:
        raise ValueError(f"c needs at least two levels, got {values.tolist()}")
    return Levels(values, codes, np.bincount(codes))
