import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from permconf_study.study.rejection_rates import binomial_band, rejection_curve, scenario_curves


def test_rates_count_p_values_at_or_below_alpha():
    curve = rejection_curve([0.01, 0.05, 0.05, 0.5, np.nan], [0, 0.049, 0.05, 0.5, 1])
    np.testing.assert_allclose(curve["rate"], [0, 0.25, 0.75, 1, 1])
    np.testing.assert_allclose(curve["mcse"], np.sqrt(curve["rate"] * (1 - curve["rate"]) / 4))
    assert set(curve["n_datasets"]) == {4}


@pytest.mark.parametrize(("k", "n"), [(0, 20), (20, 20), (3, 20), (50, 1000)])
def test_band_is_clopper_pearson(k, n):
    low, high = binomial_band(np.array([k]), n)
    exact = binomtest(k, n).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose([low[0], high[0]], [exact.low, exact.high], atol=1e-12)


def test_no_usable_data_set_gives_no_rate_and_the_widest_band():
    curve = rejection_curve([np.nan, np.nan], [0.05])
    assert np.isnan(curve["rate"]).all()
    assert (curve["low"], curve["high"]) == (0, 1)
    assert curve["n_datasets"] == 0


def test_scenario_curves_keep_tests_and_metrics_apart():
    tests = pa.table(
        {
            "metric": ["auc", "accuracy", "auc", "accuracy"],
            "response_p": [0.01, 0.9, 0.02, 0.9],
            "confounding_p": [0.5, 0.5, 0.001, 0.5],
            "conditional_p": [0.04, 0.9, 0.2, 0.9],
        }
    )
    curves = scenario_curves(tests, np.array([0.0, 0.05, 1.0]))
    rate = dict(zip(zip(curves["metric"], curves["test"], curves["alpha"], strict=True), curves["rate"], strict=True))
    assert rate["auc", "response", 0.05] == 1
    assert rate["auc", "confounding", 0.05] == 0.5
    assert rate["accuracy", "response", 0.05] == 0
    assert rate["auc", "conditional", 0.05] == 0.5
    assert len(curves["rate"]) == 18  # no Algorithm 2 where it was not made
