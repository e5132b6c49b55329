"""Which rows train and which test: a hold-out set, a given split, cross-validation, each with whole subjects.

Validity. The response test compares the metric of the response with that of its permutations, on the same sets. Given
the confounders, response and permutations must be exchangeable, also given the sets. So if the sets may depend on the
response (they are stratified by it, or given), the response is permuted within the parts of the split: training and
test set, or folds. This keeps the number of rows of each class in every part, and holds the level whatever the split
depends on. If the sets are drawn without regard to the response, the whole response is permuted, and the statistic may
be a mean over any number of sets that overlap. That is how repeats are combined: one permutation of the response goes
through all of them, and its metric is the mean over repeats.

The paper's split is one training and one test set, each permuted by itself (`separate`): with random streams of its own
and, given numeric confounders, by a model of its own, so that no set has a part in the permutations of the other. All
other folds share one permutation, from a model of all rows, which is the more stable one for the data of a user.
"""

import copy
import reprlib
import warnings
from collections.abc import Iterable, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from permconf.data.sample import Sample
from permconf.engine.adjustment import Adjustment, selected_rows
from permconf.errors import SYSTEM_ERRORS, one_line
from permconf.options import whole_number
from permconf.permute.random_streams import Streams
from permconf.permute.units import first_rows, varies_within
from permconf.wording import count

ROWS_PER_CELL = 5  # rows of a level of the confounders in a fold, on average, from which folds are stratified
SETS = {"train": 0, "training": 0, "test": 1, "testing": 1}


class Fold(NamedTuple):
    """Rows of one training and one test set: numbers, or slices."""

    train: Any
    test: Any


@dataclass(frozen=True, eq=False)
class Folds:
    """Training and test sets, the part of every row within which it is permuted (None: one part), and all in words.

    `separate` is the paper's split. `repeats` is the number of times that the rows were split at random; 0 where the
    sets were given.
    """

    folds: tuple[Fold, ...]
    parts: np.ndarray | None = None
    separate: bool = False
    words: str = ""
    repeats: int = 0

    @classmethod
    def split(cls, train: Any, test: Any) -> "Folds":
        """The paper's: one training and one test set."""
        return cls((Fold(np.asarray(train), np.asarray(test)),), separate=True)

    @property
    def is_single(self) -> bool:
        return len(self.folds) == 1

    @property
    def is_random(self) -> bool:
        return self.repeats > 0

    @cached_property
    def tested(self) -> np.ndarray:
        """Rows that are in a test set, in order."""
        return np.unique(np.concatenate([fold.test for fold in self.folds]))

    @cached_property
    def fold_of_tested(self) -> np.ndarray | None:
        """The fold of every tested row; None if there is one fold, or rows are tested several times."""
        if self.is_single or sum(len(fold.test) for fold in self.folds) > self.tested.size:
            return None
        fold_of = np.empty(self.tested.max() + 1, np.int64)
        for k, fold in enumerate(self.folds):
            fold_of[fold.test] = k
        return fold_of[self.tested]

    def checked(self, sample: Sample) -> "Folds":
        """These folds, or a ValueError for sets that are empty, overlap, share a subject, or lack a class."""
        for k, fold in enumerate(self.folds):
            where = "" if self.is_single else f" of fold {k + 1}"
            if not len(fold.train) or not len(fold.test):
                raise ValueError(f"the {'test' if len(fold.train) else 'training'} set{where} is empty")
            both = np.intersect1d(fold.train, fold.test)
            if both.size:
                raise ValueError(f"row {both[0]} is in the training and in the test set{where}")
            if (subjects := sample.subjects) is not None:
                shared = np.intersect1d(subjects.codes[fold.train], subjects.codes[fold.test])
                if shared.size:
                    group = subjects.levels.values.tolist()[shared[0]]
                    raise ValueError(
                        f"group {group!r} has rows in the training and in the test set{where}; keep the rows of a group"
                        " together, for example with GroupKFold"
                    )
            _check_classes(sample.response, fold, where, test=self.is_single)
        return self

    def selected(self, sample: Sample, adjustment: Adjustment, streams: Streams) -> tuple[np.ndarray, "Folds"]:
        """The rows that are used, and the folds of these; an adjustment may drop or repeat rows.

        One training and one test set are selected from one after the other; several overlap, so that all rows are at
        once. Copies of a row stay in its set, so that none is in a training and in a test set.
        """
        rng = streams.rng("adjustment") if adjustment.selects else None
        if self.is_single:
            train, test = self.folds[0]
            if rng is not None:
                fitted = sample.take(train)
                if "train" in adjustment.selects:
                    train = train[selected_rows(adjustment, fitted, fitted, rng)]
                if "test" in adjustment.selects:
                    test = test[selected_rows(adjustment, sample.take(test), fitted, rng)]
            rows = np.concatenate([train, test])
            if self.separate:
                fold = Fold(slice(0, len(train)), slice(len(train), len(rows)))
                return rows, replace(self, folds=(fold,))
            rows = np.unique(rows) if rng is None else np.sort(rows)
        else:
            rows = np.unique(np.concatenate([rows for fold in self.folds for rows in fold]))
            if rng is not None:
                used = sample.take(rows)
                rows = rows[np.sort(selected_rows(adjustment, used, used, rng))]
        single = self.is_single and rng is not None  # copies were selected one by one
        folds = tuple(Fold(*(_places(rows, np.unique(part) if single else part) for part in f)) for f in self.folds)
        return rows, replace(self, folds=folds, parts=None if self.parts is None else self.parts[rows])

    def blocks(self, rows: int) -> dict[str, slice]:
        """Rows that are permuted by a stream of their own, by its name; together they are all rows, in order."""
        return self.folds[0]._asdict() if self.separate else {"response": slice(0, rows)}


