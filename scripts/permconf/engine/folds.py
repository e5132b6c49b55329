"""Which rows train and which test: a hold-out set, a given split, cross-validation, each with whole groups.

Validity. The response test compares the metric of the response with that of its permutations, on the same sets. Given
the confounders, response and permutations must be exchangeable, also given the sets. So if the sets may depend on the
response (they are stratified by it, or given), the response is permuted within the parts of the split: training and
test set, or folds. This keeps the number of rows of each class in every part, and holds the level whatever the split
depends on. If the sets are drawn without regard to the response, the whole response is permuted, and the statistic may
be a mean over any number of sets that overlap. That is how repeats are combined: one permutation of the response goes
through all of them, and its metric is the mean over repeats.
"""

import copy
import reprlib
import warnings
from collections.abc import Iterable, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from permconf.data.levels import Levels
from permconf.errors import OF_THE_MACHINE, one_line
from permconf.options import whole_number
from permconf.permute.units import first_rows, varies_within

ROWS_PER_CELL = 5  # rows of a level of the confounders in a fold, on average, from which folds are stratified
SETS = {"train": 0, "training": 0, "test": 1, "testing": 1}


@dataclass(frozen=True)
class Fold:
    """Rows of one training and one test set."""

    train: np.ndarray
    test: np.ndarray
    repeat: int = 0


@dataclass(frozen=True)
class Plan:
    """All training and test sets, the part of every row (None: the whole response is permuted), and all in words.

    `is_random` says whether the sets were drawn at random.
    """

    folds: tuple[Fold, ...]
    parts: np.ndarray | None
    words: str
    is_random: bool = True

    @property
    def is_single(self):
        """Whether there is one training and one test set."""
        return len(self.folds) == 1

    @property
    def tested(self):
        """Rows that are in a test set, in order."""
        return np.unique(np.concatenate([fold.test for fold in self.folds]))

    @property
    def used(self):
        """Rows that are in a training or a test set, in order."""
        return np.unique(np.concatenate([rows for fold in self.folds for rows in (fold.train, fold.test)]))

    def renumbered(self):
        """The plan of the used rows alone, numbered from 0."""
        used = self.used
        folds = [Fold(np.searchsorted(used, f.train), np.searchsorted(used, f.test), f.repeat) for f in self.folds]
        return replace(self, folds=tuple(folds), parts=None if self.parts is None else self.parts[used])

    @property
    def fold_of_tested(self):
        """The fold of every tested row; None if there is one fold, or rows are tested several times."""
        if self.is_single or sum(fold.test.size for fold in self.folds) > self.tested.size:
            return None
        fold_of = {row: k for k, fold in enumerate(self.folds) for row in fold.test.tolist()}
        return np.array([fold_of[row] for row in self.tested.tolist()])


def planned(table, *, test_size, cv, repeats, split, streams):
    """The plan that the options of an audit ask for."""
    y, groups = table.y, table.groups
    repeats = whole_number(repeats, "repeats", least=1)
    if split is not None:
        if cv is not None or repeats > 1:
            raise ValueError("split gives the training and test set; leave out cv and repeats")
        plan = given_split(split, len(y))
    elif cv is None:
        plan = hold_outs(y, groups, test_size=test_size, repeats=repeats, streams=streams)
    elif isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        plan = cross_validation(
            y, groups, cv, levels=np.unique(table.mixed.codes).size, repeats=repeats, streams=streams
        )
    elif repeats > 1:
        raise ValueError("repeats needs cv as a number; give a repeated splitter, such as RepeatedKFold, instead")
    else:
        plan = given_folds(cv, table.X, y, groups, streams)
    _check_sets(plan, table)
    return plan


# ---- sets drawn here -------------------------------------------------------------------------------------------------


def hold_outs(y, groups, *, test_size, repeats, streams):
    """Random test sets of whole groups; one alone has the classes in the same proportion as its training set."""
    unit, labels = _units(y, groups, stratified=repeats == 1)
    share = _share(test_size, labels.size)
    folds = []
    for r in range(repeats):
        order = _shuffled_by_class(labels, streams.rng(_numbered("split", r)))
        chosen = np.zeros(labels.size, bool)
        chosen[order] = np.diff(np.floor(np.arange(labels.size + 1) * share + 0.5)) > 0
        in_test = chosen[unit]
        folds.append(Fold(np.flatnonzero(~in_test), np.flatnonzero(in_test), r))
    size = folds[0].test.size
    if repeats > 1:
        return Plan(tuple(folds), None, f"mean of {repeats} random hold-out sets of about {size} of {len(y)} rows")
    stratified = ", stratified by class" if np.ptp(labels) else ""
    return Plan(tuple(folds), in_test.astype(np.int64), f"hold-out set of {size} of {len(y)} rows{stratified}")


