"""What the engine relies on in any adjustment."""

import numpy as np
import pytest

from permconf.data.sample import Sample
from permconf.engine.adjustment import make_adjustment, selected_rows, transformed
from permconf.learners import fitted_scores, make_learner

ROWS, TEST_ROWS, B = 120, 60, 4


@pytest.fixture
def adjustment(adjustment_name):
    return make_adjustment(adjustment_name)


@pytest.fixture
def sets(adjustment, rng):
    """A training and a test set with a confounder of three levels, every cell of (y, c) filled."""
    n = ROWS + TEST_ROWS
    c = np.arange(n) % 3
    values = c + rng.standard_normal(n)
    y = values > np.median(values) if "classification" in adjustment.tasks else values
    sample = Sample.of(rng.standard_normal((n, 3)) + c[:, None], y, c)
    return sample.take(slice(0, ROWS)), sample.take(slice(ROWS, n))


def test_rows_are_selected_alike_by_the_same_stream_and_fit_the_set(adjustment, sets):
    train, test = sets
    for part in adjustment.selects:
        of = train if part == "train" else test
        rows, again = (selected_rows(adjustment, of, train, np.random.default_rng(5)) for _ in range(2))
        np.testing.assert_array_equal(rows, again)
        assert set(np.unique(of.take(rows).response.values)) == set(np.unique(of.response.values))
    assert set(adjustment.selects) <= {"train", "test"}


def changed(adjustment, X_train, X_test, sets):
    return transformed(adjustment, (X_train, X_test), *(part.confounders for part in sets))


def test_features_are_changed_alike_and_those_of_training_rows_without_a_look_at_test_rows(adjustment, sets):
    X_train, X_test = (part.features.X for part in sets)
    kept = X_train.copy(), X_test.copy()
    first, again, other = (changed(adjustment, X_train, X, sets) for X in (X_test, X_test, X_test + 100.0))
    for one, two, before, after in zip(first, again, kept, (X_train, X_test), strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(before, after)  # arguments are left alone
    np.testing.assert_array_equal(first[0], other[0])


def test_weights_are_not_negative_and_one_column_is_as_good_as_many(adjustment, sets, rng):
    if not adjustment.weighs:
        pytest.skip("it gives no weights")
    y, c = sets[0].response.values, sets[0].confounders
    Y = np.stack([rng.permutation(y) for _ in range(B)], axis=1)
    keys = rng.integers(0, 2**64, B, dtype=np.uint64)
    weights = adjustment.weights(Y, c, keys)
    assert weights.shape == Y.shape
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert (weights.sum(axis=0) > 0).all()
    if adjustment.weighs == "counts":
        np.testing.assert_array_equal(weights, np.round(weights))
    alone = np.concatenate([adjustment.weights(Y[:, [k]], c, keys[[k]]) for k in range(B)], axis=1)
    np.testing.assert_allclose(alone, weights, rtol=1e-9, atol=1e-12)


def test_an_adapted_learner_scores_one_response_as_it_does_many(adjustment, sets, rng):
    plain = "logistic" if "classification" in adjustment.tasks else "ridge_regression"
    learner = adjustment.adapted(make_learner(plain), sets[0].confounders)
    X_train, X_test = (part.features.X for part in sets)
    Y = np.stack([rng.permutation(sets[0].response.values) for _ in range(B)], axis=1)
    keys = rng.integers(0, 2**64, B, dtype=np.uint64)
    together = fitted_scores(learner, X_train, Y, X_test, keys).values
    alone = [fitted_scores(learner, X_train, Y[:, [k]], X_test, keys[[k]]).values for k in range(B)]
    np.testing.assert_allclose(np.concatenate(alone, axis=1), together, rtol=1e-9, atol=1e-12)
