import numpy as np
import pytest

from permconf import assess
from permconf.adjustments import make_adjustment
from permconf.adjustments.matching import matched_rows
from permconf.adjustments.resampling import drawn_counts
from permconf.adjustments.weighting import inverse_probability_weights
from permconf.data.split import Split
from permconf.generators import make_generator

CONFOUNDED = {"p11": 0.42, "p10": 0.06, "p01": 0.1, "p00": 0.42, "rho": 0.3, "features": 3}


def confounded_split(n=300, *, beta=0.0, theta=1.0, seed=0):
    X, y, c = make_generator("bernoulli_gaussian").sample(
        np.random.default_rng(seed), n=n, beta=beta, theta=theta, **CONFOUNDED
    )
    half = n // 2
    return Split(X[:half], y[:half], c[:half], X[half:], y[half:], c[half:])


def keys(b):
    return np.arange(b, dtype=np.uint64) * np.uint64(977) + np.uint64(5)


def cell_table(y, c, weights=None):
    return np.array(
        [[np.sum(((y == k) & (c == level)) * (1 if weights is None else weights)) for level in (0, 1)] for k in (0, 1)]
    )


def test_residuals_have_mean_zero_in_every_training_level():
    split = confounded_split()
    adjusted = make_adjustment("residuals").adjusted(split, np.random.default_rng(0))
    for level in (0, 1):
        assert np.allclose(adjusted.X_train[split.c_train == level].mean(axis=0), 0)
    shift = split.X_test - adjusted.X_test
    for level in (0, 1):
        expected = split.X_train[split.c_train == level].mean(axis=0)
        assert np.allclose(shift[split.c_test == level], expected)


def test_a_level_that_training_lacks_gets_the_overall_mean():
    split = confounded_split()
    split.c_test[0] = 7
    adjusted = make_adjustment("residuals").adjusted(split, np.random.default_rng(0))
    assert np.allclose(split.X_test[0] - adjusted.X_test[0], split.X_train.mean(axis=0))


def test_matching_equalises_the_classes_within_levels():
    y = np.array([0, 0, 0, 1, 1, 0, 1, 1, 1, 1])
    c = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    rows = matched_rows(y, c, np.array([0, 1]), np.random.default_rng(3))
    assert cell_table(y[rows], c[rows]).tolist() == [[2, 1], [2, 1]]
    assert not np.any(c[rows] == 2)
    with pytest.raises(ValueError, match="matching leaves no rows"):
        matched_rows(y, y, np.array([0, 1]), np.random.default_rng(3))


def test_matching_may_leave_the_test_set_alone():
    split = confounded_split()
    both = make_adjustment("matching").adjusted(split, np.random.default_rng(0))
    training = make_adjustment({"name": "matching", "sets": "training"}).adjusted(split, np.random.default_rng(0))
    for part in (both, training):
        table = cell_table(part.y_train, part.c_train)
        assert np.array_equal(table[0], table[1])
    assert len(training.y_test) == len(split.y_test) > len(both.y_test)


def test_weights_make_response_and_confounder_independent_and_keep_the_margins():
    split = confounded_split()
    Y = np.c_[split.y_train, 1 - split.y_train]
    weights = inverse_probability_weights(Y, split.c_train)
    for k in range(2):
        plain, weighted = cell_table(Y[:, k], split.c_train), cell_table(Y[:, k], split.c_train, weights[:, k])
        assert np.allclose(weighted, np.outer(plain.sum(axis=1), plain.sum(axis=0)) / plain.sum())


def test_resampling_draws_in_proportion_to_the_weights():
    weights = np.tile([1.0, 2.0, 5.0, 0.0], (20_000, 1))
    counts = drawn_counts(np.cumsum(weights, axis=1), keys(20_000))
    assert np.all(counts.sum(axis=0) == 4)
    assert np.all(counts[3] == 0)
    share = counts.sum(axis=1) / counts.sum()
    expected = weights[0] / 8
    error = np.sqrt(expected * (1 - expected) / counts.sum())
    assert np.all(np.abs(share - expected) <= 4 * error)


def test_residuals_and_matching_take_the_confounding_away():
    """With theta = 2 and no response effect the restricted null is far from 1/2; after adjustment it is at 1/2."""
    split = confounded_split(600, theta=2.0)
    parts = tuple(split.__dict__.values())[:6]
    plain = assess(*parts, permutations=500, seed=3)
    assert plain.restricted_mean > 0.7
    for adjustment in ("residuals", "matching"):
        adjusted = assess(*parts, permutations=500, adjustment=adjustment, seed=3)
        error = adjusted.restricted_sd / np.sqrt(500)
        assert abs(adjusted.restricted_mean - 0.5) < 4 * error
