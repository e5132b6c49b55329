import numpy as np
import pytest
from sklearn.metrics import average_precision_score, r2_score

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.engine.scores import Scores
from permconf.metrics import Metric, make_metric
from permconf.reweight.pooling import pooled_metric
from permconf.reweight.weights import row_weights

ROWS = 240


def in_sets(scores, folds):
    rows = [np.flatnonzero(folds == k) for k in np.unique(folds)]
    return [(some, Scores(scores[some][:, None], np.zeros(1, bool))) for some in rows]


@pytest.fixture
def data(rng):
    y = rng.integers(0, 2, ROWS).astype(np.uint8)
    return y, y + rng.standard_normal(ROWS), rng.integers(0, 5, ROWS), rng.random((ROWS, 3))


def test_auc_of_folds_is_the_share_of_weighted_pairs_within_them(data):
    y, scores, folds, weights = data
    above = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    pairs = (y[:, None] == 1) & (y == 0) & (folds[:, None] == folds)
    found = pooled_metric(make_metric("auc"), "auc", y, in_sets(scores, folds))(weights)
    for value, w in zip(found, weights.T, strict=True):
        both = np.where(pairs, np.outer(w, w), 0.0)
        assert value == pytest.approx(np.sum(both * above) / both.sum())


def test_auc_of_several_classes_pools_each_class_against_the_rest(data, rng):
    y, _, folds, weights = data
    y = rng.integers(0, 3, ROWS).astype(np.uint8)
    scores = rng.standard_normal((ROWS, 3)) + (y[:, None] == np.arange(3))
    one = make_metric("auc")
    found = pooled_metric(one, "auc", y, in_sets(scores, folds))(weights)
    by_class = [
        pooled_metric(one, "auc", (y == k).astype(np.uint8), in_sets(scores[:, k], folds))(weights) for k in range(3)
    ]
    np.testing.assert_allclose(found, np.mean(by_class, axis=0))


def test_other_metrics_pool_rows_cases_or_weight(data):
    y, scores, folds, weights = data
    w, parts = weights[:, :1], [folds == k for k in range(5)]
    sets = in_sets(scores, folds)

    def found(metric):
        return pooled_metric(metric, "it", y, sets)(w)[0]

    assert found(make_metric("r2")) == pytest.approx(r2_score(y, scores, sample_weight=w[:, 0]))
    precision = [average_precision_score(y[k], scores[k], sample_weight=w[k, 0]) for k in parts]
    cases = [w[k & (y == 1)].sum() for k in parts]
    assert found(make_metric("average_precision")) == pytest.approx(np.average(precision, weights=cases))
    own = Metric(np.multiply, task="regression", weighted=lambda _, s, w: np.full(w.shape[1], s.max()))
    largest = [scores[k].max() for k in parts]
    assert found(own) == pytest.approx(np.average(largest, weights=[w[k].sum() for k in parts]))


def test_sets_without_a_class_and_samples_without_weights(data):
    y, scores, _, weights = data
    folds = np.where(y == 0, 1, np.arange(ROWS) % 2)  # the first fold has cases only
    weights[:, 1] = np.nan
    found = pooled_metric(make_metric("auc"), "auc", y, in_sets(scores, folds))(weights)
    both = folds == 1
    expected = make_metric("auc").weighted(y[both], scores[both], weights[both])
    np.testing.assert_allclose(found, expected)
    assert np.isnan(found[1])


@pytest.mark.statistical
def test_the_number_of_folds_does_not_move_a_reweighted_auc(rng):
    """Site has an odds ratio of 9 and enters the scores; averaged equally, 66 folds would give the observed value."""
    site = rng.integers(0, 2, (200, 200))
    y = (rng.random(site.shape) < 0.25 + 0.5 * site).astype(np.uint8)
    scores, values = y / 2 + 2 * site + rng.standard_normal(site.shape), []
    for c, response, s in zip(site, y, scores, strict=True):
        weighting = row_weights(Response.of(response), Confounders.of(c))
        w = weighting.weights(np.ones((200, 1)))
        order = rng.permutation(200)
        sets = [in_sets(s, order % k) for k in (1, 2, 10, 66)]
        values.append([pooled_metric(make_metric("auc"), "auc", response, some)(w)[0] for some in sets])
    away = np.array(values)[:, 1:] - np.array(values)[:, :1]
    assert (np.abs(away.mean(axis=0)) < 3 * away.std(axis=0) / np.sqrt(200)).all()
