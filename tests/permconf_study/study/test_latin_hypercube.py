from hashlib import blake2b

import numpy as np
import pytest
import yaml
from scipy.spatial.distance import pdist

from permconf_study.study.latin_hypercube import KINDS, latin_hypercube

# Smallest distance of R's lhs::improvedLHS for 1,000 points, mean of five seeds.
IMPROVED_LHS = {4: 0.095, 7: 0.244}


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


def test_kinds_of_hypercubes(request):
    schema = yaml.safe_load((request.config.rootpath / "workflow/schemas/scenario.schema.yaml").read_text())
    assert schema["properties"]["data"]["properties"]["hypercube"]["enum"] == list(KINDS)
    made = {kind: latin_hypercube(100, 3, kind=kind, rng=np.random.default_rng(1)) for kind in KINDS}
    for points in made.values():
        np.testing.assert_array_equal(np.sort(np.floor(points * 100), axis=0), np.tile(np.arange(100), (3, 1)).T)
    distances = [pdist(made[kind]).min() for kind in KINDS]
    assert distances == sorted(distances, reverse=True)
