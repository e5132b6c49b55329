import numpy as np
import pytest

from permconf_study.study.splits import SPLITS, stratified_split, whole_groups

ROWS = np.zeros(31)


@pytest.mark.parametrize(
    ("name", "options", "train"), [("half", {}, 15), ("first", {"train_size": 10}, 10), ("none", {}, 0)]
)
def test_sets_in_order(name, options, train, rng):
    sets = SPLITS[name](ROWS, ROWS, rng=rng, **options)
    assert [part.tolist() for part in sets] == [list(range(train)), list(range(train, 31))]


@pytest.mark.parametrize("test_size", [None, 1467, 3000])
def test_stratified_split_divides_every_cell_in_proportion(rng, test_size):
    y, c = rng.integers(0, 2, 10_000), rng.integers(0, 3, 10_000)
    train, test = stratified_split(y, c, rng=rng, test_size=test_size)
    size = test_size or 5000
    assert len(test) == size
    assert sorted([*train, *test]) == list(range(10_000))
    for cell in {*zip(y, c, strict=True)}:
        rows = (y == cell[0]) & (c == cell[1])
        assert abs(rows[test].sum() - rows.sum() * size / 10_000) < 1
    assert not np.array_equal(stratified_split(y, c, rng=rng, test_size=test_size)[0], train)


@pytest.mark.parametrize(("name", "option"), [("first", "train_size"), ("stratified", "test_size")])
def test_impossible_sizes_are_refused(name, option, rng):
    with pytest.raises(ValueError, match=f"{option} must be between 1 and 30, not 31"):
        SPLITS[name](ROWS, ROWS, rng=rng, **{option: 31})


def test_rows_of_a_torn_group_go_to_the_training_set():
    train, test = whole_groups(np.arange(3), np.arange(3, 6), np.array([0, 0, 1, 1, 2, 2]))
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3], [4, 5])
    with pytest.raises(ValueError, match="the test set has no group of its own; give more groups"):
        whole_groups(np.arange(3), np.arange(3, 6), np.array([0, 1, 2, 0, 1, 2]))
