"""The confounder of an analysis: one level per row, made of one variable or several, categorical or continuous.

How a variable becomes levels is its binning: "levels" (it has them already), or a mapping with one of `quantiles` (that
many groups of equal size), `width` (that many intervals of equal width) and `breaks` (intervals between given values).
"""

from collections.abc import Mapping

import numpy as np

from permconf.errors import nearest
from permconf.method.options import whole_number
from permconf.method.validation import complete_vector

BINNINGS = ("quantiles", "width", "breaks")


def confounder_levels(c, binning="levels"):
    """Level of every row: the variables in the columns of `c` (or c itself) binned, then pasted together.

    `binning` is one for all variables, or a list with one for each. The response has no part in it, so training and
    test rows may be binned together.
    """
    c = np.asarray(c)
    if c.ndim == 1:
        return _binned(c, binning[0] if isinstance(binning, list) and len(binning) == 1 else _one(binning))
    if c.ndim != 2 or not c.shape[1]:
        raise ValueError(f"confounders must be a vector or a matrix with a column for each, not of shape {c.shape}")
    binnings = binning if isinstance(binning, list) else [binning] * c.shape[1]
    if len(binnings) != c.shape[1]:
        raise ValueError(f"confounder gives {len(binnings)} binnings, the data have {c.shape[1]} confounders")
    names = [f"confounder {j + 1}" for j in range(c.shape[1])]
    columns = [_binned(*column) for column in zip(c.T, binnings, names, strict=True)]
    codes = [np.unique(column, return_inverse=True)[1] for column in columns]
    return np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)[1].ravel()


def levels_of_both(c_train, c_test, binning):
    """The confounder of the training and of the test rows as levels, binned together."""
    c_train, c_test = np.asarray(c_train), np.asarray(c_test)
    if c_train.ndim == 1 and c_test.ndim == 1 and binning == "levels":
        return c_train, c_test
    if c_train.shape[1:] != c_test.shape[1:]:
        raise ValueError(f"c_train and c_test have different columns: shapes {c_train.shape} and {c_test.shape}")
    levels = confounder_levels(np.concatenate([c_train, c_test]), binning)
    return levels[: len(c_train)], levels[len(c_train) :]


def _one(binning):
    if isinstance(binning, list):
        raise ValueError(f"confounder gives {len(binning)} binnings, the data have one confounder")
    return binning


def _binned(values, binning, name="the confounder"):
    """A variable as its levels: itself, or the number of the interval that a value is in."""
    if isinstance(binning, str) and binning == "levels":
        return complete_vector(values, name)
    kind, value = _kind_and_value(binning)
    values = _finite_numbers(values, name)
    if kind == "breaks":
        edges = _increasing(value)
    elif kind == "quantiles":
        edges = np.quantile(values, np.arange(1, value) / value)
    else:
        edges = np.linspace(values.min(), values.max(), value + 1)[1:-1]
    return np.searchsorted(edges, values, side="right")


def _kind_and_value(binning):
    """The one key of a binning and its value, checked."""
    if binning in ("quantiles", "width"):
        raise ValueError(f"a binning by {binning} is a mapping, such as {{'{binning}': 5}}")
    if not isinstance(binning, Mapping):
        raise ValueError(f"unknown binning {binning!r}{nearest(binning, ('levels', *BINNINGS))}")
    if len(binning) != 1:
        raise ValueError(f"a binning is a mapping with one of {', '.join(BINNINGS)}, not {dict(binning)!r}")
    ((kind, value),) = binning.items()
    if kind not in BINNINGS:
        raise ValueError(f"unknown binning {kind!r}{nearest(kind, BINNINGS)}")
    return kind, value if kind == "breaks" else whole_number(value, kind, least=1)


def _finite_numbers(values, name):
    """Values as numbers that can be binned."""
    try:
        values = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} cannot be binned because its values are not all numbers; use 'levels'") from error
    if not values.size:
        raise ValueError(f"{name} has no rows")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(
            f"{name} has missing or infinite values in {bad.size} of {values.size} rows, the first is row {bad[0]};"
            " drop or replace them before binning"
        )
    return values


def _increasing(breaks):
    edges = np.asarray(breaks, float)
    if edges.ndim != 1 or not edges.size or not np.isfinite(edges).all() or np.any(np.diff(edges) <= 0):
        raise ValueError(f"breaks must be increasing numbers, not {breaks!r}")
    return edges
