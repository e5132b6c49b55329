"""Estimators and pipelines of scikit-learn as learners."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.metrics import log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, KFold
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from permconf import assess, audit, metric_values
from permconf.learners import fitted_scores, make_learner

KEYS = np.array([3, 2**40 + 1], np.uint64)
FOREST = RandomForestClassifier(n_estimators=5, random_state=0)
RANDOM = {
    "forest": FOREST,
    "pipeline": make_pipeline(StandardScaler(), FOREST),
    "search": GridSearchCV(DecisionTreeClassifier(max_features=1), {"max_depth": [1, 2]}, cv=KFold(3, shuffle=True)),
    "bagging": BaggingClassifier(estimator=DecisionTreeClassifier(max_features=1), n_estimators=3),
    "columns": make_pipeline(
        ColumnTransformer([("two", PCA(2, svd_solver="randomized", random_state=0), [0, 1, 2])]),
        SGDClassifier(loss="log_loss", max_iter=3, tol=None),
    ),
}


@pytest.fixture
def data(rng):
    X = rng.standard_normal((140, 4))
    return X[:80], (X[:80, 0] + rng.standard_normal(80) > 0).astype(np.uint8), X[80:]


@pytest.mark.parametrize("name", RANDOM)
def test_everything_random_follows_from_the_key(data, name):
    X, y, X_test = data
    Y = np.stack([y, y], axis=1)

    def scores():
        np.random.seed()  # what is not seeded would draw from here
        return fitted_scores(make_learner(RANDOM[name]), X, Y, X_test, KEYS).values

    first = scores()
    np.testing.assert_array_equal(first, scores())
    assert not np.array_equal(first[:, 0], first[:, 1])  # even where the seed was fixed


def frame(rng, n=160):
    sex = rng.choice(["f", "m"], n)
    table = pd.DataFrame({"age": rng.uniform(20, 80, n), "sex": sex, "dose": rng.standard_normal(n)})
    return table, np.where(table["dose"] + (sex == "m") + rng.standard_normal(n) > 0.5, "yes", "no")


def by_name(last):
    columns = [("number", StandardScaler(), ["age", "dose"]), ("class", OneHotEncoder(), ["sex"])]
    return make_pipeline(ColumnTransformer(columns), last)


def test_a_frame_keeps_its_names_and_the_order_of_columns_does_not_matter(rng):
    table, y = frame(rng)
    model = by_name(LogisticRegression()).fit(table[:100], y[:100])
    expected = roc_auc_score(y[100:], model.decision_function(table[100:]))
    for test in (table[100:], table[100:][["sex", "dose", "age"]]):
        values = metric_values(table[:100], y[:100], test, y[100:], learner=by_name(LogisticRegression()))
        assert values[0] == pytest.approx(expected, abs=1e-12)
    c = np.arange(160) % 2
    parts = (table[:100], y[:100], c[:100], table[100:][["sex", "dose", "age"]], y[100:], c[100:])
    result = assess(*parts, learner=by_name(LogisticRegression()), permutations=10, seed=1)
    assert result.observed == pytest.approx(expected, abs=1e-12)


def test_missing_values_reach_those_that_take_them(rng):
    table, y = frame(rng)
    table.loc[[3, 120], "age"] = np.nan
    for learner in (HistGradientBoostingClassifier(max_iter=5), make_pipeline(SimpleImputer(), GaussianNB())):
        X = table[["age", "dose"]]
        assert np.isfinite(metric_values(X[:100], y[:100], X[100:], y[100:], learner=learner))
        X = X.to_numpy()
        assert np.isfinite(metric_values(X[:100], y[:100], X[100:], y[100:], learner=learner))


@pytest.mark.parametrize(
    ("columns", "learner", "message"),
    [
        (["age", "dose"], GaussianNB(), "X has missing values in column 'age', which GaussianNB does not take"),
        (["age", "dose"], "logistic", "X has missing values in column 'age', which Logistic does not take"),
        (["age", "dose"], make_pipeline(StandardScaler(), GaussianNB()), "Pipeline fails: .*NaN"),
        (["sex", "dose"], GaussianNB(), "GaussianNB fails: could not convert string to float"),
    ],
)
def test_features_that_a_learner_does_not_take_are_named(rng, columns, learner, message):
    table, y = frame(rng)
    table.loc[3, "age"] = np.nan
    X = table[columns]
    with pytest.raises(ValueError, match=message) as caught:
        metric_values(X[:100], y[:100], X[100:], y[100:], learner=learner)
    assert "\n" not in str(caught.value)


def test_weights_reach_the_last_step(data, rng):
    X, y, X_test = data
    weights, Y = rng.exponential(size=(80, 1)), y[:, None]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    expected = pipeline.fit(X, y, logisticregression__sample_weight=weights[:, 0]).decision_function(X_test)
    search = GridSearchCV(pipeline, {"logisticregression__C": [1.0]}, cv=3)
    for learner in (make_learner(pipeline), make_learner(search)):
        assert learner.takes_weights
        scores = learner.weighted_scores(X, Y, weights, X_test, KEYS[:1])
        np.testing.assert_allclose(scores.values[:, 0], expected)
    assert not make_learner(make_pipeline(StandardScaler(), KNeighborsClassifier())).takes_weights


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB(), FOREST, KNeighborsClassifier(3)])
def test_probabilities_are_its_own(data, estimator):
    X, y, X_test = data
    scores = fitted_scores(make_learner(estimator), X, y[:, None], X_test, KEYS[:1])
    if estimator is not FOREST:
        expected = estimator.fit(X, y).predict_proba(X_test)
        np.testing.assert_array_equal(scores.needed("probabilities")[:, 0], expected[:, 1])
    np.testing.assert_array_equal(scores.needed("scores") > 0, scores.needed("probabilities") > 0.5)


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), GaussianNB(), LinearSVC(), SVC(), OneVsOneClassifier(LinearSVC())]
)
def test_three_classes(data, estimator, rng):
    X, _, X_test = data
    three = np.digitize(X[:, 0] + rng.standard_normal(80), [-0.5, 0.5]).astype(np.uint8)
    scores = fitted_scores(make_learner(estimator), X, three[:, None], X_test, KEYS[:1])
    model = estimator.fit(X, three)
    np.testing.assert_array_equal(scores.values[:, 0].argmax(axis=1), model.predict(X_test))
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(scores.needed("order")[:, 0], model.predict_proba(X_test))
        values = metric_values(X, three, X_test, np.arange(60) % 3, learner=estimator, metric="log_loss")
        assert values[0] == pytest.approx(log_loss(np.arange(60) % 3, model.predict_proba(X_test)), abs=1e-12)


def test_a_class_that_a_column_lacks_is_never_predicted(data):
    X, y, X_test = data
    Y = np.stack([y, y + 1, np.where(y, 2, 0)], axis=1).astype(np.uint8)
    keys = np.arange(3, dtype=np.uint64)
    for estimator in (LogisticRegression(), GaussianNB(), LinearSVC()):
        scores = fitted_scores(make_learner(estimator), X, Y, X_test, keys).values
        assert scores.shape == (60, 3, 3)
        for column, absent in enumerate((2, 0, 1)):
            assert set(scores[:, column].argmax(axis=1)) == {0, 1, 2} - {absent}
    lone = fitted_scores(make_learner(DecisionTreeClassifier()), X, np.ones((80, 1), np.uint8), X_test, KEYS[:1])
    assert (lone.needed("probabilities") == 1).all()


@pytest.mark.parametrize(
    ("learner", "metric", "message"),
    [
        (Ridge(), "accuracy", "Ridge is for regression, but the response has classes; choose another"),
        (SVC(), "mse", "SVC is for classification, but the response is numeric"),
        ("logistic", "mse", "Logistic is for classification, but the response is numeric"),
        ("feature", "accuracy", "the response has 3 classes, but Feature gives one score for all of them"),
    ],
)
def test_responses_that_a_learner_is_not_for_are_named(data, learner, metric, message):
    X, y, X_test = data
    y = np.where(X[:, 1] > 1, 2, y) if learner == "feature" else y
    with pytest.raises(ValueError, match=message):
        metric_values(X, y, X_test, np.arange(60) % (y.max() + 1), learner=learner, metric=metric)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.7, 0.0, 1.0])
def test_a_threshold_of_its_own_is_kept(data, threshold):
    X, y, X_test = data
    estimator = FixedThresholdClassifier(GaussianNB(), threshold=threshold)
    scores = fitted_scores(make_learner(estimator), X, y[:, None], X_test, KEYS[:1])
    model = estimator.fit(X, y)
    np.testing.assert_array_equal(scores.needed("scores")[:, 0] > 0, model.predict(X_test) == 1)
    order = np.argsort(model.predict_proba(X_test)[:, 1])
    assert (np.diff(scores.needed("order")[order, 0]) >= 0).all()


class LeastSquares(ClassifierMixin, BaseEstimator):
    """A classifier that reckons with classes 0 and 1."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.slopes_ = np.linalg.lstsq(np.c_[np.ones(len(X)), X], 2 * y - 1, rcond=None)[0]
        return self

    def decision_function(self, X):
        return np.c_[np.ones(len(X)), X] @ self.slopes_

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"]])
def test_an_estimator_may_reckon_with_class_codes(data, labels):
    X, y, X_test = data
    y_test, labels = (X_test[:, 0] > 0).astype(int), np.array(labels)
    expected = roc_auc_score(y_test, LeastSquares().fit(X, y.astype(int)).decision_function(X_test))
    assert metric_values(X, labels[y], X_test, labels[y_test], learner=LeastSquares(), metric="auc")[0] == expected


