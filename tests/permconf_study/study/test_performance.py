"""Measures against their definitions written out with the standard library."""

import math
import statistics

import numpy as np
import pytest

from permconf_study.study.performance import accuracy, average, intervals, kept, rejection_rates


def test_bias_error_and_rmse_are_those_of_the_definitions(rng):
    estimates, truths = rng.normal(0.6, 0.05, 40), rng.normal(0.55, 0.02, 40)
    errors = [float(e - t) for e, t in zip(estimates, truths, strict=True)]
    found = accuracy(estimates, truths)
    spread = statistics.stdev(errors)
    assert found["bias"][:2] == pytest.approx((statistics.mean(errors), spread / math.sqrt(40)))
    assert found["empirical_se"][:2] == pytest.approx((spread, spread / math.sqrt(2 * 39)))
    root = math.sqrt(statistics.mean(e * e for e in errors))
    without = [math.sqrt(statistics.mean(e * e for j, e in enumerate(errors) if j != i)) for i in range(40)]
    jackknife = math.sqrt(39 / 40 * sum((r - statistics.mean(without)) ** 2 for r in without))
    assert found["rmse"][:2] == pytest.approx((root, jackknife))
    assert found["rmse"].value ** 2 == pytest.approx(found["bias"].value ** 2 + 39 / 40 * spread**2)


def test_the_error_of_what_is_kept_is_that_of_repetitions(rng):
    whole = 0.7 + 0.02 * rng.standard_normal((200, 50))
    values = 0.5 + 0.8 * (whole - 0.5) + 0.01 * rng.standard_normal((200, 50))
    ratios, errors = np.transpose([kept(one, other, 0.5)[:2] for one, other in zip(values, whole, strict=True)])
    assert abs(ratios.mean() - 0.8) < 4 * ratios.std() / np.sqrt(200)
    assert abs(errors.mean() / ratios.std() - 1) < 4 / np.sqrt(2 * 200)


def test_coverage_and_width():
    found = intervals([0.4, 0.5, 0.6, 0.7], [0.6, 0.7, 0.8, 0.9], [0.55] * 4)
    assert found["coverage"].value == 0.5
    assert found["coverage"].mcse == pytest.approx(0.25)
    assert found["coverage"][2:4] == pytest.approx((0.0676, 0.9324), abs=1e-4)  # R: binom.test(2, 4)
    assert found["width"].value == pytest.approx(0.2)


def test_a_rate_of_1_has_an_interval():
    (found,) = rejection_rates([0.001] * 100, [0.05])
    assert found[:2] == (1.0, 0.0)
    assert found.low == pytest.approx(0.025 ** (1 / 100))
    (tied,) = rejection_rates([5 / 100 + 1e-17, np.nan], [0.05])
    assert tied.value == 1.0
    assert tied.n_datasets == 1


def test_nothing_has_no_value():
    assert math.isnan(average([]).value)
    assert math.isnan(accuracy([], [])["rmse"].value)
    assert math.isnan(intervals([], [], [])["coverage"].value)
