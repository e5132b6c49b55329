"""Scorers of scikit-learn and functions as metrics."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    f1_score,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
    mean_absolute_error,
    recall_score,
    roc_auc_score,
)

from permconf import assess, audit_predictions, metric_values, reweighted_metric
from permconf.metrics import make_metric

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
    assert value(lambda y, p: np.mean((p > 0.5) == y)) == model.score(X[80:], y[80:])
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
        (lambda estimator, X, y: estimator.score(X, y), r"must be a function\(y_true, y_score\)"),
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


NUMBERS, TEXTS = np.array([1, 2, 3]), np.array(["maybe", "perhaps", "yes"])
OF_CLASSES = {"labels": [1], "average": "macro"}


@pytest.mark.parametrize(
    ("kind", "labels", "scorer"),
    [
        ("two", NUMBERS, make_scorer(f1_score, pos_label=1)),
        ("two", NUMBERS, make_scorer(f1_score, pos_label=2)),
        ("two", TEXTS, make_scorer(f1_score, pos_label="maybe")),
        ("two", NUMBERS, make_scorer(average_precision_score, pos_label=2, response_method="decision_function")),
        ("three", NUMBERS, make_scorer(recall_score, **OF_CLASSES)),
        ("three", TEXTS, make_scorer(recall_score, **OF_CLASSES | {"labels": ["yes"]})),
        ("three", TEXTS, "neg_log_loss"),
        ("three", TEXTS, "f1_macro"),
    ],
)
def test_options_of_a_scorer_name_the_users_labels(data, kind, labels, scorer):
    X, y = data[0], labels[data[1][kind]]
    expected = get_scorer(scorer)(LogisticRegression().fit(X[:80], y[:80]), X[80:], y[80:])
    split = X[:80], y[:80], X[80:], y[80:]
    assert metric_values(*split, learner=LogisticRegression(), metric=scorer)[0] == pytest.approx(expected, abs=1e-12)
    parts = X[:80], y[:80], np.arange(80) % 2, X[80:], y[80:], np.arange(60) % 2
    made = assess(*parts, learner=LogisticRegression(), metric=scorer, permutations=5, seed=1)
    assert made.observed == pytest.approx(expected, abs=1e-12)


def test_predictions_made_elsewhere_are_scored_by_label(data):
    X, y = data[0], np.array(["no", "yes"])[data[1]["two"]]
    scorer, c = make_scorer(f1_score, pos_label="no"), np.arange(140) % 2
    expected = f1_score(y, np.where(X[:, 0] > 0, "yes", "no"), pos_label="no")
    assert reweighted_metric(y, X[:, 0], c, metric=scorer, bootstrap=5).observed == pytest.approx(expected)
    table = {"scores": X[:, 0], "response": y, "confounders": c}
    assert audit_predictions(X, **table, metric=scorer).observed == pytest.approx(expected)


def test_the_second_class_is_positive_unless_named_and_no_label_is_taken_for_a_code(data):
    X, y = data[0], data[1]["two"]

    def value(labels, metric):
        split = X[:80], labels[y[:80]], X[80:], labels[y[80:]]
        return metric_values(*split, learner=LogisticRegression(), metric=metric)[0]

    for metric in ("precision", f1_score, "average_precision", make_scorer(fbeta_score, beta=2)):
        assert value(NUMBERS, metric) == value(TEXTS, metric) == value(np.array([0, 1]), metric)
    assert value(NUMBERS, partial(f1_score, pos_label=2)) == value(NUMBERS, f1_score)
    assert value(NUMBERS, partial(f1_score, pos_label=1)) != value(NUMBERS, f1_score)
    with pytest.raises(ValueError, match="pos_label=0 is not a valid label"):
        value(NUMBERS, make_scorer(f1_score, pos_label=0))
