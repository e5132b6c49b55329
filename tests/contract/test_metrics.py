"""What the null engine relies on in any metric."""

import numpy as np
import pytest

from permconf.engine.scores import NEEDS, Scores
from permconf.metrics import Metric, make_metric

ROWS, B = 40, 12


@pytest.fixture
def metric(metric_name):
    return make_metric(metric_name)


@pytest.fixture
def problem(metric, rng):
    """Responses and scores that are related, with ties."""
    scores = np.round(rng.standard_normal((ROWS, B)), 1)
    values = scores + rng.standard_normal((ROWS, B))
    return (values > 0).astype(np.uint8) if metric.task == "classification" else values, needed(metric, scores)


def needed(metric, log_odds):
    """Scores in the form that the metric needs."""
    return Scores(log_odds, np.zeros(log_odds.shape[1], bool), "log_odds").needed(metric.needs)


def test_it_is_a_metric_for_a_known_task(metric):
    assert isinstance(metric, Metric)
    assert metric.task in ("classification", "regression")
    assert metric.needs in NEEDS
    assert metric.link in ("identity", "logit", "log", "fisher")


def test_one_finite_value_per_response(metric, problem):
    values = metric.values(*problem)
    assert values.shape == (B,)
    assert values.dtype == np.float64
    assert np.isfinite(values).all()


def test_it_is_deterministic_and_leaves_its_arguments_alone(metric, problem):
    kept = [array.copy() for array in problem]
    np.testing.assert_array_equal(metric.values(*problem), metric.values(*problem))
    for before, after in zip(kept, problem, strict=True):
        np.testing.assert_array_equal(before, after)


def test_a_batch_of_b_equals_b_batches_of_one(metric, problem):
    Y, scores = problem
    alone = [metric.values(Y[:, [k]], scores[:, [k]])[0] for k in range(B)]
    np.testing.assert_allclose(alone, metric.values(Y, scores), rtol=1e-12, atol=1e-12)


def test_rows_have_no_order(metric, problem, rng):
    Y, scores = problem
    order = rng.permutation(ROWS)
    np.testing.assert_allclose(metric.values(Y[order], scores[order]), metric.values(Y, scores), atol=1e-12)


def test_better_scores_have_better_values(metric, rng):
    y = rng.standard_normal((200, 1))
    Y = (y > 0).astype(np.uint8) if metric.task == "classification" else y
    good, bad = (metric.values(Y, needed(metric, scores)) for scores in (y, rng.standard_normal((200, 1))))
    assert metric.direction * (good[0] - bad[0]) > 0


def test_an_analytic_null_has_the_moments_of_permutations(metric, rng):
    if metric.analytic_null is None:
        pytest.skip("its null is found by permutation")
    b = 4000
    y, scores = (rng.random(ROWS) < 0.4).astype(np.uint8), rng.standard_normal(ROWS)
    Y = np.stack([rng.permutation(y) for _ in range(b)], axis=1)
    draws, null = metric.values(Y, np.repeat(scores[:, None], b, axis=1)), metric.analytic_null(y)
    assert abs(draws.mean() - null.mean) < 4 * null.sd / np.sqrt(b)
    assert abs(draws.std() / null.sd - 1) < 4 / np.sqrt(2 * b)


def test_factors_give_the_metric_of_every_permutation(metric, problem, rng):
    if metric.factors is None:
        pytest.skip("it is not linear in the response")
    Y, scores = problem
    u, v = metric.factors(Y[:, 0], scores[:, 0])
    order = rng.permutation(ROWS)
    for rows in (np.arange(ROWS), order):
        assert u @ v[rows] == pytest.approx(metric.values(Y[rows][:, :1], scores[:, :1])[0], abs=1e-12)


def test_weights_count_rows(metric, problem, rng):
    if metric.weighted is None:
        pytest.skip("it has no weighted version")
    Y, scores = problem
    y, s = Y[:, 0], scores[:, 0]
    counts = np.column_stack([np.ones(ROWS, int), rng.integers(0, 4, (ROWS, B))])
    expected = [metric.values(*(np.repeat(v, n)[:, None] for v in (y, s)))[0] for n in counts.T]
    np.testing.assert_allclose(metric.weighted(y, s, counts.astype(float)), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(metric.weighted(y, s, counts * 0.3), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_an_undefined_value_is_missing_or_refused_with_a_sentence(metric, problem, sentence):
    Y, scores = (np.zeros_like(array) for array in problem)
    refusal = None
    try:
        values = metric.values(Y, scores)
    except ValueError as error:
        refusal = error
    assert sentence(refusal) if refusal else values.shape == (B,)


def test_three_classes_are_scored_or_refused_with_a_sentence(metric, rng, sentence):
    if metric.task != "classification":
        pytest.skip("it is for numbers")
    scores = rng.dirichlet(np.ones(3), (60, B))
    Y = scores.argmax(axis=2).astype(np.uint8)
    good, bad, refusal = None, None, None
    try:
        good, bad = (metric.values(Y, s) for s in (scores, rng.dirichlet(np.ones(3), (60, B))))
    except ValueError as error:
        refusal = error
    if good is None:
        assert sentence(refusal)
        return
    assert good.shape == bad.shape == (B,)
    assert (metric.direction * (good - bad) > 0).all()
    if metric.weighted is not None:
        weighted = metric.weighted(Y[:, 0], scores[:, 0], np.ones((60, 1)))
        np.testing.assert_allclose(weighted, good[:1], rtol=1e-12)
