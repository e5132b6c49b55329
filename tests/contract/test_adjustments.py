"""What the study relies on in any adjustment."""

import copy
import dataclasses

import numpy as np
import pytest

from permconf.data.split import Split

ROWS, TEST_ROWS, B = 120, 60, 4


@pytest.fixture
def adjustment(adjustment_name):
    from permconf.adjustments import make_adjustment

    return make_adjustment(adjustment_name)


@pytest.fixture
def split(adjustment, rng):
    """Two sets with a confounder of three levels, every cell of (y, c) filled."""
    n = ROWS + TEST_ROWS
    c = np.arange(n) % 3
    values = c + rng.standard_normal(n)
    y = (values > np.median(values)).astype(np.uint8) if "classification" in adjustment.tasks else values
    X = rng.standard_normal((n, 3)) + c[:, None]
    return Split.of(X, y, c, slice(0, ROWS), slice(ROWS, n))


def equal(one, other):
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(Split))


def test_adjusted_sets_fit_together(adjustment, split, rng):
    made = adjustment.adjusted(split, rng)
    for part in ("train", "test"):
        X, y, c = (getattr(made, f"{name}_{part}") for name in "Xyc")
        assert len(X) == len(y) == len(c) > 0
        assert X.shape[1] == made.X_train.shape[1]
        assert np.isfinite(X).all()
        assert set(np.unique(y)) <= set(np.unique(getattr(split, f"y_{part}")))


def test_it_is_deterministic_and_leaves_its_arguments_alone(adjustment, split):
    kept = copy.deepcopy(split)
    first, again = (adjustment.adjusted(split, np.random.default_rng(5)) for _ in range(2))
    assert equal(first, again)
    assert equal(split, kept)


def test_the_training_set_does_not_depend_on_the_test_set(adjustment, split):
    other = dataclasses.replace(split, X_test=split.X_test + 100.0)
    first, again = (adjustment.adjusted(s, np.random.default_rng(5)) for s in (split, other))
    np.testing.assert_array_equal(first.X_train, again.X_train)


def test_weights_are_not_negative_and_one_column_is_as_good_as_many(adjustment, split, rng):
    if not adjustment.weighs:
        pytest.skip("it gives no weights")
    Y = np.stack([rng.permutation(split.y_train) for _ in range(B)], axis=1)
    keys = rng.integers(0, 2**64, B, dtype=np.uint64)
    weights = adjustment.weights(Y, split.c_train, keys)
    assert weights.shape == Y.shape
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert (weights.sum(axis=0) > 0).all()
    if adjustment.weighs == "counts":
        np.testing.assert_array_equal(weights, np.round(weights))
    alone = np.concatenate([adjustment.weights(Y[:, [k]], split.c_train, keys[[k]]) for k in range(B)], axis=1)
    np.testing.assert_allclose(alone, weights, rtol=1e-9, atol=1e-12)
