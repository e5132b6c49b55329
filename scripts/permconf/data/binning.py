"""Bins of a numeric confounder, given as a mapping with one of three keys.

`quantiles` is a number of groups of equal size, `width` a number of intervals of equal width, and `breaks` gives the
values between which the intervals lie; a value at a break belongs above it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from permconf.errors import nearest
from permconf.options import whole_number

TREATMENTS = ("auto", "levels", "smooth")
BINNINGS = ("quantiles", "width", "breaks")


def is_binning(given: Mapping, names: Sequence[str]) -> bool:
    """Whether a mapping is one binning for all confounders, rather than one for each of them by name."""
    by_name = given and all(isinstance(value, str | Mapping) for value in given.values())
    return not by_name or (set(given) <= set(BINNINGS) and not set(given) <= set(names))


def check_binning(binning: Any) -> Any:
    """`binning`, or a ValueError if it is none of TREATMENTS and no mapping with one key and a value that fits."""
    if isinstance(binning, str) and binning in TREATMENTS:
        return binning
    if binning in BINNINGS:
        raise ValueError(f"a binning by {binning} is a mapping, such as {{'{binning}': 5}}")
    if not isinstance(binning, Mapping):
        raise ValueError(f"unknown binning {binning!r}{nearest(binning, ('levels', 'smooth', *BINNINGS))}")
    if len(binning) != 1:
        raise ValueError(f"a binning is a mapping with one of {', '.join(BINNINGS)}, not {dict(binning)!r}")
    ((kind, value),) = binning.items()
    if kind not in BINNINGS:
        raise ValueError(f"unknown binning {kind!r}{nearest(kind, BINNINGS)}")
    if kind != "breaks":
        whole_number(value, kind, least=1)
    elif not _increase(value):
        raise ValueError(f"breaks must be increasing numbers, not {value!r}")
    return binning


def _increase(breaks):
    try:
        edges = np.asarray(breaks, float)
    except (TypeError, ValueError):
        return False
    return edges.ndim == 1 and edges.size and np.isfinite(edges).all() and bool(np.all(np.diff(edges) > 0))


def binned(values: np.ndarray, binning: Mapping) -> np.ndarray:
    """The number of the interval that each value is in."""
    return np.searchsorted(edges_of(values, binning), values, side="right")


def edges_of(values: np.ndarray, binning: Mapping) -> np.ndarray:
    """The values between which the intervals of a binning lie."""
    ((kind, value),) = binning.items()
    if kind == "breaks":
        return np.asarray(value, float)
    if kind == "quantiles":
        return np.quantile(values, np.arange(1, value) / value)
    return np.linspace(values.min(), values.max(), value + 1)[1:-1]
