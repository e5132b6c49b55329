import numpy as np
import pytest

from permconf_study.study.splits import first_split, half_split, stratified_split, whole_sample


def test_half_split_takes_halves_in_order(rng):
    train, test = half_split(np.zeros(301), np.zeros(301), rng=rng)
    assert list(train) == list(range(150))
    assert list(test) == list(range(150, 301))


def test_first_split_takes_the_first_rows_for_training(rng):
    train, test = first_split(np.zeros(30), np.zeros(30), rng=rng, train_size=10)
    assert list(train) == list(range(10))
    assert list(test) == list(range(10, 30))
    with pytest.raises(ValueError, match="train_size must be between 1 and 29, not 30"):
        first_split(np.zeros(30), np.zeros(30), rng=rng, train_size=30)


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


def test_stratified_split_is_random(rng):
    y = c = np.zeros(40)
    assert not np.array_equal(stratified_split(y, c, rng=rng)[0], stratified_split(y, c, rng=rng)[0])


def test_stratified_split_rejects_impossible_sizes(rng):
    with pytest.raises(ValueError, match="test_size must be between 1 and 9, not 10"):
        stratified_split(np.zeros(10), np.zeros(10), rng=rng, test_size=10)


def test_whole_sample_has_no_training_rows(rng):
    train, test = whole_sample(np.zeros(5), np.zeros(5), rng=rng)
    assert len(train) == 0
    assert list(test) == list(range(5))
