import numpy as np
import pytest

from permconf import metric_values
from permconf.data.split import Split
from permconf.engine import nulls
from permconf.engine.nulls import observed_scores, observed_values, permutation_null
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

CONVERGED = ("D01", "D03", "D05", "D07", "D11")


@pytest.mark.parametrize("name", [*CONVERGED, "D10"])
def test_metric_values_gives_the_aucs_of_r(reference, name):
    d = reference(name)
    values = metric_values(d.X[d.train], d.labels[d.train], d.X[~d.train], d.labels[~d.train])
    converged = d.label_results["converged"].to_numpy()
    assert converged.all() or name == "D10"
    expected = d.label_results["auc_glm_response"].to_numpy()
    np.testing.assert_allclose(values[converged], expected[converged], atol=1e-9, rtol=0)


@pytest.mark.parametrize("name", CONVERGED)
def test_accuracies_of_r(reference, name):
    d = reference(name)
    values = metric_values(d.X[d.train], d.labels[d.train], d.X[~d.train], d.labels[~d.train], metric="accuracy")
    np.testing.assert_allclose(values, d.label_results["acc_glm"], atol=1e-12)


def test_labels_may_have_any_names(reference):
    d = reference("D01")
    names = np.array(["control", "case"])[d.labels]  # sorts the other way round
    values = metric_values(d.X[d.train], names[d.train], d.X[~d.train], names[~d.train])
    np.testing.assert_allclose(values, d.label_results["auc_glm_link"], atol=1e-9)


@pytest.fixture
def split(rng):
    X, c = rng.standard_normal((120, 3)), rng.integers(0, 3, 120)
    y = (X[:, 0] + c + rng.standard_normal(120) > 1).astype(np.uint8)
    X[:, 1] += 2 * c
    return Split.of(X, y, c, slice(0, 60), slice(60, 120))


def test_a_null_does_not_depend_on_the_blocks(split, monkeypatch):
    args = (split, "restricted", make_learner("logistic"), {"auc": make_metric("auc")}, Streams(1), 150)
    whole = permutation_null(*args).values["auc"]
    monkeypatch.setattr(nulls, "_BLOCK_COLUMNS", 7)
    np.testing.assert_array_equal(permutation_null(*args).values["auc"], whole)


def test_more_permutations_begin_with_the_same_draws(split):
    args = (split, "standard", make_learner("logistic"), {"auc": make_metric("auc")}, Streams(1))
    few, many = (permutation_null(*args, b).values["auc"] for b in (20, 90))
    np.testing.assert_array_equal(few, many[:20])


def test_the_two_nulls_use_different_streams_and_shuffles(split):
    args = (make_learner("logistic"), {"auc": make_metric("auc")}, Streams(1), 400)
    restricted, standard = (permutation_null(split, null, *args).values["auc"] for null in ("restricted", "standard"))
    assert restricted.mean() > 0.6 > 0.55 > standard.mean()


def test_metrics_share_their_fits(split):
    metrics = {name: make_metric(name) for name in ("auc", "accuracy")}
    both = observed_values(split, make_learner("logistic"), metrics, Streams(1)).values
    columns = split.y_train[:, None], split.y_test[:, None]
    for name, value in both.items():
        alone = metric_values(split.X_train, columns[0], split.X_test, columns[1], metric=name)
        np.testing.assert_array_equal(value, alone)


def test_observed_metrics_are_those_of_the_observed_scores(split):
    learner, auc = make_learner("logistic"), make_metric("auc")
    scores = observed_scores(split, learner, Streams(1)).values
    assert scores.shape == (60, 1)
    value = observed_values(split, learner, {"auc": auc}, Streams(1)).values["auc"]
    np.testing.assert_array_equal(value, auc.values(split.y_test[:, None], scores))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X_train": np.full((6, 2), np.nan)}, "X_train has missing or infinite values"),
        ({"X_train": np.zeros(6)}, r"X_train must be a matrix, not an array of shape \(6,\)"),
        ({"Y_train": np.zeros((5, 1))}, "X_train has 6 rows, Y_train has 5"),
        ({"Y_test": np.ones((4, 3))}, "Y_train has 1 columns, Y_test has 3"),
        ({"Y_test": np.full((4, 1), np.nan)}, "Y_test has 4 missing values"),
        ({"metric": "ac"}, "unknown metric 'ac', did you mean 'auc'"),
    ],
)
def test_bad_input_is_named(change, message, rng):
    good = {
        "X_train": rng.standard_normal((6, 2)),
        "Y_train": np.array([[0], [1]] * 3),
        "X_test": rng.standard_normal((4, 2)),
        "Y_test": np.array([[0], [1]] * 2),
    }
    with pytest.raises(ValueError, match=message):
        metric_values(**(good | change))
