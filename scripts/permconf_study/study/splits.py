"""Splits of a data set into training and test rows, by name."""

from collections.abc import Callable

import numpy as np

from permconf.engine.population import apportioned, cells, population_split


def half_split(y, c, *, rng):
    """First half for training, second for testing: random for an i.i.d. sample. An odd row goes to the test set."""
    rows = np.arange(len(y))
    return rows[: len(y) // 2], rows[len(y) // 2 :]


def first_split(y, c, *, rng, train_size):
    """The first `train_size` rows for training, the rest for testing: random for an i.i.d. sample."""
    if not 0 < train_size < len(y):
        raise ValueError(f"train_size must be between 1 and {len(y) - 1}, not {train_size}")
    rows = np.arange(len(y))
    return rows[:train_size], rows[train_size:]


def stratified_split(y, c, *, rng, test_size=None):
    """Random split in which every cell of (y, c) is divided in the same proportion, up to rounding.

    `test_size` is the number of test rows (default: half, rounded up).
    """
    n = len(y)
    test_size = n - n // 2 if test_size is None else test_size
    if not 0 < test_size < n:
        raise ValueError(f"test_size must be between 1 and {n - 1}, not {test_size}")
    _, cell = cells(y, c)
    taken = apportioned(np.bincount(cell), test_size)
    shuffled = rng.permutation(n)
    in_test = np.zeros(n, bool)
    for number, count in enumerate(taken):
        in_test[shuffled[cell[shuffled] == number][:count]] = True
    return np.flatnonzero(~in_test), np.flatnonzero(in_test)


def whole_sample(y, c, *, rng):
    """No training: all rows are test rows (for metrics of plain association)."""
    rows = np.arange(len(y))
    return rows[:0], rows


def whole_groups(train, test, groups):
    """The same sets, but with the rows of a group that is in both of them in the training set."""
    torn = np.isin(groups[test], groups[train])
    if torn.all():
        raise ValueError("the test set has no group of its own; give more groups")
    return np.concatenate([train, test[torn]]), test[~torn]


SPLITS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "half": half_split,
    "first": first_split,
    "stratified": stratified_split,
    "population": population_split,
    "none": whole_sample,
}
