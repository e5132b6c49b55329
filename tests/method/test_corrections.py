"""The "orange" and the "purple" correction of an assessment."""

import numpy as np
import pytest

from permconf import assess
from permconf.method.assess import quantile_corrected_metric


def assessed(**options):
    rng = np.random.default_rng(2)
    c = np.arange(400) % 2
    y = c + rng.standard_normal(400)
    x = c + 0.1 * y + rng.standard_normal(400)
    none = slice(0, 0)
    return assess(x[none, None], y[none], c[none], x[:, None], y, c, learner="feature", metric="correlation", **options)


def test_purple_is_the_quantile_of_the_standard_draws_at_the_rank_of_the_observed_value():
    result = assessed(permutations=500, nulls=("restricted", "standard"), seed=1)
    rank = np.count_nonzero(result.restricted <= result.observed)
    assert 0 < rank < 500
    assert result.corrected_quantile == np.sort(result.standard)[rank - 1]
    assert result.corrected_quantile == pytest.approx(result.corrected, abs=0.02)  # two Monte Carlo errors


def test_purple_stops_at_the_range_of_the_standard_draws():
    standard = np.array([0.3, -0.2, 0.1])
    assert quantile_corrected_metric(9, [0, 1], standard) == 0.3
    assert quantile_corrected_metric(-9, [0, 1], standard) == -0.2


def test_without_a_standard_null_there_is_no_purple_correction():
    rng = np.random.default_rng(0)
    X, c = rng.standard_normal((80, 2)), np.arange(80) % 2
    y = (X[:, 0] > 0).astype(int)
    result = assess(X[:40], y[:40], c[:40], X[40:], y[40:], c[40:], permutations=20, seed=0)
    assert result.standard is None
    assert np.isnan(result.corrected_quantile)
    assert np.isfinite(result.corrected)