def _places(rows, part):
    """Places among the rows of those of a part, as often as it has them: a bootstrap sample repeats training rows."""
    numbers, times = np.unique(part, return_counts=True)
    places = np.flatnonzero(np.isin(rows, numbers))
    return np.repeat(places, times[np.searchsorted(numbers, rows[places])])


def paper_split(train: tuple, test: tuple, *, task: str, treatment: Any, positive: Any = None) -> tuple[Sample, Folds]:
    """A training set (X, y, c) and a test set as one sample, and the paper's split of it."""
    sample = Sample.of_sets(train, test, task=task, treatment=treatment, positive=positive)
    numbers, n = np.arange(len(sample)), len(train[1])
    return sample, Folds.split(numbers[:n], numbers[n:])


def planned(
    sample: Sample, *, test_size: Any = 0.5, cv: Any = None, repeats: int = 1, split: Any = None, streams: Streams
) -> Folds:
    """The folds that the options of an audit ask for."""
    repeats = whole_number(repeats, "repeats", least=1)
    if split is not None:
        if cv is not None or repeats > 1:
            raise ValueError("split gives the training and test set; leave out cv and repeats")
        folds = given_split(split, len(sample))
    elif cv is None:
        folds = hold_outs(sample, test_size=test_size, repeats=repeats, streams=streams)
    elif isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        folds = cross_validation(sample, int(cv), repeats=repeats, streams=streams)
    elif repeats > 1:
        raise ValueError("repeats needs cv as a number; give a repeated splitter, such as RepeatedKFold, instead")
    else:
        folds = given_folds(cv, sample, streams)
    return folds.checked(sample)


# ---- sets drawn here -------------------------------------------------------------------------------------------------


def hold_outs(sample: Sample, *, test_size: Any, repeats: int, streams: Streams) -> Folds:
    """Random test sets of whole subjects; one alone has the classes in the same proportion as its training set."""
    unit, labels = _units(sample, stratified=repeats == 1)
    share = _share(test_size, labels.size)
    folds = []
    for r in range(repeats):
        order = _shuffled_by_class(labels, streams.rng(f"split/{r}" if r else "split"))
        chosen = np.zeros(labels.size, bool)
        chosen[order] = np.diff(np.floor(np.arange(labels.size + 1) * share + 0.5)) > 0
        in_test = chosen[unit]
        folds.append(Fold(np.flatnonzero(~in_test), np.flatnonzero(in_test)))
    size = f"{folds[0].test.size} of {len(sample)} rows"
    if repeats > 1:
        return Folds(tuple(folds), words=f"mean of {repeats} random hold-out sets of about {size}", repeats=repeats)
    stratified = ", stratified by class" if np.ptp(labels) else ""
    return Folds(tuple(folds), in_test.astype(np.int64), words=f"hold-out set of {size}{stratified}", repeats=1)


def cross_validation(sample: Sample, k: int, *, repeats: int, streams: Streams) -> Folds:
    """Folds of whole subjects, stratified by class unless that leaves too few rows to permute within folds."""
    k = whole_number(k, "cv", least=2)
    stratified = repeats == 1 and len(sample) >= ROWS_PER_CELL * k * sample.confounders.strata.counts.size
    unit, labels = _units(sample, stratified=stratified)
    if k > labels.size:
        units = "rows" if sample.subjects is None else "groups"
        raise ValueError(f"cv = {k} folds are more than the {labels.size} {units}")
    folds = []
    for r in range(repeats):
        fold_of_unit = np.empty(labels.size, np.int64)
        fold_of_unit[_shuffled_by_class(labels, streams.rng(f"folds/{r}" if r else "folds"))] = (
            np.arange(labels.size) % k
        )
        fold = fold_of_unit[unit]
        folds += [Fold(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k)]
    words = f"{k}-fold cross-validation" + (f", mean of {repeats} repeats" if repeats > 1 else "")
    words += ", folds stratified by class" if stratified and np.ptp(labels) else ""
    return Folds(tuple(folds), fold if stratified else None, words=words, repeats=repeats)


