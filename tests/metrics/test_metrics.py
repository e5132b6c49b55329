import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import accuracy_score, mean_absolute_error, mean_squared_error, roc_auc_score

from permconf.metrics import Metric, make_metric
from permconf.metrics.auc import auc_values


def _ccc(y, s):
    """Lin's coefficient, written out."""
    cov = np.cov(y, s, ddof=0)
    return 2 * cov[0, 1] / (cov[0, 0] + cov[1, 1] + (y.mean() - s.mean()) ** 2)


EXPECTED = {
    "auc": roc_auc_score,
    "accuracy": lambda y, s: accuracy_score(y, s > 0),
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "ccc": _ccc,
    "correlation": lambda y, s: pearsonr(y, s)[0],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_column_as_by_itself(name, rng):
    metric = make_metric(name)
    scores = np.round(rng.standard_normal((40, 25)), 1)  # with ties
    if metric.task == "classification":
        Y = (scores + rng.standard_normal((40, 25)) > 0).astype(np.uint8)
    else:
        Y = scores + rng.standard_normal((40, 25))
    values = metric.values(Y, scores)
    assert values.shape == (25,)
    np.testing.assert_allclose(values, [EXPECTED[name](Y[:, k], scores[:, k]) for k in range(25)], atol=1e-12)


WEIGHTED = {
    "auc": roc_auc_score,
    "accuracy": lambda y, s, sample_weight: accuracy_score(y, s > 0, sample_weight=sample_weight),
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "correlation": lambda y, s, sample_weight: _weighted(y, s, sample_weight)[1],
    "ccc": lambda y, s, sample_weight: _weighted(y, s, sample_weight)[0],
}


def _weighted(y, s, w):
    """Lin's and Pearson's coefficients with weights, written out."""
    (vy, c), (_, vs) = np.cov(y, s, aweights=w, ddof=0)
    difference = np.average(y, weights=w) - np.average(s, weights=w)
    return 2 * c / (vy + vs + difference**2), c / np.sqrt(vy * vs)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weighted_metrics_are_those_of_scikit_learn(name, rng):
    metric = make_metric(name)
    scores, weights = np.round(rng.standard_normal(300), 1), rng.exponential(size=(300, 8))
    y = scores + rng.standard_normal(300)
    y = (y > 0).astype(np.uint8) if metric.task == "classification" else y + 100
    expected = [WEIGHTED[name](y, scores, sample_weight=w) for w in weights.T]
    np.testing.assert_allclose(metric.weighted(y, scores, weights), expected, rtol=1e-12, atol=1e-12)
    plain = metric.values(y[:, None], scores[:, None])
    np.testing.assert_allclose(metric.weighted(y, scores, np.ones((300, 1))), plain, rtol=1e-12, atol=1e-12)


def test_weighted_auc_without_a_class_is_missing():
    weights = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    values = make_metric("auc").weighted(np.array([0, 0, 1], np.uint8), np.arange(3.0), weights)
    assert values[0] == 1
    assert np.isnan(values[1])


def test_weighted_accuracy_of_several_classes_compares_codes():
    y, weights = np.array([0, 1, 2, 2], np.uint8), np.array([[1.0], [1.0], [1.0], [5.0]])
    assert make_metric("accuracy").weighted(y, np.array([0.0, 1.0, 2.0, 1.0]), weights)[0] == 3 / 8


@pytest.mark.parametrize("m", [30, 900])  # all pairs compared; sorted
def test_auc_counts_ties_as_half(m, rng):
    scores = rng.integers(0, 5, (m, 4)).astype(float)
    Y = rng.integers(0, 2, (m, 4)).astype(np.uint8)
    expected = [roc_auc_score(Y[:, k], scores[:, k]) for k in range(4)]
    np.testing.assert_allclose(auc_values(Y, scores), expected, atol=1e-13)


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


def test_auc_of_one_class_is_missing():
    assert np.isnan(auc_values(np.ones((5, 1), np.uint8), np.arange(5.0)[:, None]))


def test_auc_refuses_three_classes():
    with pytest.raises(ValueError, match="needs two classes, the response has 3"):
        auc_values(np.array([[0], [1], [2]], np.uint8), np.zeros((3, 1)))


def test_accuracy_of_several_classes_compares_codes():
    Y = np.array([[0], [1], [2], [2]], np.uint8)
    assert make_metric("accuracy").values(Y, np.array([[0.0], [1.0], [2.0], [1.0]]))[0] == 0.75


def test_a_metric_object_passes_through():
    metric = Metric(lambda Y, s: Y[0] - s[0], task="regression")
    assert make_metric(metric) is metric
