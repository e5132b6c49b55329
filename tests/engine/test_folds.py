"""Training and test sets: whole groups, classes in proportion, and the parts within which the response is permuted."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold

from permconf.data.table import read_table
from permconf.engine.folds import planned
from permconf.permute.random_streams import Streams

DEFAULTS = {"test_size": 0.5, "cv": None, "repeats": 1, "split": None}


def make_plan(data, *, seed=0, groups=None, **options):
    table = read_table(data, response="ill", confounders="sex", features=["a"], groups=groups, task="classification")
    return table, planned(table, streams=Streams(seed, "test"), **DEFAULTS | options)


def test_hold_out_set_has_the_classes_in_proportion(data):
    table, plan = make_plan(data, test_size=0.25)
    (fold,) = plan.folds
    assert fold.test.size == 30
    assert np.array_equal(np.sort([*fold.train, *fold.test]), np.arange(120))
    assert abs(table.y[fold.test].mean() - table.y.mean()) < 1.5 / 30
    assert np.array_equal(plan.parts, np.isin(np.arange(120), fold.test))
    assert make_plan(data, test_size=30)[1].folds[0].test.size == 30


@pytest.mark.parametrize("options", [{}, {"cv": 4}, {"cv": 4, "repeats": 3}, {"repeats": 3}])
def test_groups_stay_together(data, options):
    table, plan = make_plan(data, groups="subject", **options)
    for fold in plan.folds:
        assert not set(table.groups.codes[fold.train]) & set(table.groups.codes[fold.test])


def test_folds_are_a_partition_and_their_own_parts(data):
    table, plan = make_plan(data, cv=5)
    tests = np.concatenate([fold.test for fold in plan.folds])
    assert np.array_equal(np.sort(tests), np.arange(120))
    assert np.array_equal(plan.parts, plan.fold_of_tested)
    assert np.ptp([table.y[fold.test].sum() for fold in plan.folds]) <= 1


def test_repeats_do_not_depend_on_the_response(data):
    """So that the whole response may be permuted: parts are None."""
    for options in ({"cv": 5, "repeats": 2}, {"repeats": 3}):
        _, plan = make_plan(data, **options)
        _, other = make_plan(data.assign(ill=data["ill"].to_numpy()[::-1]), **options)
        assert plan.parts is None
        for one, two in zip(plan.folds, other.folds, strict=True):
            assert np.array_equal(one.test, two.test)
    assert not np.array_equal(plan.folds[0].test, plan.folds[1].test)


def test_small_cells_are_not_divided_into_folds(data):
    """Twelve levels in five folds have two rows each: the whole response is permuted, folds ignore it."""
    data["sex"] = [f"level {k % 30}" for k in range(120)]
    assert make_plan(data, cv=5)[1].parts is None
    assert make_plan(data, cv=2)[1].parts is None
    data["sex"] = [f"level {k % 4}" for k in range(120)]
    assert make_plan(data, cv=5)[1].parts is not None


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
def test_splitters_that_look_at_the_response_keep_it_in_its_fold(data, cv, whole):
    groups = "subject" if isinstance(cv, GroupKFold) else None
    _, plan = make_plan(data, cv=cv, groups=groups)
    assert (plan.parts is None) == whole
    if not whole:
        for fold in plan.folds:
            assert not set(plan.parts[fold.train]) & set(plan.parts[fold.test])


def test_a_given_split(data):
    labels = np.where(np.arange(120) < 70, "train", "Test")
    rows = np.arange(70), np.arange(70, 120)
    for split in (labels, rows, [part.tolist() for part in rows], (np.arange(120) < 70, np.arange(120) >= 70)):
        _, plan = make_plan(data, split=split)
        assert plan.folds[0].test.tolist() == list(range(70, 120))
        assert not plan.is_random


def test_rows_in_no_set_are_left_out(data):
    _, plan = make_plan(data, split=(np.arange(10, 60), np.arange(70, 120)))
    assert plan.used.tolist() == [*range(10, 60), *range(70, 120)]
    small = plan.renumbered()
    assert small.folds[0].train.tolist() == list(range(50))
    assert small.parts.tolist() == [0] * 50 + [1] * 50


def test_seeds_change_the_split(data):
    tests = [make_plan(data, seed=seed)[1].folds[0].test for seed in (0, 0, 1)]
    assert np.array_equal(tests[0], tests[1])
    assert not np.array_equal(tests[0], tests[2])
