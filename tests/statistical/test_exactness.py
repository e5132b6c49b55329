"""The restricted permutation test on data small enough to enumerate every permutation."""

from itertools import product

import numpy as np
import pytest

from permconf import metric_values
from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate, nulls
from permconf.engine.folds import Folds
from permconf.inference.p_values import permutation_p
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

pytestmark = pytest.mark.statistical

# Eight samples; the first four are for training. Within each half, c has two levels of two samples, one of each class.
X = np.array([[0.3], [1.1], [-0.4], [0.9], [-1.2], [0.5], [2.0], [0.1]])
Y = np.array([0, 1, 1, 0, 0, 1, 1, 0], np.uint8)
C = np.array([0, 0, 1, 1, 0, 0, 1, 1])


def _all_restricted():
    """Every arrangement of a half: each level holds (0, 1) or (1, 0)."""
    return np.array([[a, 1 - a, b, 1 - b] for a, b in product((0, 1), repeat=2)], np.uint8).T


def test_the_monte_carlo_null_has_exactly_the_enumerated_support():
    halves = _all_restricted()
    pairs = [(halves[:, i], halves[:, j]) for i in range(4) for j in range(4)]
    train, test = (np.stack([pair[k] for pair in pairs], axis=1) for k in (0, 1))
    learner = {"name": "ridge_logistic", "penalty": 0.5}
    enumerated = metric_values(X[:4], train, X[4:], test, learner=learner)
    b, halves = 8000, Folds.split(np.arange(4), np.arange(4, 8))
    options = {"learner": learner, "metrics": {"auc": make_metric("auc")}, "streams": Streams(3)}
    draws = nulls(evaluate(Sample.of(X, Y, C), halves, **options), "restricted", b)
    support, expected = np.unique(enumerated, return_counts=True)
    values, counts = np.unique(draws.values["auc"], return_counts=True)
    np.testing.assert_array_equal(values, support)
    share = expected / 16
    assert (np.abs(counts / b - share) < 4 * np.sqrt(share * (1 - share) / b)).all()


def test_p_values_over_all_permutations_are_uniform():
    """Each arrangement observed in turn against the 15 others: p is uniform on its support.

    Exchanging the two classes does not change a squared error, so arrangements come in pairs of equal error, and the
    p-values are 2/16, 4/16, ..., 1, each twice.
    """
    halves = _all_restricted()
    pairs = [(halves[:, i], halves[:, j]) for i in range(4) for j in range(4)]
    train, test = (np.stack([pair[k] for pair in pairs], axis=1).astype(float) for k in (0, 1))
    values = metric_values(X[:4], train, X[4:], test, learner="linear_regression", metric="mse").round(12)
    p = [permutation_p(values[k], np.delete(values, k), direction=-1) for k in range(16)]
    np.testing.assert_allclose(np.sort(p), np.repeat(np.arange(2, 17, 2), 2) / 16)
