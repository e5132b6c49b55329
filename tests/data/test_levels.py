import numpy as np

from permconf.data.levels import Levels


def test_rows_are_ordered_level_by_level():
    levels = Levels.of(np.array(["b", "a", "b", "c", "a"]))
    assert levels.values.tolist() == ["a", "b", "c"]
    assert levels.order.tolist() == [1, 4, 0, 2, 3]
    assert levels.starts.tolist() == [0, 2, 4, 5]
    single = Levels.single(3)
    assert (single.order.tolist(), single.starts.tolist()) == ([0, 1, 2], [0, 3])
    codes = Levels.of_codes(np.array([3, 0, 3]), 5)
    assert (codes.values.tolist(), codes.codes.tolist(), codes.counts.tolist()) == ([0, 3], [1, 0, 1], [1, 2])


def test_sums_and_means_over_levels():
    levels, v = Levels.of([1, 0, 1]), np.array([1.0, 2.0, 5.0])
    assert levels.sums(v).tolist() == [2, 6]
    assert levels.fitted(v).tolist() == [3, 2, 3]
    assert levels.pair_sums(np.outer(v, v)).tolist() == [[4, 12], [12, 36]]
