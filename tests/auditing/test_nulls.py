"""Ties of draws in any unit, and Monte Carlo errors of the corrected metric."""

import numpy as np
import pytest

from permconf.auditing.nulls import assessment, corrected_error, is_constant
from permconf.engine.contracts import Moments, make_metric
from permconf.inference.assess import permutation_p

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
    assert permutation_p(0.7, np.array([0.5, np.nan, 0.7, 0.8]), direction=1) == 4 / 5
    assert permutation_p(0.7, np.array([0.9, np.nan, 0.7, 0.6]), direction=-1) == 4 / 5
    assert permutation_p(0.7, np.array([0.7 - 1e-16, 0.6]), direction=1) == 2 / 3


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1.0, 1e9])
def test_ties_do_not_depend_on_the_unit(unit):
    draws = unit * np.array([0.2, 0.3, 0.1 * 3, 0.4, np.nan])
    assert permutation_p(unit * 0.3, draws, direction=1) == 5 / 6
    assert permutation_p(unit * 0.3, draws, direction=-1) == 5 / 6
    assert permutation_p(unit * 0.31, draws, direction=1) == 3 / 6
    assert not is_constant(draws)
    assert is_constant(draws[1:3])
    assert is_constant(np.zeros(3))
    assert not is_constant(np.full(3, np.nan))


def test_ties_next_to_zero_are_relative_to_the_spread_of_the_draws():
    assert permutation_p(0.0, np.array([-0.2, -1e-17, 0.1, 0.2]), direction=1) == 4 / 5
    assert permutation_p(1e-6, np.array([-0.2, 0.0, 0.1, 0.2]), direction=1) == 3 / 5


def test_a_null_that_does_not_vary_gives_no_correction():
    found = assessment("auc", make_metric("auc"), 0.8, np.full(20, 0.5), None, Moments(0.5, 0.1), **SIZES)
    assert np.isnan(found.corrected)
    assert np.isnan(corrected_error(found))
