"""Residuals, matching, weights and resampling by levels of the confounder; every adjustment alike for every user."""

import numpy as np
import pytest

from permconf import assess
from permconf.adjustments import make_adjustment
from permconf.adjustments.matching import matched_rows
from permconf.adjustments.resampling import drawn_counts
from permconf.adjustments.weighting import inverse_probability_weights
from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.generators import make_generator

CONFOUNDED = {"p11": 0.42, "p10": 0.06, "p01": 0.1, "p00": 0.42, "rho": 0.3, "features": 3}


def confounded(n=300, *, theta=1.0):
    """Features that depend on the confounder only."""
    generator = make_generator("bernoulli_gaussian")
    return generator.sample(np.random.default_rng(0), n=n, beta=0.0, theta=theta, **CONFOUNDED)


def cell_table(y, c, weights=1):
    return np.array([[np.sum(((y == k) & (c == level)) * weights) for level in (0, 1)] for k in (0, 1)])


def test_residuals_are_distances_from_the_means_of_the_training_levels():
    X, _, c = confounded()
    c[-1] = 7  # a level that training lacks gets the overall mean
    codes = Confounders.of(c, "levels")
    made = make_adjustment("residuals").transform(X[:150], codes.take(slice(150)), X[150:], codes.take(slice(150, 300)))
    for level in (0, 1):
        mean = X[:150][c[:150] == level].mean(axis=0)
        for part, rows in zip(made, (slice(150), slice(150, 300)), strict=True):
            np.testing.assert_allclose((X[rows] - part)[c[rows] == level], np.tile(mean, (sum(c[rows] == level), 1)))
    np.testing.assert_allclose(X[-1] - made[1][-1], X[:150].mean(axis=0))


def test_matching_equalises_the_classes_within_levels():
    y = np.array([0, 0, 0, 1, 1, 0, 1, 1, 1, 1])
    c = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    rows = matched_rows(Response.of(y), c, np.random.default_rng(3))
    assert cell_table(y[rows], c[rows]).tolist() == [[2, 1], [2, 1]]
    assert not np.any(c[rows] == 2)
    with pytest.raises(ValueError, match="matching leaves no rows"):
        matched_rows(Response.of(y), y, np.random.default_rng(3))


@pytest.mark.parametrize("name", ["matching", "propensity_matching"])
def test_matching_may_leave_the_test_set_alone(name):
    assert make_adjustment(name).selects == ("train", "test")
    assert make_adjustment({"name": name, "sets": "training"}).selects == ("train",)


def test_weights_make_response_and_confounder_independent_and_keep_the_margins():
    _, y, c = confounded()
    Y = np.c_[y, 1 - y]
    weights = inverse_probability_weights(Y, Confounders.of(c, "levels"))
    for k in range(2):
        plain, weighted = cell_table(Y[:, k], c), cell_table(Y[:, k], c, weights[:, k])
        assert np.allclose(weighted, np.outer(plain.sum(axis=1), plain.sum(axis=0)) / plain.sum())


def test_resampling_draws_in_proportion_to_the_weights():
    weights = np.tile([1.0, 2.0, 5.0, 0.0], (20_000, 1))
    counts = drawn_counts(np.cumsum(weights, axis=1), np.arange(20_000, dtype=np.uint64) * np.uint64(977))
    assert np.all(counts.sum(axis=0) == 4)
    expected = weights[0] / 8
    error = np.sqrt(expected * (1 - expected) / counts.sum())
    assert np.all(np.abs(counts.sum(axis=1) / counts.sum() - expected) <= 4 * error)


def test_residuals_and_matching_take_the_confounding_away():
    """With theta = 2 and no response effect the restricted null is far from 1/2; after adjustment it is at 1/2."""
    parts = [v[rows] for rows in (slice(300), slice(300, 600)) for v in confounded(600, theta=2.0)]
    assert assess(*parts, permutations=500, seed=3).restricted_mean > 0.7
    for adjustment in ("residuals", "matching"):
        adjusted = assess(*parts, permutations=500, adjustment=adjustment, seed=3)
        assert abs(adjusted.restricted_mean - 0.5) < 4 * adjusted.restricted_sd / np.sqrt(500)