def cross_validation(y, groups, k, *, levels, repeats, streams):
    """Folds of whole groups, stratified by class unless that leaves too few rows to permute within folds."""
    k = whole_number(k, "cv", least=2)
    stratified = repeats == 1 and len(y) >= ROWS_PER_CELL * k * levels
    unit, labels = _units(y, groups, stratified=stratified)
    if k > labels.size:
        raise ValueError(f"cv = {k} folds are more than the {labels.size} {'rows' if groups is None else 'groups'}")
    folds = []
    for r in range(repeats):
        fold_of_unit = np.empty(labels.size, np.int64)
        fold_of_unit[_shuffled_by_class(labels, streams.rng(_numbered("folds", r)))] = np.arange(labels.size) % k
        fold = fold_of_unit[unit]
        folds += [Fold(np.flatnonzero(fold != j), np.flatnonzero(fold == j), r) for j in range(k)]
    words = f"{k}-fold cross-validation" + (f", mean of {repeats} repeats" if repeats > 1 else "")
    words += ", folds stratified by class" if stratified and np.ptp(labels) else ""
    return Plan(tuple(folds), fold if stratified else None, words)


def _numbered(name, r):
    return name if r == 0 else f"{name}/{r}"


def _units(y, groups, *, stratified):
    """The unit (row or group) of every row, and the class of every unit; 0 without strata or a class of its own."""
    classes = y if stratified and y.dtype == np.uint8 else np.zeros(len(y), np.uint8)
    if groups is None:
        return np.arange(len(y)), classes
    constant = not varies_within(classes, groups)
    return groups.codes, classes[first_rows(groups)] if constant else np.zeros(groups.counts.size, np.uint8)


def _shuffled_by_class(labels, rng):
    """Units at random, class after class."""
    order = rng.permutation(labels.size)
    return order[np.argsort(labels[order], kind="stable")]


def _share(test_size, units):
    """The share of units in the test set, from a share or a number of them."""
    if isinstance(test_size, int | np.integer) and not isinstance(test_size, bool):
        share = test_size / units
    elif isinstance(test_size, float | np.floating):
        share = float(test_size)
    else:
        raise ValueError(f"test_size must be a share between 0 and 1 or a number of rows, not {test_size!r}")
    if not 0 < share < 1 or not 1 <= np.floor(units * share + 0.5) < units:
        raise ValueError(f"test_size = {test_size!r} leaves no training or no test set of {units} rows or groups")
    return share


# ---- sets given by the user ------------------------------------------------------------------------------------------


def given_split(split, rows):
    """A training and a test set from labels "train" and "test", or from a pair of row numbers (or masks)."""
    if isinstance(split, tuple | list) and len(split) == 2 and np.ndim(split[0]) == 1:
        train, test = (_row_numbers(part, rows, "split") for part in split)
    else:
        labels = np.asarray(split, object)
        unknown = [v for v in labels.ravel().tolist() if not isinstance(v, str) or v.lower() not in SETS]
        if labels.shape != (rows,) or unknown:
            found = f"an array of shape {labels.shape}" if labels.shape != (rows,) else reprlib.repr(unknown[0])
            raise ValueError(
                f"split must have 'train' or 'test' for each of {rows} rows, or be a pair of row numbers; found {found}"
            )
        codes = np.array([SETS[v.lower()] for v in labels.tolist()])
        train, test = np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)
    part = np.zeros(rows, np.int64)
    part[test] = 1
    return Plan((Fold(train, test),), part, f"given split, {test.size} test rows", is_random=False)


def given_folds(cv, X, y, groups, streams):
    """The sets of a scikit-learn splitter, or of an iterable of pairs (training rows, test rows)."""
    if isinstance(cv, type):
        raise ValueError(f"cv is the class {cv.__name__}; give a splitter, such as {cv.__name__}(n_splits=5)")
    if hasattr(cv, "split") and not isinstance(cv, str):
        cv = _seeded(cv, streams)
        other = streams.rng("splitter/response").permutation(y)
        pairs, others = (_split_pairs(cv, X, response, groups) for response in (y, other))
        words, depends = f"splits of {_first_line(cv)}", not _same(pairs, others)
    else:
        if isinstance(cv, str) or not isinstance(cv, Iterable):
            raise ValueError(f"cv must be a number of folds, a splitter or pairs of row numbers, not {cv!r}")
        pairs = _pairs(lambda: cv, len(y))
        words, depends = f"{len(pairs)} given splits", True
    folds = tuple(Fold(train, test) for train, test in pairs)
    plan = Plan(folds, None, words, is_random=False)
    return Plan(folds, _parts(plan, len(y)), words, is_random=False) if depends else plan


