import numpy as np
import pytest

from permconf.data.levels import Levels
from permconf.permute.level_sums import shuffled_level_sums
from permconf.permute.random_streams import permutation_keys
from permconf.permute.shuffles import shuffled


@pytest.mark.parametrize(("n", "strata", "levels", "b"), [(1, 1, 1, 1), (9, 3, 3, 5), (400, 2, 7, 9), (700, 3, 300, 4)])
def test_sums_are_those_of_the_shuffled_codes(n, strata, levels, b, rng):
    u, codes = rng.standard_normal((n, 2)), rng.integers(levels, size=n)
    within, keys = Levels.of(rng.integers(strata, size=n)), permutation_keys(rng, b)
    codes[0] = levels - 1
    expected = [[np.bincount(column, v, levels) for v in u.T] for column in shuffled(codes, within, keys).T]
    np.testing.assert_allclose(shuffled_level_sums(u, codes, within, keys), expected, atol=1e-12)
