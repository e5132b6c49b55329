from itertools import permutations

import numpy as np
import pytest

from permconf import restricted_shuffle, standard_shuffle
from permconf.data.levels import Levels
from permconf.permute.shuffles import shuffled, shuffled_by_turns, sorted_rows

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 2, 2], dtype=np.int64)
C = np.array(list("aabbbbccca"))


@pytest.mark.parametrize(
    "y", [Y, Y % 2, Y * 1.5, np.array(list("uvwxyuvwxy"))], ids=["codes", "binary", "float", "str"]
)
def test_restricted_shuffle_keeps_the_values_of_every_level(y, rng):
    columns = restricted_shuffle(y, C, 50, rng=rng)
    assert columns.shape == (10, 50)
    assert columns.dtype == y.dtype
    for level in "abc":
        for column in columns.T:
            assert sorted(column[level == C]) == sorted(y[level == C])


def test_standard_shuffle_keeps_the_values_but_not_the_levels(rng):
    columns = standard_shuffle(Y, 200, rng=rng)
    assert all(sorted(column) == sorted(Y) for column in columns.T)
    sums = [column[C == "b"].sum() for column in columns.T]
    assert len(set(sums)) > 1


def test_one_level_is_the_standard_shuffle():
    one = restricted_shuffle(Y, np.zeros(10), 20, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(one, standard_shuffle(Y, 20, rng=np.random.default_rng(3)))


@pytest.mark.parametrize("y", [(Y % 2).astype(np.uint8), Y.astype(np.float64)], ids=["binary", "values"])
def test_a_column_depends_on_its_key_only(y, rng):
    keys = rng.integers(0, 2**64, 300, dtype=np.uint64)
    levels = Levels.of(C)
    together = shuffled(y, levels, keys)
    np.testing.assert_array_equal(together[:, 130:190], shuffled(y, levels, keys[130:190]))
    np.testing.assert_array_equal(together[:, ::-1], shuffled(y, levels, keys[::-1].copy()))


@pytest.mark.parametrize("binary", [True, False])
def test_all_arrangements_are_equally_likely(binary, rng):
    y = np.array([1, 1, 0, 0], np.uint8) if binary else np.array([1.0, 1.0, 0.0, 0.0])
    columns = shuffled(y, Levels.single(4), rng.integers(0, 2**64, 12_000, dtype=np.uint64))
    arrangements = sorted(set(permutations((1, 1, 0, 0))))
    counts = np.array([np.all(a == columns.T, axis=1).sum() for a in arrangements])
    assert counts.sum() == 12_000
    assert np.sum((counts - 2000) ** 2 / 2000) < 20.5  # 99.9 % point of chi-square with 5 degrees of freedom


@pytest.mark.parametrize("y", [(Y % 2).astype(np.uint8), Y.astype(np.float64)], ids=["binary", "values"])
def test_turns_are_shuffles_with_levels_of_their_own(y, rng):
    codes = np.array([[0, 0, 1, 1, 1, 1, 2, 2, 2, 0], [2, 1, 0, 1, 2, 0, 1, 0, 2, 1]]).T
    keys = rng.integers(0, 2**64, 300, dtype=np.uint64)
    starts = Levels.of(codes[:, 0]).starts
    assert np.array_equal(starts, Levels.of(codes[:, 1]).starts)
    orders = sorted_rows(codes, starts)
    together = shuffled_by_turns(y, orders, starts, keys, np.array([140, 300]))
    for k, columns in enumerate((slice(0, 140), slice(140, 300))):
        levels = Levels.of(codes[:, k])
        np.testing.assert_array_equal(orders[k], levels.order)
        np.testing.assert_array_equal(together[:, columns], shuffled(y, levels, keys[columns]))
