"""Which rows train and which test: a hold-out set, a given split or cross-validation.

The response is permuted within the parts of a split (training and test set, or folds), which holds its level whatever
the split depends on. Where rows change their part between repeats, the splits are drawn without regard to response and
confounders, and the whole response is permuted.
"""

from dataclasses import dataclass

import numpy as np

from permconf.method.units import first_rows, varies_within


@dataclass(frozen=True)
class Fold:
    """Rows of one training and one test set."""

    train: np.ndarray
    test: np.ndarray
    repeat: int = 0


@dataclass(frozen=True)
class Plan:
    """All training and test sets, the part of every row (None: one for all), and the plan in words."""

    folds: tuple[Fold, ...]
    parts: np.ndarray | None
    words: str


def hold_out(y, groups, *, test_size, rng):
    """A random training and test set, of whole groups, with the classes in the same proportion."""
    in_test = picked(y, groups, test_size, rng)
    rows = np.arange(len(y))
    return Plan(
        (Fold(rows[~in_test], rows[in_test]),), in_test.astype(np.int64), f"hold-out set of {in_test.sum()} rows"
    )


def picked(y, groups, share, rng):
    """Whether each row is picked for the test set; rows of a group stay together."""
    unit, labels = units_of(y, groups)
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    steps = np.floor(np.arange(len(labels) + 1) * share + 0.5)
    chosen = np.zeros(len(labels), bool)
    chosen[order] = np.diff(steps) > 0
    return chosen[unit]


def units_of(y, groups):
    """The unit (row or group) of every row, and the class of every unit, 0 if it has no single one."""
    classes = y if y.dtype == np.uint8 else np.zeros(len(y), np.int64)
    if groups is None:
        return np.arange(len(y)), classes
    constant = not varies_within(classes, groups)
    return groups.codes, classes[first_rows(groups)] if constant else np.zeros(groups.counts.size, np.int64)
