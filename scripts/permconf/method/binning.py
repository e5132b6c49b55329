"""The confounder of an analysis: one level per row, made of one variable or several, categorical or continuous.

How a variable becomes levels is its binning: "levels" (it has them already), or a mapping with one of `quantiles` (that
many groups of equal size), `width` (that many intervals of equal width) and `breaks` (intervals between given values).
"""

import numpy as np


def confounder_levels(c, binning="levels"):
    """Level of every row: the variables in the columns of `c` (or c itself) binned, then pasted together.

    `binning` is one for all variables, or a list with one for each. The response has no part in it, so training and
    test rows may be binned together.
    """
    c = np.asarray(c)
    if c.ndim == 1:
        return _binned(c, binning[0] if isinstance(binning, list) and len(binning) == 1 else _one(binning))
    binnings = binning if isinstance(binning, list) else [binning] * c.shape[1]
    if len(binnings) != c.shape[1]:
        raise ValueError(f"confounder gives {len(binnings)} binnings, the data have {c.shape[1]} confounders")
    codes = [np.unique(_binned(column, one), return_inverse=True)[1] for column, one in zip(c.T, binnings, strict=True)]
    return np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)[1].ravel()


def _one(binning):
    if isinstance(binning, list):
        raise ValueError(f"confounder gives {len(binning)} binnings, the data have one confounder")
    return binning


def _binned(values, binning):
    """A variable as its levels: itself, or the number of the interval that a value is in."""
    if binning == "levels":
        return values
    ((kind, value),) = binning.items()
    values = np.asarray(values, float)
    if kind == "breaks":
        edges = np.asarray(value, float)
    elif kind == "quantiles":
        edges = np.quantile(values, np.arange(1, value) / value)
    else:
        edges = np.linspace(values.min(), values.max(), value + 1)[1:-1]
    return np.searchsorted(edges, values, side="right")
