from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    roc_auc_score,
)

from permconf import metrics
from permconf.metrics import make_metric
from permconf.metrics.auc import auc_values


def _on_classes(function, **options):
    return lambda y, s, **weights: function(y, s > 0, **options, **weights)


EXPECTED = {
    "auc": roc_auc_score,
    "average_precision": average_precision_score,
    "accuracy": _on_classes(accuracy_score),
    "balanced_accuracy": _on_classes(balanced_accuracy_score),
    "f1": _on_classes(f1_score),
    "log_loss": lambda y, p, **weights: log_loss(y, np.c_[1 - p, p], **weights),
    "brier": brier_score_loss,
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "r2": r2_score,
    "ccc": lambda y, s, sample_weight=None: _weighted(y, s, sample_weight)[0],
    "correlation": lambda y, s, sample_weight=None: _weighted(y, s, sample_weight)[1],
}


def _weighted(y, s, w):
    """Lin's and Pearson's coefficients with weights, written out."""
    (vy, c), (_, vs) = np.cov(y, s, aweights=w, ddof=0)
    difference = np.average(y, weights=w) - np.average(s, weights=w)
    return 2 * c / (vy + vs + difference**2), c / np.sqrt(vy * vs)


def _problem(metric, rng, shape):
    """Responses and scores with ties; probabilities, some of them 0 or 1, if the metric needs them."""
    scores = np.round(rng.standard_normal(shape), 1)
    Y = scores + rng.standard_normal(shape)
    if metric.needs == "probabilities":
        scores = np.round(np.clip(0.5 + scores / 4, 0, 1), 2)
    return (Y > 0).astype(np.uint8) if metric.task == "classification" else Y + 100, scores


def test_every_shipped_metric_is_compared():
    assert {*EXPECTED, "scorer"} == {p.stem for p in Path(metrics.__file__).parent.glob("[!_]*.py")}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("rows", [40, 400])
def test_every_column_is_as_in_scikit_learn(name, rows, rng):
    metric = make_metric(name)
    Y, scores = _problem(metric, rng, (rows, 25))
    values = metric.values(Y, scores)
    assert values.shape == (25,)
    expected = [EXPECTED[name](Y[:, k], scores[:, k]) for k in range(25)]
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_weighted_metrics_are_those_of_scikit_learn(name, rng):
    metric = make_metric(name)
    y, scores = _problem(metric, rng, 300)
    weights = rng.exponential(size=(300, 8))
    expected = [EXPECTED[name](y, scores, sample_weight=w) for w in weights.T]
    np.testing.assert_allclose(metric.weighted(y, scores, weights), expected, rtol=1e-12, atol=1e-12)
    plain = metric.values(y[:, None], scores[:, None])
    np.testing.assert_allclose(metric.weighted(y, scores, np.ones((300, 1))), plain, rtol=1e-12, atol=1e-12)


def _on_codes(function, **options):
    return lambda y, p, **weights: function(y, p.argmax(axis=1), **options, **weights)


THREE_CLASSES = {
    "auc": partial(roc_auc_score, multi_class="ovr"),
    "average_precision": lambda y, p, **weights: average_precision_score(np.eye(3)[y], p, **weights),
    "accuracy": _on_codes(accuracy_score),
    "balanced_accuracy": _on_codes(balanced_accuracy_score),
    "f1": _on_codes(f1_score, average="macro"),
    "log_loss": log_loss,
    "brier": brier_score_loss,
}


@pytest.mark.parametrize("name", THREE_CLASSES)
def test_metrics_of_three_classes_are_those_of_scikit_learn(name, rng):
    metric = make_metric(name)
    P = np.round(rng.dirichlet(np.ones(3), (80, 6)), 2)  # with ties
    P[..., 0] = 1 - P[..., 1] - P[..., 2]
    P = np.clip(P, 0, 1)
    Y = (P + rng.dirichlet(np.ones(3), (80, 6))).argmax(axis=2).astype(np.uint8)
    expected = [THREE_CLASSES[name](Y[:, k], P[:, k]) for k in range(6)]
    np.testing.assert_allclose(metric.values(Y, P), expected, rtol=1e-12, atol=1e-12)
    weights = rng.exponential(size=(80, 5))
    expected = [THREE_CLASSES[name](Y[:, 0], P[:, 0], sample_weight=w) for w in weights.T]
    np.testing.assert_allclose(metric.weighted(Y[:, 0], P[:, 0], weights), expected, rtol=1e-12, atol=1e-12)


def test_what_is_not_defined_is_missing():
    nobody, y = np.zeros((5, 1), np.uint8), np.full((5, 1), 2.0)
    assert np.isnan(make_metric("average_precision").values(nobody, np.arange(5.0)[:, None]))
    assert np.isnan(make_metric("r2").values(y, np.arange(5.0)[:, None]))
    assert np.isnan(make_metric("f1").values(nobody, -np.ones((5, 1))))
    assert make_metric("balanced_accuracy").values(nobody, -np.ones((5, 1))) == 1.0


def test_a_class_that_is_never_tested_counts_as_a_wrong_prediction(rng):
    """A third class in the training set only: its predictions are wrong."""
    Y, scores = rng.integers(0, 2, (100, 1), np.uint8), rng.standard_normal((100, 1, 3))
    predicted = scores.argmax(axis=2)
    assert make_metric("accuracy").values(Y, scores) == np.mean(predicted == Y)
    recalls = [np.mean(predicted[np.equal(Y, k)] == k) for k in range(2)]
    assert make_metric("balanced_accuracy").values(Y, scores)[0] == pytest.approx(np.mean(recalls))


@pytest.mark.parametrize("kind", ["normal", "few values", "far apart", "one value", "tiny", "infinite", "one outlier"])
def test_auc_of_many_rows_is_exact_however_the_scores_lie(kind, rng):
    Y, scores = rng.integers(0, 2, (700, 11), np.uint8), rng.standard_normal((700, 11))
    scores = {
        "normal": scores,
        "few values": np.round(scores),
        "far apart": np.sign(scores) * 1e308,
        "one value": 0 * scores,
        "tiny": scores * 1e-320,
        "infinite": np.where(scores > 2, np.inf, scores),
        "one outlier": np.where(np.arange(700)[:, None] == 0, 1e9, scores),
    }[kind]
    for k, auc in enumerate(auc_values(Y, scores)):
        cases, controls = scores[Y[:, k] == 1, k], scores[Y[:, k] == 0, k]
        twice = np.sum(cases[:, None] > controls) + np.sum(cases[:, None] >= controls)
        assert auc == twice / (2 * cases.size * controls.size)


def test_auc_refuses_three_classes_with_one_score():
    with pytest.raises(ValueError, match="the response has 3 classes, so a score for each of them is needed"):
        auc_values(np.array([[0], [1], [2]], np.uint8), np.zeros((3, 1)))


@pytest.mark.parametrize("scale", [2.0**-330, 2.0**-100, 2.0**460])
def test_a_correlation_is_the_same_at_any_magnitude(scale, rng):
    y, scores, weights = rng.standard_normal(50), rng.standard_normal(50), rng.exponential(size=(50, 3))
    metric = make_metric("correlation")

    def found(factor):
        u, v = metric.factors(factor * y, factor * scores)
        values = metric.values(factor * y[:, None], factor * scores[:, None])
        return [*values, u @ v, *metric.weighted(factor * y, factor * scores, weights)]

    assert found(scale) == found(1.0)
    assert found(1.0)[0] == pytest.approx(np.corrcoef(y, scores)[0, 1], abs=1e-12)
