from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.linear_model import LogisticRegression

from permconf.adjustments import make_adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.adjustments.propensity_matching import matched_pairs, propensities
from permconf.adjustments.propensity_weighting import PropensityWeighting, propensity_weights
from permconf.adjustments.weighting import inverse_probability_weights
from permconf.data.response import Response


def test_with_levels_only_weights_are_those_of_cell_counts(mixed, keys, rng):
    """A logistic regression on all indicators fits the cells exactly, so the two estimates of p(y | c) agree."""
    y, site = mixed[0].response.values, mixed[0].confounders.chosen(["site"])
    Y = np.stack([y, *(rng.permutation(y) for _ in keys[1:])], axis=1)
    weights = propensity_weights(Y, ConfounderBasis.of(site).columns(site), keys, penalty=1e-9)
    np.testing.assert_allclose(weights, inverse_probability_weights(Y, site), rtol=1e-5)


def test_weights_follow_the_model_of_scikit_learn(mixed, keys):
    y, c = mixed[0].response.values, mixed[0].confounders
    weights = make_adjustment({"name": "propensity_weighting", "penalty": 0.5}).weights(y[:, None], c, keys[:1])[:, 0]
    Z = ConfounderBasis.of(c).columns(c)
    p = LogisticRegression(C=2.0, tol=1e-10, max_iter=1000).fit(Z, y).predict_proba(Z)[np.arange(len(y)), y]
    largest = [np.sqrt(n) * np.log(n) / 6 for n in np.bincount(y)]
    expected = np.minimum(np.bincount(y)[y] / len(y) / p, np.array(largest)[y])
    for k in (0, 1):
        expected[y == k] *= np.sum(y == k) / expected[y == k].sum()
    np.testing.assert_allclose(weights, expected, rtol=1e-4)
    mean = [np.average(c.numeric[:, 0] ** 2, weights=weights * (y == k)) for k in (0, 1)]
    plain = [np.mean(c.numeric[y == k, 0] ** 2) for k in (0, 1)]
    assert abs(mean[1] - mean[0]) < 0.3 * abs(plain[1] - plain[0])


def test_three_classes_and_resampling(mixed, keys, rng):
    Y, c = rng.integers(0, 3, (250, len(keys))).astype(np.uint8), mixed[0].confounders
    adjustment, resampling = make_adjustment("propensity_weighting"), PropensityWeighting(resample=True)
    weights = adjustment.weights(Y, c, keys)
    for k in range(3):
        np.testing.assert_allclose((weights * (k == Y)).sum(axis=0), (k == Y).sum(axis=0))
    assert (adjustment.weighs, resampling.weighs) == ("fractions", "counts")
    assert np.all(resampling.weights(Y, c, keys).sum(axis=0) == 250)
    drawn = resampling.weights(np.repeat(Y[:, :1], 400, axis=1), c, np.arange(400, dtype=np.uint64)).sum(axis=1)
    expected = weights[:, 0] * 400
    assert np.all(np.abs(drawn - expected) < 5 * np.sqrt(expected + 1))


def test_pairs_by_hand():
    score, y = np.array([0.0, 1.0, 5.0, 0.1, 1.3, 9.0, 0.9]), np.array([1, 1, 1, 0, 0, 0, 0])
    for seed in range(5):
        assert matched_pairs(score, y, 0.5, np.random.default_rng(seed)).tolist() == [0, 1, 3, 6]
    with pytest.raises(ValueError, match="leaves no rows"):
        matched_pairs(score, y, 0.01, np.random.default_rng(0))


def test_pairs_are_close_disjoint_and_nearly_as_many_as_there_can_be(rng):
    """The best assignment within the caliper, by scipy, has at most a tenth more pairs."""
    y = (np.arange(120) < 45).astype(int)
    score = rng.normal(size=120) + y
    rows = matched_pairs(score, y, 0.2, np.random.default_rng(0))
    assert np.unique(rows).size == rows.size
    assert (y[rows] == 1).sum() == (y[rows] == 0).sum()
    distance = np.abs(score[y == 1][:, None] - score[y == 0])
    pairs = linear_sum_assignment(distance > 0.2)
    possible = np.sum(distance[pairs] <= 0.2)
    assert 0.9 * possible <= rows.size / 2 <= possible
    kept = np.abs(score[rows][y[rows] == 1][:, None] - score[rows][y[rows] == 0])
    assert np.all(kept[linear_sum_assignment(kept > 0.2)] <= 0.2)


def test_propensities_come_from_the_training_rows_only(mixed):
    train, test = mixed
    fitted, scored = propensities(train, train)
    np.testing.assert_allclose(scored, fitted)
    np.testing.assert_array_equal(propensities(train, test)[0], fitted)


def test_three_classes_cannot_be_paired(mixed):
    three = replace(mixed[0], response=Response.of(np.arange(250) % 3))
    with pytest.raises(ValueError, match="pairs of two classes"):
        make_adjustment("propensity_matching").select(three, three, np.random.default_rng(0))
