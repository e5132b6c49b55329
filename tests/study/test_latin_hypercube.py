from hashlib import blake2b

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from permconf.study.latin_hypercube import latin_hypercube

# Smallest distance of R's lhs::improvedLHS for 1,000 points, mean of five seeds.
IMPROVED_LHS = {4: 0.095, 5: 0.103, 6: 0.215, 7: 0.244}


@pytest.mark.parametrize("k", IMPROVED_LHS)
def test_hypercube_is_latin_and_well_spread(k):
    points = latin_hypercube(1000, k, rng=np.random.default_rng(k))
    for column in points.T:
        np.testing.assert_array_equal(np.sort(np.floor(column * 1000)), np.arange(1000))
    assert pdist(points).min() >= 1.5 * IMPROVED_LHS[k]


def test_the_same_seed_gives_the_same_hypercube_on_every_python():
    points = latin_hypercube(60, 3, rng=np.random.default_rng(1))
    assert blake2b(np.round(points, 12).tobytes(), digest_size=8).hexdigest() == "cd05c1c5e4ebbff4"


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_tiny_hypercubes(rows):
    points = latin_hypercube(rows, 2, rng=np.random.default_rng(0))
    assert points.shape == (rows, 2)
    assert ((points >= 0) & (points <= 1)).all()
