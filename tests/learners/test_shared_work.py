"""Learners that share their work between permutations give scikit-learn's results."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from permconf.learners import make_learner


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((130, 5)) * [1, 10, 0.1, 1, 3] + [0, 100, 0, -5, 0]
    Y = (X[:, [0]] + rng.standard_normal((130, 12)) > 0.3).astype(np.uint8)
    return X[:70], Y[:70], X[70:], rng.integers(0, 2**64, 12, dtype=np.uint64)


def _columns(score, problem, Y):
    X, _, X_test, _ = problem
    return np.stack([score(X, Y[:, k], X_test) for k in range(Y.shape[1])], axis=1)


def test_ridge_regression(problem, rng):
    X, _, X_test, keys = problem
    Y = rng.standard_normal((70, 12))
    expected = _columns(lambda X, y, T: Ridge(alpha=3.0).fit(X, y).predict(T), problem, Y)
    scores = make_learner({"name": "ridge_regression", "penalty": 3.0}).scores(X, Y, X_test, keys)
    np.testing.assert_allclose(scores, expected, atol=1e-8)


def test_linear_discriminant(problem):
    X, Y, X_test, keys = problem
    expected = _columns(
        lambda X, y, T: LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).decision_function(T), problem, Y
    )
    scores = make_learner("lda").scores(X, Y, X_test, keys)
    np.testing.assert_allclose(scores.values, expected, rtol=1e-8, atol=1e-8)
    assert not scores.flagged.any()


def test_linear_discriminant_of_classes_that_are_separated_exactly():
    """No scatter within classes is left along the discriminant; what rounding makes of it must not turn its sign."""
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((40, 3))
        y = np.arange(40, dtype=np.uint8)[:, None] % 2
        X[:, 1] = 0.3 * y[:, 0] + X[:, 0] * 0.1  # within a class this is a multiple of the first feature
        scores = make_learner("lda").scores(X[:20], y[:20], X[20:], np.zeros(1, np.uint64))
        assert np.isfinite(scores.values).all()
        assert scores.values[y[20:] == 1].min() > scores.values[y[20:] == 0].max()
        assert scores.flagged.all()


def test_naive_bayes(problem):
    X, Y, X_test, keys = problem

    def log_odds(X, y, T):
        joint = GaussianNB().fit(X, y).predict_joint_log_proba(T)
        return joint[:, 1] - joint[:, 0]

    expected = _columns(log_odds, problem, Y)
    np.testing.assert_allclose(make_learner("naive_bayes").scores(X, Y, X_test, keys), expected, rtol=1e-8, atol=1e-8)


def test_naive_bayes_of_three_classes(problem, rng):
    X, _, X_test, keys = problem
    three = rng.integers(0, 3, (70, 12)).astype(np.uint8)
    expected = _columns(lambda X, y, T: GaussianNB().fit(X, y).predict_proba(T), problem, three)
    scores = make_learner("naive_bayes").scores(X, three, X_test, keys)
    np.testing.assert_allclose(scores, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("k", [1, 5, 12])
def test_nearest_neighbours(problem, k, rng):
    X, Y, X_test, keys = problem
    learner = make_learner({"name": "nearest_neighbours", "k": k})
    expected = _columns(lambda X, y, T: KNeighborsClassifier(k).fit(X, y).predict_proba(T)[:, 1], problem, Y)
    np.testing.assert_allclose(learner.scores(X, Y, X_test, keys), expected - 0.5, atol=1e-12)
    values = rng.standard_normal((70, 12))
    expected = _columns(lambda X, y, T: KNeighborsRegressor(k).fit(X, y).predict(T), problem, values)
    np.testing.assert_allclose(learner.scores(X, values, X_test, keys), expected, atol=1e-12)
    three = rng.integers(0, 3, (70, 12)).astype(np.uint8)
    expected = _columns(lambda X, y, T: KNeighborsClassifier(k).fit(X, y).predict_proba(T), problem, three)
    np.testing.assert_allclose(learner.scores(X, three, X_test, keys), expected, atol=1e-12)


def test_bad_options_and_data_are_named(problem):
    X, Y, X_test, keys = problem
    with pytest.raises(ValueError, match="k = 99 is more than the 70 training rows"):
        make_learner({"name": "nearest_neighbours", "k": 99}).scores(X, Y, X_test, keys)
    with pytest.raises(ValueError, match="singular design"):
        make_learner("lda").scores(np.c_[X, X[:, 0]], Y, np.c_[X_test, X_test[:, 0]], keys)
    with pytest.raises(ValueError, match="needs two classes, the response has 3"):
        make_learner("lda").scores(X, Y + 1, X_test, keys)