@pytest.mark.parametrize("labels", [np.array([150, 200], np.uint8), np.array([100, 101], np.int8)], ids=["u1", "i1"])
def test_labels_in_one_byte_do_not_wrap_around(data, labels):
    """A classifier with nothing but `predict` had every row in the second class: 150 + 200 is 94 in a byte."""
    X, y, X_test = data
    truth = (X_test[:, 0] > 0).astype(int)
    options = {"learner": VotingClassifier([("one", LogisticRegression())]), "metric": "accuracy"}
    wide = metric_values(X, labels.astype(int)[y], X_test, labels.astype(int)[truth], **options)
    assert metric_values(X, labels[y], X_test, labels[truth], **options) == wide > 0.6
    distance = make_scorer(lambda a, b: -np.mean(np.abs(a - b)))
    assert metric_values(X, labels[y], X_test, labels[truth], metric=distance) > -np.ptp(labels.astype(int))


@pytest.mark.parametrize("labels", [[1, 2], ["no", "yes"]])
@pytest.mark.parametrize("make", [lambda a, b: LogisticRegression(class_weight={a: 9, b: 1}), "constant", "search"])
def test_options_name_the_users_labels(data, labels, make):
    X, y, X_test = data
    a, b = labels
    y, y_test = np.array(labels)[y], np.array(labels)[(X_test[:, 0] > 0).astype(int)]
    if make == "constant":
        estimator = DummyClassifier(strategy="constant", constant=a)
    elif make == "search":
        weights = {"logisticregression__class_weight": [{a: 9, b: 1}, {a: 1, b: 99}]}
        estimator = GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), weights)
    else:
        estimator = make(a, b)
    found = metric_values(X, y, X_test, y_test, learner=estimator, metric="accuracy")[0]
    assert found == pytest.approx(estimator.fit(X, y).score(X_test, y_test), abs=1e-12)
    if make not in ("constant", "search"):
        table = pd.DataFrame(np.r_[X, X_test]).assign(y=np.r_[y, y_test], c=np.arange(140) % 2)
        split = {"split": (np.arange(80), np.arange(80, 140)), "permutations": 5}
        made = audit(table, response="y", confounders="c", learner=estimator, metric="accuracy", **split)
        assert made.observed == pytest.approx(found)


