import numpy as np
import pytest

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.permute.conditional import ConditionalShuffle
from permconf.permute.kept_fit import MOST_DIRECTIONS, ROWS_PER_DIRECTION, SLACK, kept_directions
from permconf.permute.random_streams import permutation_keys
from permconf.permute.response_model import fitted_response

ROWS = 300


@pytest.fixture
def c(rng):
    return rng.standard_normal((ROWS, 2))


@pytest.fixture
def responses(c, rng):
    noisy = c[:, 0] * (1 + c[:, 1]) + rng.standard_normal(ROWS)
    return {"binary": (noisy > 0).astype(int), "classes": np.digitize(noisy, [-0.7, 0.7]), "numbers": noisy}


@pytest.mark.parametrize("case", ["binary", "classes", "numbers"])
def test_permutations_have_the_association_of_the_response_with_the_confounders(case, c, responses, rng):
    response, confounders = Response.of(responses[case]), Confounders.of(c)
    spreads = {}
    for keep_fit in (False, True):
        shuffle = ConditionalShuffle.of(response, confounders, permutation_keys(rng, 2), keep_fit=keep_fit)
        drawn = shuffle.shuffled(permutation_keys(rng, 200))
        assert (np.sort(drawn, axis=0) == np.sort(response.values)[:, None]).all()
        away = (c[:, 0] - c[:, 0].mean()) @ (drawn.astype(float) - response.values[:, None].astype(float))
        spreads[keep_fit] = np.sqrt(np.mean(away**2))
        likeness = np.corrcoef(drawn.T, response.values)[-1, :-1].mean()
    assert spreads[True] < 0.6 * spreads[False]  # the square root of SLACK is 0.32
    assert likeness < 0.8  # they are permutations, not copies


def test_directions_have_unit_variance_and_sums_of_zero_within_levels(c, responses, rng):
    levels = Levels.of(rng.integers(0, 3, ROWS))
    model = fitted_response(Response.of(responses["binary"]), Confounders.of(c), fine=True)
    directions = kept_directions(model, levels)
    assert directions.shape[1] <= min(ROWS // ROWS_PER_DIRECTION, MOST_DIRECTIONS)
    np.testing.assert_allclose([levels.sums(column) for column in directions.T], 0, atol=1e-8)
    p = model.probabilities[:, 1]
    np.testing.assert_allclose((directions.T * (p * (1 - p))) @ directions, np.eye(directions.shape[1]), atol=1e-8)
    assert 0 < SLACK < 1


@pytest.mark.statistical
def test_permutations_keep_an_effect_of_the_quadrants_of_two_confounders(rng):
    away = []
    for _ in range(20):
        c = rng.standard_normal((ROWS, 2))
        quadrant = (c[:, 0] * c[:, 1] > 0).astype(float)
        y = (rng.random(ROWS) < 1 / (1 + np.exp(1.5 - 3 * quadrant))).astype(int)
        shuffle = ConditionalShuffle.of(Response.of(y), Confounders.of(c), permutation_keys(rng, 2), keep_fit=True)
        drawn = shuffle.shuffled(permutation_keys(rng, 50)).mean(axis=1)
        away.append((quadrant - quadrant.mean()) @ (drawn - y) / np.sqrt(ROWS * quadrant.var() / 4))
    assert abs(np.mean(away)) < 0.5, np.mean(away)
