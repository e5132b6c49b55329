"""Logistic regression of more than two classes."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from permconf.learners import fitted_scores, make_learner

PLAIN, RIDGE = "logistic", {"name": "ridge_logistic", "penalty": 2.0}


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((160, 3))
    y = np.argmax(X + rng.gumbel(size=X.shape), axis=1)
    Y = np.stack([y[:100], rng.permutation(y[:100])], axis=1).astype(np.uint8)
    return X[:100], Y, X[100:], np.arange(2, dtype=np.uint64)


@pytest.mark.parametrize(("learner", "C"), [(PLAIN, np.inf), (RIDGE, 0.5)])
def test_probabilities_are_those_of_scikit_learn(problem, learner, C, rng):
    X, Y, X_test, keys = problem
    weights = rng.exponential(size=Y.shape)
    plain = fitted_scores(make_learner(learner), X, Y, X_test, keys)
    weighted = make_learner(learner).weighted_scores(X, Y, weights, X_test, keys)
    assert not plain.flagged.any()
    for k in range(2):
        model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000)
        expected = model.fit(X, Y[:, k]).predict_proba(X_test)
        np.testing.assert_allclose(plain.needed("probabilities")[:, k], expected, atol=1e-5)
        expected = model.fit(X, Y[:, k], sample_weight=weights[:, k]).predict_proba(X_test)
        np.testing.assert_allclose(weighted.values[:, k], expected, atol=1e-5)


def test_a_separated_fit_is_flagged(rng):
    y = np.repeat(np.arange(3), 20).astype(np.uint8)
    X = y[:, None] + 0.1 * rng.random((60, 1))
    scores = fitted_scores(make_learner(PLAIN), X, y[:, None], X, np.zeros(1, np.uint64))
    assert scores.flagged[0]
    np.testing.assert_array_equal(scores.values[:, 0].argmax(axis=1), y)


def test_a_singular_design_is_refused(problem):
    X, Y, _, keys = problem
    with pytest.raises(ValueError, match="singular design: 100 training rows do not identify 5 coefficients"):
        make_learner(PLAIN).scores(np.c_[X, X[:, 0]], Y, np.c_[X, X[:, 0]], keys)