def test_labels_that_an_estimator_refuses(data):
    X, y, X_test = data
    split = X, np.array(["no", "yes"])[y], X_test, np.array(["no", "yes"])[(X_test[:, 0] > 0).astype(int)]
    search = GridSearchCV(LogisticRegression(), {"C": [1e-9, 1.0]}, scoring="f1")  # which cannot score texts
    codes = X, y, X_test, (X_test[:, 0] > 0).astype(int)
    by_text, by_code = (metric_values(*part, learner=search, metric="accuracy")[0] for part in (split, codes))
    assert by_text == by_code > 0.6
    with pytest.raises(ValueError, match=r"LogisticRegression fails: The classes, .*'no', 'yes'.* not in class_weight"):
        metric_values(*split, learner=LogisticRegression(class_weight={1: 5}), metric="accuracy")


@pytest.mark.parametrize("frames", [False, True])
@pytest.mark.parametrize(
    ("make", "metric"),
    [
        (lambda copy: make_pipeline(StandardScaler(copy=copy), LogisticRegression()), "accuracy"),
        (lambda copy: LinearRegression(copy_X=copy), "r2"),
    ],
)
def test_an_estimator_may_work_in_place(data, make, metric, frames):
    X = np.r_[data[0], data[2]] * [1, 50, 0.01, 1] + [5, 300, -2, 0]
    y = (X[:, 0] > 5).astype(int) if metric == "accuracy" else X[:, 0] + X[:, 1] ** 2
    as_given, c = X.copy(), np.arange(140) % 2
    parts = [pd.DataFrame(part) if frames else part for part in (X[:80], X[80:])]

    def assessed(copy):
        split = parts[0], y[:80], c[:80], parts[1], y[80:], c[80:]
        return assess(*split, learner=make(copy), metric=metric, permutations=5, seed=1)

    in_place, copied = assessed(False), assessed(True)
    assert in_place.observed == copied.observed
    np.testing.assert_array_equal(in_place.restricted, copied.restricted)
    np.testing.assert_array_equal(X, as_given)
    np.testing.assert_array_equal(np.concatenate(parts), as_given)


class Failing(LeastSquares):
    def decision_function(self, X):
        raise RuntimeError(f"no\nluck with {X.shape[1]} features")


class Exhausting(LeastSquares):
    def fit(self, *_):
        raise MemoryError


class NotCloned:
    fit = LeastSquares.fit


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Failing(), "Failing fails: no luck with 4 features"),
        (NotCloned(), "NotCloned fails: Cannot clone .*get_params"),
    ],
)
def test_errors_of_an_estimator_name_it(data, estimator, message):
    X, y, X_test = data
    with pytest.raises(ValueError, match=message) as caught:
        metric_values(X, y, X_test, np.arange(60) % 2, learner=estimator, metric="auc")
    assert "\n" not in str(caught.value)


def test_trouble_with_the_machine_is_not_blamed_on_the_estimator(data):
    X, y, X_test = data
    with pytest.raises(MemoryError):
        metric_values(X, y, X_test, np.arange(60) % 2, learner=Exhausting(), metric="auc")