def _parts(plan, rows):
    """The part of every row: training or test set, or its fold."""
    part = np.zeros(rows, np.int64)
    if plan.is_single:
        part[plan.folds[0].test] = 1
        return part
    if plan.fold_of_tested is None:
        raise ValueError(
            "cv gives overlapping test sets that may depend on the response, which no permutation respects; use folds,"
            " or a splitter that does not look at the response, such as RepeatedKFold"
        )
    part[plan.tested] = plan.fold_of_tested + 1
    return part


def _seeded(cv, streams):
    """A splitter without a seed of its own gets one."""
    if getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
        cv = copy.copy(cv)
        cv.random_state = int(streams.rng("splitter").integers(2**31))
    return cv


def _split_pairs(cv, X, y, groups):
    """The pairs of a splitter, which may warn that it does not use groups: they are checked later."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        return _pairs(lambda: cv.split(X, y, None if groups is None else groups.codes), len(y))


def _pairs(made, rows):
    """The pairs that a function of no arguments makes, as row numbers."""
    try:
        pairs = list(made())
    except OF_THE_MACHINE:
        raise
    except Exception as error:  # of any type: a user's splitter may raise anything
        raise ValueError(f"cv could not split the rows: {type(error).__name__}: {one_line(error)}") from error
    if not pairs or any(not isinstance(pair, Sized) or len(pair) != 2 for pair in pairs):
        raise ValueError("cv must give at least one split, and each as a pair of training and test rows")
    return [tuple(_row_numbers(part, rows, "cv") for part in pair) for pair in pairs]


def _same(pairs, others):
    return len(pairs) == len(others) and all(
        np.array_equal(one, other) for pair in zip(pairs, others, strict=True) for one, other in zip(*pair, strict=True)
    )


def _row_numbers(part, rows, name):
    """Row numbers from themselves or from a mask."""
    part = np.asarray(part)
    if part.dtype == bool and part.shape == (rows,):
        return np.flatnonzero(part)
    if part.dtype.kind not in "iu" or part.ndim != 1 or (part.size and not 0 <= part.min() <= part.max() < rows):
        raise ValueError(f"{name} must give row numbers from 0 to {rows - 1}, or masks of {rows} rows")
    return np.unique(part)


def _first_line(value: Any) -> str:
    return " ".join(repr(value).split())


# ---- checks ----------------------------------------------------------------------------------------------------------


def _check_sets(plan, table):
    """Raise ValueError for sets that are empty, overlap, share a group, or lack a class."""
    for k, fold in enumerate(plan.folds):
        where = "" if plan.is_single else f" of fold {k + 1}"
        if not fold.train.size or not fold.test.size:
            raise ValueError(f"the {'training' if not fold.train.size else 'test'} set{where} is empty")
        both = np.intersect1d(fold.train, fold.test)
        if both.size:
            raise ValueError(f"row {both[0]} is in the training and in the test set{where}")
        if table.groups is not None:
            _check_groups(table.groups, fold, where)
        if table.classes is not None:
            _check_classes(table, fold, where, test=plan.is_single)


def _check_groups(groups: Levels, fold: Fold, where: str) -> None:
    shared = np.intersect1d(groups.codes[fold.train], groups.codes[fold.test])
    if shared.size:
        raise ValueError(
            f"group {groups.values[shared[0]]!r} has rows in the training and in the test set{where}; keep the rows of"
            " a group together, for example with GroupKFold"
        )


def _check_classes(table, fold, where, *, test):
    for rows, name in ((fold.train, "training"), (fold.test, "test"))[: 2 if test else 1]:
        lacking = np.setdiff1d(np.unique(table.y), table.y[rows])
        if lacking.size:
            label = table.classes[lacking[0]]
            raise ValueError(
                f"the {name} set{where} has no row of class {label!r} of {table.response_name!r}; give more rows of it,"
                " fewer folds or another split"
            )
