import numpy as np
import pytest

from permconf.data.levels import Levels
from permconf.permute.random_streams import permutation_keys
from permconf.permute.shuffled_forms import shuffled_forms
from permconf.permute.shuffles import shuffled


@pytest.mark.parametrize(("n", "strata", "b"), [(1, 1, 1), (9, 3, 5), (300, 2, 17)])
def test_products_are_those_of_the_shuffled_rows(n, strata, b, rng):
    A, C, widths = rng.standard_normal((n, 3)), rng.standard_normal((n, 2)), [3, 1]
    within, keys = Levels.of(rng.integers(strata, size=n)), permutation_keys(rng, b)
    rows = shuffled(np.arange(n), within, keys).T
    expected = [np.concatenate([A[:, :w].T @ C[row, c] for c, w in enumerate(widths)]) for row in rows]
    found = shuffled_forms(A, C, widths, within, keys)
    np.testing.assert_allclose(found, expected, atol=1e-12 * n)
    alone = [shuffled_forms(A, C, widths, within, keys[k : k + 1])[0] for k in range(b)]
    np.testing.assert_array_equal(found, alone)
