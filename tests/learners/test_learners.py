"""Learners that share their work between permutations give scikit-learn's results; what cannot be made is named."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC

from permconf.learners import fitted_scores, make_learner


@pytest.fixture
def X(rng):
    return rng.standard_normal((130, 5)) * [1, 10, 0.1, 1, 3] + [0, 100, 0, -5, 0]


def log_odds(model, X):
    joint = model.predict_joint_log_proba(X)
    return joint[:, 1] - joint[:, 0]


def of_class_1(model, X):
    return model.predict_proba(X)[:, 1] - 0.5


def neighbours(k):
    return {"name": "nearest_neighbours", "k": k}


@pytest.mark.parametrize(
    ("learner", "classes", "model", "score"),
    [
        ("linear_regression", 0, LinearRegression(), LinearRegression.predict),
        ({"name": "ridge_regression", "penalty": 3.0}, 0, Ridge(alpha=3.0), Ridge.predict),
        ("lda", 2, LinearDiscriminantAnalysis(solver="lsqr"), LinearDiscriminantAnalysis.decision_function),
        ("naive_bayes", 2, GaussianNB(), log_odds),
        ("naive_bayes", 3, GaussianNB(), GaussianNB.predict_proba),
        *((neighbours(k), 0, KNeighborsRegressor(k), KNeighborsRegressor.predict) for k in (1, 5, 12)),
        *((neighbours(k), 2, KNeighborsClassifier(k), of_class_1) for k in (1, 5, 12)),
        *((neighbours(k), 3, KNeighborsClassifier(k), KNeighborsClassifier.predict_proba) for k in (1, 5, 12)),
        (SVC(C=2.0), 2, SVC(C=2.0), SVC.decision_function),
        ({"name": "sklearn.svm.SVC", "C": 2.0}, 2, SVC(C=2.0), SVC.decision_function),
    ],
)
def test_scores_are_those_of_scikit_learn(X, learner, classes, model, score, rng):
    Y = X[:, [0]] + rng.standard_normal((130, 12))
    if classes:
        Y = np.digitize(Y, [0.3, 1.0][: classes - 1]).astype(np.uint8)
    keys = rng.integers(0, 2**64, 12, dtype=np.uint64)
    scores = fitted_scores(make_learner(learner), X[:70], Y[:70], X[70:], keys)
    expected = np.stack([score(model.fit(X[:70], y), X[70:]) for y in Y[:70].T], axis=1)
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


def test_feature_is_its_own_score(X):
    scores = make_learner({"name": "feature", "column": 2}).scores(X, None, X, np.zeros(9, np.uint64))
    np.testing.assert_array_equal(scores, np.repeat(X[:, [2]], 9, axis=1))


@pytest.mark.parametrize(
    ("learner", "classes", "twice", "message"),
    [
        ("linear_regression", 0, True, "singular design: 70 training rows do not identify 7 coefficients"),
        ("lda", 2, True, "singular design: 70 training rows do not identify a covariance of 6 features"),
        ("lda", 3, False, "needs two classes, the response has 3"),
        (neighbours(99), 2, False, "k = 99 is more than the 70 training rows"),
    ],
)
def test_data_that_cannot_be_learned_from_are_named(X, learner, classes, twice, message):
    X = np.c_[X, X[:, 0]] if twice else X
    Y = (np.arange(70) % classes).astype(np.uint8) if classes else np.arange(70.0)
    with pytest.raises(ValueError, match=message):
        make_learner(learner).scores(X[:70], Y[:, None], X[70:], np.zeros(1, np.uint64))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("logistik", "unknown learner 'logistik', did you mean 'logistic'"),
        ({"name": "logistic", "penlty": 1}, "learner 'logistic': .*penlty"),
        ("sklearn.svm.SVCC", "learner 'sklearn.svm.SVCC' cannot be created"),
        ("no_such_package.Model", "cannot be created: No module named 'no_such_package'"),
        ({"name": "sklearn.svm.SVC", "D": 1}, "cannot be created: .*D"),
        ({"random_forest": {"trees": 9}}, "learner must be a name, or a mapping with a name and options, not {'random"),
        (None, "learner must be a name, or a mapping with a name and options, not None"),
        (SVC, r"give an estimator, SVC\(\), instead of its class"),
    ],
)
def test_learners_that_cannot_be_made_are_named(spec, message):
    with pytest.raises(ValueError, match=message):
        make_learner(spec)
