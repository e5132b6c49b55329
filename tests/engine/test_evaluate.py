"""The only place that fits: observed metrics and nulls, on any folds, whatever the size of the blocks."""

import numpy as np
import pytest

from permconf import metric_values
from permconf.data.sample import Sample
from permconf.engine import evaluate as module
from permconf.engine.evaluate import evaluate, nulls, permuted, values
from permconf.engine.folds import Folds, planned
from permconf.engine.runner import Runner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams

CONVERGED = ("D01", "D03", "D05", "D07", "D11")
METRICS = {name: make_metric(name) for name in ("auc", "accuracy")}


@pytest.mark.parametrize("name", [*CONVERGED, "D10"])
def test_metric_values_are_those_of_r(reference, name):
    d = reference(name)
    sets = d.X[d.train], d.labels[d.train], d.X[~d.train], d.labels[~d.train]
    converged = d.label_results["converged"].to_numpy()
    assert converged.all() or name == "D10"
    expected = d.label_results["auc_glm_response"].to_numpy()
    np.testing.assert_allclose(metric_values(*sets)[converged], expected[converged], atol=1e-9, rtol=0)
    if name in CONVERGED:
        np.testing.assert_allclose(metric_values(*sets, metric="accuracy"), d.label_results["acc_glm"], atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Y_train": np.zeros((5, 1))}, "X_train has 6 rows, Y_train has 5"),
        ({"Y_train": np.ones(6, int)}, "column 0 of Y_train has one class only"),
        (
            {"Y_train": np.array([0, 1] * 3), "Y_test": np.array([0, 1, 2, 2])},
            r"classes \[2\] are in the test set only",
        ),
        ({"Y_test": np.ones(4, int)}, "metric 'auc' is not defined for 1 of 1 responses"),
        ({"metric": "ac"}, "unknown metric 'ac', did you mean 'auc'"),
    ],
)
def test_what_metric_values_cannot_do_is_named(change, message, rng):
    good = {"X_train": rng.standard_normal((6, 2)), "Y_train": [0, 1] * 3}
    good |= {"X_test": rng.standard_normal((4, 2)), "Y_test": [0, 1] * 2}
    with pytest.raises(ValueError, match=message):
        metric_values(**(good | change))


# ---- folds -----------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["levels", "smooth"])
def sample(request, rng):
    """A confounder that is associated with the response and acts on a feature: of three levels, or numeric."""
    X, c = rng.standard_normal((120, 3)), rng.integers(0, 3, 120)
    y = (X[:, 0] + c + rng.standard_normal(120) > 1).astype(int)
    X[:, 1] += 2 * c
    return Sample.of(X, y, c if request.param == "levels" else c + rng.random(120), treatment=request.param)


SPLIT = Folds.split(np.arange(60), np.arange(60, 120))
PLANS = {"split": {"split": (np.arange(60), np.arange(60, 120))}, "folds": {"cv": 4}, "repeats": {"repeats": 2}}


def evaluated(sample, folds=SPLIT, *, learner="logistic", metrics=METRICS, **options):
    return evaluate(sample, folds, learner=learner, metrics=metrics, streams=Streams(1, "test"), **options)


def test_observed_metrics_are_means_over_folds_of_the_metrics_of_their_scores(sample):
    folds = planned(sample, cv=4, streams=Streams(1))
    evaluation, X, y = evaluated(sample, folds), sample.features.X, sample.response.values
    for name, metric in METRICS.items():
        found = [
            metric_values(X[train], y[train], X[test], y[test], metric=name)[0]
            for train, test in evaluation.folds.folds
        ]
        assert evaluation.observed(name) == np.mean(found)
        by_scores = [
            metric.values(y[fold.test][:, None], one.needed(metric.needs))[0]
            for fold, one in zip(folds.folds, evaluation.scores, strict=True)
        ]
        np.testing.assert_array_equal(evaluation.by_fold[name], by_scores)
    assert (evaluation.n_train, evaluation.n_test) == (90, 120)


@pytest.mark.parametrize("kind", [None, *PLANS])
def test_a_null_depends_neither_on_blocks_nor_on_workers(sample, kind, monkeypatch):
    folds = SPLIT if kind is None else planned(sample, **PLANS[kind], streams=Streams(1))
    whole = nulls(evaluated(sample, folds), "restricted", 150)
    in_tasks = nulls(evaluated(sample, folds, run=Runner(2, progress=False)), "restricted", 150)
    monkeypatch.setattr(module, "_BLOCK_COLUMNS", 7)
    in_blocks = nulls(evaluated(sample, folds), "restricted", 150)
    for other in (in_tasks, in_blocks):
        for name in METRICS:
            np.testing.assert_array_equal(other.values[name], whole.values[name])
        assert other.flagged == whole.flagged


def test_a_null_is_the_metric_of_the_permuted_responses(sample):
    evaluation, streams = evaluated(sample), Streams(1, "test")
    blocks = permuted(evaluation, "restricted")
    Y = np.concatenate([block.shuffled(streams.keys(f"restricted/{name}", 20)) for name, block in blocks.items()])
    by_hand = metric_values(sample.features.X[:60], Y[:60], sample.features.X[60:], Y[60:])
    np.testing.assert_array_equal(nulls(evaluation, "restricted", 20).values["auc"], by_hand)
    given = values(evaluation, Y, [streams.keys("restricted/learner", 20)])
    np.testing.assert_array_equal(given.values["auc"], by_hand)


def test_more_permutations_begin_with_the_same_draws_and_the_nulls_differ(sample):
    evaluation = evaluated(sample)
    few, many = (nulls(evaluation, "standard", b).values["auc"] for b in (20, 400))
    np.testing.assert_array_equal(few, many[:20])
    assert nulls(evaluation, "restricted", 400).values["auc"].mean() > 0.6 > 0.55 > many.mean()


class Silent:
    """A learner that must not be asked."""

    def scores(self, *_):
        raise AssertionError("it was fitted")


def test_what_is_known_before_a_fit_is_checked_before():
    y = np.array([0, 1] * 30 + [2, 1] * 30)
    sample = Sample.of(np.zeros((120, 1)), y, y, task="classification")
    with pytest.raises(ValueError, match=r"classes \[2\] are in the test set only"):
        evaluated(sample, learner=Silent())
    sample = Sample.of(np.zeros((120, 1)), np.arange(120) // 60, y)
    with pytest.raises(ValueError, match="the training set has one class only, so there is nothing to learn"):
        evaluated(sample, learner=Silent())
