import numpy as np
import pandas as pd

from permconf_study.paper.tables.residual_tests import residual_tests


def test_rates_by_hand():
    """The restricted null is twice as wide as the analytic one: the studentised test rejects less often."""
    tests = pd.DataFrame(
        {
            "status": ["ok"] * 4 + ["failed"],
            "n_train": 100,
            "confounding_z": [1.0, 2.0, 4.0, 5.0, np.nan],
            "confounding_p": [0.16, 0.023, 3e-5, 3e-7, np.nan],
            "baseline_sd": 0.02,
            "restricted_sd": 0.04,
            "restricted_mean": [0.49, 0.5, 0.5, 0.51, np.nan],
            "prediction_p": [0.05, 0.2, 0.3, 0.4, np.nan],
        }
    )
    all_sizes = tests.drop(columns="prediction_p").assign(n_train=[50, 60, 70, 80, 90])
    found = residual_tests({"unneeded_residuals": tests, "adjust_exp1_residuals": all_sizes})
    one, other = found.to_dict("records")
    assert (one["scenario"], one["n_train"], one["n_datasets"]) == ("unneeded_residuals", 100, 4)
    assert (one["confounding"], one["studentised"], one["prediction"], one["spread"]) == (0.75, 0.5, 0.25, 2.0)
    assert np.isclose(one["confounding_mcse"], np.sqrt(0.75 * 0.25 / 4))
    assert np.isclose(one["restricted_mean"], 0.5)
    assert np.isclose(one["restricted_mean_mcse"], np.sqrt(2 * 0.01**2 / 3) / 2)
    assert (other["n_datasets"], other["confounding"]) == (4, 0.75)
    assert np.isnan(other["n_train"])
    assert np.isnan(other["prediction"])