def _units(sample, *, stratified):
    """The unit (row or subject) of every row, and the class of every unit; 0 without strata or a class of its own."""
    is_class = stratified and sample.response.labels is not None
    classes = sample.response.values if is_class else np.zeros(len(sample), np.uint8)
    if sample.subjects is None:
        return np.arange(len(sample)), classes
    groups = sample.subjects.levels
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


def given_split(split: Any, rows: int) -> Folds:
    """A training and a test set from labels "train" and "test", or from a pair of row numbers (or masks)."""
    if isinstance(split, tuple | list) and len(split) == 2 and np.ndim(split[0]) == 1:
        train, test = _train_and_test(split, rows, "split")
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
    folds = Folds((Fold(train, test),), words=f"given split, {count(test.size, 'test row')}")
    return replace(folds, parts=_parts(folds, rows))


def given_folds(cv: Any, sample: Sample, streams: Streams) -> Folds:
    """The sets of a scikit-learn splitter, or of an iterable of pairs (training rows, test rows)."""
    if isinstance(cv, type):
        raise ValueError(f"cv is the class {cv.__name__}; give a splitter, such as {cv.__name__}(n_splits=5)")
    if hasattr(cv, "split") and not isinstance(cv, str):
        cv = _seeded(cv, streams)
        other = streams.rng("splitter/response").permutation(sample.response.values)
        pairs, others = (_split_pairs(cv, sample, y) for y in (sample.response.values, other))
        words, depends = f"splits of {' '.join(repr(cv).split())}", not _same(pairs, others)
    else:
        if isinstance(cv, str) or not isinstance(cv, Iterable):
            raise ValueError(f"cv must be a number of folds, a splitter or pairs of row numbers, not {cv!r}")
        pairs = _pairs(lambda: cv, len(sample))
        words, depends = f"{count(len(pairs), 'given split')}", True
    folds = Folds(tuple(Fold(*pair) for pair in pairs), words=words)
    return replace(folds, parts=_parts(folds, len(sample))) if depends else folds


def _parts(folds, rows):
    """The part of every row: training or test set, or its fold."""
    part = np.zeros(rows, np.int64)
    if folds.is_single:
        part[folds.folds[0].test] = 1
        return part
    if folds.fold_of_tested is None:
        raise ValueError(
            "cv gives overlapping test sets that may depend on the response, which no permutation respects; use folds,"
            " or a splitter that does not look at the response, such as RepeatedKFold"
        )
    part[folds.tested] = folds.fold_of_tested + 1
    return part


def _seeded(cv, streams):
    """A splitter without a seed of its own gets one."""
    if getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
        cv = copy.copy(cv)
        cv.random_state = int(streams.rng("splitter").integers(2**31))
    return cv


def _split_pairs(cv, sample, y):
    """The pairs of a splitter, which may warn that it does not use groups: they are checked later."""
    groups = None if sample.subjects is None else sample.subjects.codes
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        return _pairs(lambda: cv.split(sample.features.X, y, groups), len(y))


def _pairs(made, rows):
    """The pairs that a function of no arguments makes, as row numbers."""
    try:
        pairs = list(made())
    except SYSTEM_ERRORS:
        raise
    except Exception as error:  # of any type: a user's splitter may raise anything
        raise ValueError(f"cv could not split the rows: {type(error).__name__}: {one_line(error)}") from error
    if not pairs or any(not isinstance(pair, Sized) or len(pair) != 2 for pair in pairs):
        raise ValueError("cv must give at least one split, and each as a pair of training and test rows")
    return [_train_and_test(pair, rows, "cv") for pair in pairs]


def _train_and_test(pair, rows, name):
    """Row numbers, from themselves or from masks, of a training set, which may repeat them, and of a test set."""
    numbers = []
    for part in map(np.asarray, pair):
        if part.dtype == bool and part.shape == (rows,):
            part = np.flatnonzero(part)
        if part.dtype.kind not in "iu" or part.ndim != 1 or (part.size and not 0 <= part.min() <= part.max() < rows):
            raise ValueError(f"{name} must give row numbers from 0 to {rows - 1}, or masks of {rows} rows")
        numbers.append(np.sort(part))
    return numbers[0], np.unique(numbers[1])


def _same(pairs, others):
    return len(pairs) == len(others) and all(
        np.array_equal(one, other) for pair in zip(pairs, others, strict=True) for one, other in zip(*pair, strict=True)
    )


def _check_classes(response, fold, where, *, test):
    if response.labels is None:
        return
    for rows, name in ((fold.train, "training"), (fold.test, "test"))[: 2 if test else 1]:
        lacking = np.flatnonzero(np.bincount(response.values[rows], minlength=response.classes) == 0)
        if lacking.size:
            raise ValueError(
                f"the {name} set{where} has no row of class {response.labels.tolist()[lacking[0]]!r} of"
                f" {response.name!r}; give more rows of it, fewer folds or another split"
            )
