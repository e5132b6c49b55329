"""Training and test sets: whole groups, classes in proportion, and the parts within which the response is permuted."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold

from permconf.adjustments import Adjustment
from permconf.data.confounders import Confounders
from permconf.data.features import Features
from permconf.data.response import Response
from permconf.data.sample import Sample, Subjects
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds, planned
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

ROWS = 120
ILL, SEX = np.arange(ROWS) // 3 % 5 > 2, np.arange(ROWS) // 3 % 2
STREAMS = Streams(0, "test")


def sample(*, ill=ILL, confounder=SEX, subjects=None):
    response, confounders = Response.of(ill, name="ill"), Confounders.of(confounder, "levels")
    return Sample(Features.of(np.arange(ROWS)[:, None]), response, confounders, Subjects.of(subjects))


GROUPED = sample(subjects=[f"s{k // 3}" for k in range(ROWS)])


def plan(of=None, *, seed=0, **options):
    return planned(of or sample(), streams=Streams(seed, "test"), **options)


def test_a_hold_out_set_has_the_classes_in_proportion():
    folds = plan(test_size=0.25)
    ((train, test),) = folds.folds
    assert np.array_equal(np.sort([*train, *test]), np.arange(ROWS))
    assert (test.size, ILL[test].sum()) == (30, 12)
    assert np.array_equal(folds.parts, np.isin(np.arange(ROWS), test))
    assert plan(test_size=30).folds[0].test.size == 30
    assert np.array_equal(plan(test_size=0.25).folds[0].test, test)
    assert not np.array_equal(plan(test_size=0.25, seed=1).folds[0].test, test)


@pytest.mark.parametrize("options", [{}, {"cv": 4}, {"cv": 4, "repeats": 3}, {"repeats": 3}, {"cv": GroupKFold(4)}])
def test_groups_stay_together(options):
    for train, test in plan(GROUPED, **options).folds:
        assert not set(GROUPED.subjects.codes[train]) & set(GROUPED.subjects.codes[test])


def test_folds_of_cross_validation_are_a_partition_and_their_own_parts():
    folds = plan(cv=5)
    assert np.array_equal(np.sort(np.concatenate([fold.test for fold in folds.folds])), np.arange(ROWS))
    assert np.array_equal(folds.parts, folds.fold_of_tested)
    assert np.ptp([ILL[fold.test].sum() for fold in folds.folds]) <= 1
    assert folds.words == "5-fold cross-validation, folds stratified by class"


def test_repeats_do_not_depend_on_the_response():
    """So that the whole response may be permuted: parts are None."""
    for options in ({"cv": 5, "repeats": 2}, {"repeats": 3}):
        folds, other = plan(**options), plan(sample(ill=ILL[::-1]), **options)
        assert folds.parts is None
        for one, two in zip(folds.folds, other.folds, strict=True):
            assert np.array_equal(one.test, two.test)
    assert not np.array_equal(folds.folds[0].test, folds.folds[1].test)


def test_small_cells_are_not_divided_into_folds():
    """Thirty levels in two folds have two rows each: the whole response is permuted, and folds ignore it."""
    assert plan(sample(confounder=np.arange(ROWS) % 30), cv=2).parts is None
    assert plan(sample(confounder=np.arange(ROWS) % 4), cv=5).parts is not None


@pytest.mark.parametrize(
    ("cv", "whole"),
    [
        (KFold(5, shuffle=True), True),
        (StratifiedKFold(5), False),
        (GroupKFold(4), True),
        (RepeatedKFold(n_splits=4, n_repeats=2), True),
        (ShuffleSplit(3, random_state=1), True),
        ([(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))], False),
        ([(np.arange(60), np.arange(60, 120))], False),
    ],
    ids=["KFold", "StratifiedKFold", "GroupKFold", "RepeatedKFold", "ShuffleSplit", "pairs", "pair"],
)
def test_splitters_that_look_at_the_response_keep_it_in_its_fold(cv, whole):
    folds = plan(GROUPED if isinstance(cv, GroupKFold) else None, cv=cv)
    assert (folds.parts is None) == whole
    for train, test in () if whole else folds.folds:
        assert not set(folds.parts[train]) & set(folds.parts[test])


def test_a_given_split_may_be_labels_row_numbers_or_masks():
    in_train = np.arange(ROWS) < 70
    rows = np.arange(70), np.arange(70, 120)
    labels = np.where(in_train, "train", "Test")
    for split in (labels, rows, [part.tolist() for part in rows], (in_train, ~in_train)):
        folds = plan(split=split)
        assert folds.folds[0].test.tolist() == list(range(70, 120))
        assert folds.parts.tolist() == [0] * 70 + [1] * 50
        assert (folds.is_random, folds.separate) == (False, False)


@pytest.mark.parametrize(
    ("of", "options", "message"),
    [
        (None, {"test_size": 1.5}, "test_size = 1.5 leaves no training or no test set of 120 rows or groups"),
        (None, {"test_size": "half"}, "test_size must be a share between 0 and 1 or a number of rows, not 'half'"),
        (None, {"cv": 1}, "cv must be a whole number from 2, not 1"),
        (GROUPED, {"cv": 41}, "cv = 41 folds are more than the 40 groups"),
        (None, {"cv": KFold}, r"cv is the class KFold; give a splitter, such as KFold\(n_splits=5\)"),
        (None, {"cv": "five"}, "cv must be a number of folds, a splitter or pairs of row numbers, not 'five'"),
        (None, {"cv": KFold(5), "repeats": 2}, "repeats needs cv as a number; give a repeated splitter"),
        (None, {"cv": KFold(500)}, "cv could not split the rows: ValueError: Cannot have number of splits"),
        (None, {"cv": [([0, 1],)]}, "cv must give at least one split, and each as a pair"),
        (None, {"cv": [([0, 1], [2]), ([3, 4], [2])]}, "cv gives overlapping test sets that may depend on the"),
        (None, {"split": (np.arange(9), np.arange(9, 200))}, "split must give row numbers from 0 to 119, or masks of"),
        (None, {"split": ["train", "tset"] * 60}, "split must have 'train' or 'test' for each .* found 'tset'"),
        (None, {"split": ["train"] * 5}, r"found an array of shape \(5,\)"),
        (None, {"split": ["train"] * ROWS}, "the test set is empty"),
        (None, {"split": (np.arange(60), np.arange(59, 120))}, "row 59 is in the training and in the test set"),
        (None, {"split": (np.flatnonzero(ILL), np.flatnonzero(~ILL))}, "the training set has no row of class False of"),
        (None, {"split": np.repeat(["train", "test"], 60), "cv": 5}, "split gives the training and test set; leave"),
        (GROUPED, {"split": (np.arange(61), np.arange(61, 120))}, "group 's20' has rows in the training and in the"),
        (GROUPED, {"cv": KFold(7, shuffle=True)}, "has rows in the training and in the test set of fold 1; keep the"),
    ],
)
def test_sets_that_cannot_be_made_are_named(of, options, message):
    with pytest.raises(ValueError, match=message):
        plan(of, **options)


# ---- rows that an adjustment selects ---------------------------------------------------------------------------------


class Resampled(Adjustment):
    """As many rows, drawn with replacement."""

    selects = ("train", "test")

    def select(self, part, train, rng):  # noqa: ARG002
        return rng.integers(0, len(part), len(part))


def test_rows_in_no_set_are_left_out():
    rows, folds = plan(split=(np.arange(10, 60), np.arange(70, 120))).selected(sample(), Adjustment(), STREAMS)
    assert rows.tolist() == [*range(10, 60), *range(70, 120)]
    assert (folds.folds[0].train.tolist(), folds.parts.tolist()) == (list(range(50)), [0] * 50 + [1] * 50)


@pytest.mark.parametrize("options", [{}, {"split": (np.arange(70), np.arange(70, 120))}, {"cv": 4}, {"repeats": 3}])
def test_copies_of_a_row_stay_in_its_set_and_part(options):
    before = plan(**options)
    rows, folds = before.selected(sample(), Resampled(), STREAMS)
    assert np.unique(rows).size < len(rows) == ROWS
    for (train, test), made in zip(before.folds, folds.folds, strict=True):
        assert set(rows[made.train]) <= set(train)
        assert set(rows[made.test]) <= set(test)
        assert len(made.train) + len(made.test) == ROWS
    if before.parts is not None:
        np.testing.assert_array_equal(folds.parts, before.parts[rows])


def test_the_papers_split_puts_training_rows_first_and_permutes_each_set_by_itself():
    rows, folds = Folds.split([5, 3], [0, 9]).selected(sample(), Adjustment(), STREAMS)
    assert rows.tolist() == [5, 3, 0, 9]
    assert folds.blocks(4) == {"train": slice(0, 2), "test": slice(2, 4)}
    assert plan().blocks(ROWS) == {"response": slice(0, ROWS)}
    train, test = (
        Folds.split(*parts).selected(sample(), Resampled(), STREAMS)[0][:60]
        for parts in ((np.arange(60), np.arange(60, 120)), (np.arange(60), np.arange(80, 120)))
    )
    np.testing.assert_array_equal(train, test)  # selection in the training set does not depend on the test set


@pytest.mark.parametrize("options", [{}, {"cv": 5}, {"cv": 5, "repeats": 2}, {"test_size": 0.3}], ids=str)
def test_a_copy_of_a_training_row_is_never_tested(options):
    """A nearest neighbour finds copies. On noise it is right in half of all cases, by four Monte Carlo errors."""
    rng, accuracies = np.random.default_rng(8), []
    learner, metrics = {"name": "nearest_neighbours", "k": 1}, {"accuracy": make_metric("accuracy")}
    for number in range(60):
        X, y, c = rng.standard_normal((200, 5)), rng.permutation(np.arange(200) % 2), rng.integers(0, 2, 200)
        noise, streams = Sample.of(X, y, c), Streams(1, "noise", number)
        folds = planned(noise, **options, streams=streams)
        found = evaluate(noise, folds, learner=learner, metrics=metrics, adjustment=Resampled(), streams=streams)
        accuracies.append(found.observed("accuracy"))
    assert abs(np.mean(accuracies) - 0.5) < 4 * np.std(accuracies) / np.sqrt(len(accuracies))
