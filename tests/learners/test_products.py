import numpy as np
import pytest

from permconf.learners._products import product


@pytest.mark.parametrize("shape", [(1, 1), (7, 11), (128, 31), (33, 102)])
@pytest.mark.parametrize("kind", [np.uint8, np.float64])
def test_a_column_of_a_product_has_the_same_bits_whatever_and_wherever_the_others_are(shape, kind, rng):
    A, B = rng.standard_normal(shape), rng.integers(0, 200, (shape[1], 130)).astype(kind)
    found, order = product(A, B), rng.permutation(130)
    np.testing.assert_allclose(found, A @ B, rtol=1e-12, atol=1e-10)
    np.testing.assert_array_equal(product(A, B[:, order]), found[:, order])
    np.testing.assert_array_equal(product(A, B[:, 3:70]), found[:, 3:70])
    np.testing.assert_array_equal(product(np.asfortranarray(A), B[:, :1]), found[:, :1])
