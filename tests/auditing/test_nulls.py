"""Monte Carlo errors of the corrected metric."""

import numpy as np
import pytest

from permconf.auditing.nulls import assessment, corrected_error, response_p
from permconf.method.contracts import Moments, make_metric

SIZES = {"n_train": 50, "n_test": 50, "flagged": 0, "fixed": 0}


@pytest.mark.parametrize("analytic", [None, Moments(0.5, 0.05)])
def test_error_of_the_corrected_metric_is_its_spread_over_draws(rng, analytic):
    def once():
        restricted = 0.6 + 0.03 * rng.gamma(4, 0.5, size=400)  # skewed
        standard = rng.normal(0.5, 0.05, 400) if analytic is None else None
        return assessment("auc", make_metric("auc"), 0.8, restricted, standard, analytic, **SIZES)

    found = [once() for _ in range(600)]
    spread = np.std([one.corrected for one in found])
    errors = np.array([corrected_error(one) for one in found])
    assert np.mean(errors) == pytest.approx(spread, rel=4 / np.sqrt(2 * 600))


def test_draws_that_are_not_defined_count_as_good():
    assert response_p(0.7, np.array([0.5, np.nan, 0.7, 0.8]), 1) == 4 / 5
    assert response_p(0.7, np.array([0.9, np.nan, 0.7, 0.6]), -1) == 4 / 5
    assert response_p(0.7, np.array([0.7 - 1e-16, 0.6]), 1) == 2 / 3


def test_a_null_that_does_not_vary_gives_no_correction():
    found = assessment("auc", make_metric("auc"), 0.8, np.full(20, 0.5), None, Moments(0.5, 0.1), **SIZES)
    assert np.isnan(found.corrected)
    assert np.isnan(corrected_error(found))
