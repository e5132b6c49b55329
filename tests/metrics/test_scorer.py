"""Scorers of scikit-learn and functions as metrics."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
    mean_absolute_error,
    median_absolute_error,
    roc_auc_score,
)

from permconf import assess, metric_values, reweighted_metric
from permconf.metrics import make_metric, metric_name

PROBABILISTIC = [
    n for n in get_scorer_names() if n.startswith(("neg_log", "neg_brier", "roc_auc", "average", "d2_log"))
]
ON_CLASSES = ["accuracy", "balanced_accuracy", "f1", "jaccard", "matthews_corrcoef", "precision", "recall", "f1_macro"]
MULTICLASS = ["f1_macro", "f1_micro", "roc_auc_ovo", "roc_auc_ovr_weighted", "neg_log_loss", "matthews_corrcoef"]
NUMERIC = ["r2", "neg_mean_absolute_error", "neg_root_mean_squared_error", "explained_variance", "max_error"]


@pytest.fixture
def data(rng):
    X = rng.standard_normal((140, 3))
    values = X[:, 0] + rng.standard_normal(140)
    return X, {"two": (values > 0).astype(int), "three": np.digitize(values, [-0.5, 0.5]), "numbers": values}


def scored(X, y, estimator, name):
    """The scorer as scikit-learn uses it."""
    return get_scorer(name)(estimator.fit(X[:80], y[:80]), X[80:], y[80:])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("two", n) for n in [*PROBABILISTIC, *ON_CLASSES]),
        *(("three", n) for n in MULTICLASS),
        *(("numbers", n) for n in NUMERIC),
    ],
)
def test_a_scorer_has_the_value_it_has_in_scikit_learn(data, kind, name):
    if name not in get_scorer_names():
        name = f"neg_{name}"
    X, y = data[0], data[1][kind]
    estimator = Ridge() if kind == "numbers" else LogisticRegression()
    value = metric_values(X[:80], y[:80], X[80:], y[80:], learner=estimator, metric=name)
    assert value[0] == pytest.approx(scored(X, y, estimator, name), abs=1e-12)
    assert make_metric(name).direction == 1


def test_scorer_objects_and_functions(data):
    X, y = data[0], data[1]["two"]
    model = LogisticRegression().fit(X[:80], y[:80])

    def value(metric):
        return metric_values(X[:80], y[:80], X[80:], y[80:], learner=LogisticRegression(), metric=metric)[0]

    scorer = make_scorer(fbeta_score, beta=2)
    assert value(scorer) == pytest.approx(scorer(model, X[80:], y[80:]), abs=1e-12)
    assert value(roc_auc_score) == pytest.approx(roc_auc_score(y[80:], model.decision_function(X[80:])), abs=1e-12)
    assert value(log_loss) == pytest.approx(log_loss(y[80:], model.predict_proba(X[80:])), abs=1e-12)
    assert value(lambda y, s: np.mean((s > 0) == y)) == model.score(X[80:], y[80:])
    assert make_metric(log_loss).direction == -1  # as its scorer has it


def test_a_function_of_ones_own_is_for_the_response_at_hand(data):
    def gap(y, s):
        return float(np.mean(y - s))

    assert make_metric(gap, y=data[1]["two"]).task == "classification"
    assert make_metric(gap, y=data[1]["numbers"]).task == "regression"
    with pytest.raises(ValueError, match="whether gap is for classes or numbers is not known"):
        make_metric(gap)
    assert make_metric(gap, y=data[1]["two"]).weighted is None
    assert make_metric(gap, y=data[1]["two"]).direction == 1


def test_weights_go_to_functions_that_take_them(rng):
    y, scores, weights = rng.integers(0, 2, 60, np.uint8), rng.standard_normal(60), rng.exponential(size=(60, 3))
    expected = [accuracy_score(y, scores > 0, sample_weight=w) for w in weights.T]
    accuracy = make_metric(make_scorer(accuracy_score))
    np.testing.assert_allclose(accuracy.weighted(y, scores, weights), expected)
    weights[0, 1] = np.nan  # a bootstrap sample that lacks a cell
    np.testing.assert_array_equal(np.isnan(accuracy.weighted(y, scores, weights)), [False, True, False])
    c = rng.integers(0, 2, 60)
    by_name = reweighted_metric(y, scores, c, metric="auc", bootstrap=20)
    by_function = reweighted_metric(y, scores, c, metric=roc_auc_score, bootstrap=20)
    assert by_function.metric == "roc_auc_score"
    assert by_function.value == pytest.approx(by_name.value, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("rocauc", "unknown metric 'rocauc', did you mean 'roc_auc'"),
        ("scorer", "unknown metric 'scorer'"),
        (3, "a metric is a name, a scorer or a function"),
        (np.multiply, "must return a number"),
        (lambda y, s: y[0] // (s[0] == 9), "fails: .*zero"),
        (make_scorer(mean_absolute_error), "LogisticRegression is for classification, but the response is numeric"),
        (brier_score_loss, "it needs probabilities, but there are scores only"),
    ],
)
def test_bad_metrics_are_one_sentence(data, metric, message):
    from sklearn.svm import LinearSVC

    X, y = data[0], data[1]["two"]
    learner = LinearSVC() if metric is brier_score_loss else LogisticRegression()
    with pytest.raises(ValueError, match=message) as caught:
        metric_values(X[:80], y[:80], X[80:], y[80:], learner=learner, metric=metric)
    assert "\n" not in str(caught.value)


def test_assess_takes_a_scorer_and_names_it(data):
    X, y = data[0], data[1]["numbers"]
    c = np.arange(140) % 2
    parts = (X[:80], y[:80], c[:80], X[80:], y[80:], c[80:])
    result = assess(*parts, learner="linear_regression", metric=median_absolute_error, permutations=20, seed=1)
    assert result.metric == metric_name(median_absolute_error) == "median_absolute_error"
    assert result.response_p < 0.1  # smaller errors are better
