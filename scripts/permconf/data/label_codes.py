"""Class codes of large matrices of labels: few labels, all of them in the first column, as in permuted responses.

To sort such a matrix would take longer than to fit all of its columns.
Third-party code receives the original labels: its options may name them.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

MOST_LABELS = 10  # that every entry is compared with
_MAPS_LABELS, _IS_LABEL = ("class_weight", "sampling_strategy"), ("constant", "pos_label", "labels")


def informative_labels(labels: Iterable) -> np.ndarray | None:
    """Labels as an array; None where they say no more than codes (0, 1, ...) or others would sort them otherwise.

    Two labels may be in reverse order: the second is the positive one.
    """
    array = np.array(list(labels))
    if array.ndim != 1 or array.dtype.kind not in "biufU":
        return None
    if not np.array_equal(np.unique(array), array[::-1] if is_reversed(array) else array):
        return None
    if array.dtype.kind == "U":
        return array
    if np.array_equal(array, np.arange(array.size)) or (array % 1).any():
        return None
    return array.astype(np.result_type(array, np.int64))  # in which arithmetic does not wrap around


def is_reversed(labels: np.ndarray) -> bool:
    """Whether two labels are in reverse order, because the first of them in sorted order is the positive one."""
    return len(labels) == 2 and bool(labels[0] > labels[1])


def seen_by_labels(action: Callable, labels: np.ndarray | None, *, named: bool) -> Any:
    """`action(labels)` or, if it refuses them and none of its options names one (`named`), `action(None)`, by codes."""
    if labels is None:
        return action(None)
    try:
        return action(labels)
    except ValueError:
        if not named:
            with suppress(ValueError):
                return action(None)
        raise


def names_labels(options: Mapping[str, Any]) -> bool:
    """Whether options of an estimator (with steps) or of a function name classes by their labels."""
    last = [(name.rpartition("__")[2], value) for name, value in options.items()]
    return any(
        isinstance(value, Mapping) if name in _MAPS_LABELS else name in _IS_LABEL and value is not None
        for name, value in last
    )


def places(y, labels):
    """Place among the labels, which are of the type of y, of every entry of y; None if one is not among them."""
    if len(labels) > MOST_LABELS:
        return None
    place, known = np.zeros(y.shape, np.uint8), np.zeros(y.shape, bool)
    for k, label in enumerate(labels):
        same = np.asarray(y == label, bool)
        known |= same
        if k:
            place += np.uint8(k) * same
    return place if known.all() else None
