import numpy as np
import pytest

from permconf.learners import make_learner


@pytest.fixture
def problem(rng):
    X = rng.standard_normal((80, 3))
    Y = (X[:, :1] + rng.standard_normal((80, 9)) > 0).astype(np.uint8)
    return X[:50], Y[:50], X[50:], rng.integers(0, 2**64, 9, dtype=np.uint64)


def test_linear_regression_equals_scikit_learn(problem, rng):
    from sklearn.linear_model import LinearRegression

    X, _, X_test, keys = problem
    Y = rng.standard_normal((50, 9))
    expected = LinearRegression().fit(X, Y).predict(X_test)
    np.testing.assert_allclose(make_learner("linear_regression").scores(X, Y, X_test, keys), expected, atol=1e-10)


def test_linear_regression_refuses_singular_designs(rng):
    X = rng.standard_normal((20, 2))
    with pytest.raises(ValueError, match="singular design: 20 training rows do not identify 4 coefficients"):
        make_learner("linear_regression").scores(np.c_[X, X.sum(1)], np.zeros((20, 1)), X, None)


def test_feature_is_its_own_score(problem):
    X, Y, X_test, keys = problem
    scores = make_learner({"name": "feature", "column": 2}).scores(X, Y, X_test, keys)
    assert all(np.array_equal(column, X_test[:, 2]) for column in scores.T)


def test_estimators_by_object_and_dotted_name(problem):
    from sklearn.svm import SVC

    X, Y, X_test, keys = problem
    by_object = make_learner(SVC(C=2.0)).scores(X, Y, X_test, keys).values
    by_name = make_learner({"name": "sklearn.svm.SVC", "C": 2.0}).scores(X, Y, X_test, keys).values
    np.testing.assert_array_equal(by_object, by_name)
    np.testing.assert_array_equal(by_object[:, 0], SVC(C=2.0).fit(X, Y[:, 0]).decision_function(X_test))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("logistik", "unknown learner 'logistik', did you mean 'logistic'"),
        ({"name": "logistic", "penlty": 1}, "learner 'logistic': .*penlty"),
        ("sklearn.svm.SVCC", "learner 'sklearn.svm.SVCC' cannot be created"),
        ("no_such_package.Model", "cannot be created: No module named 'no_such_package'"),
        ({"name": "sklearn.svm.SVC", "D": 1}, "cannot be created: .*D"),
        (
            {"random_forest": {"trees": 9}},
            "learner must be a name, or a mapping with a name and options, not {'random",
        ),
        (None, "learner must be a name, or a mapping with a name and options, not None"),
    ],
)
def test_learners_that_cannot_be_made_are_named(spec, message):
    with pytest.raises(ValueError, match=message):
        make_learner(spec)
