"""Checks of numbers given to the measures of association; an error names what is wrong, and where."""

import numpy as np


def numeric_vector(v, name):
    """A finite, varying, one-dimensional float array, or a ValueError that says what is wrong."""
    v = np.asarray(v)
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
    """Raise ValueError unless all vectors have one length of at least `minimum`."""
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
    """`value`, or a ValueError where it is zero up to rounding and a ratio would be noise."""
    if value <= 1e-24 * scale:
        raise ValueError(message)
    return value
