import numpy as np
import pandas as pd
import pytest

from permconf_study.paper.tables.corrections import correction_summary, correction_table

TESTS = pd.DataFrame(
    {
        "dataset": range(4),
        "n_test": 20,
        "status": ["ok", "ok", "ok", "failed"],
        "observed": 0.8,
        "corrected": [0.5, 0.7, 0.9, 0.9],
        "reweighted": [0.6, 0.64, np.nan, 0.6],
        "reweighted_low": [0.5, 0.63, np.nan, 0.5],
        "reweighted_high": [0.7, 0.7, np.nan, 0.7],
    }
)
TRUTH = pd.DataFrame({"dataset": range(4), "as_trained": 0.61, "unconfounded": 0.6, "retrained": 0.62})


@pytest.fixture
def summary():
    design = pd.DataFrame({"dataset": range(4), "beta": 0.1, "theta": 0.5})
    table = correction_table({"cy": TESTS}, {"cy": design}, {"cy": TRUTH})
    assert len(table) == 3
    rows = correction_summary(table).to_dict("records")
    return {(row["estimate"], row["truth"]): row for row in rows}


def test_estimates_are_judged_where_the_reweighted_metric_is_defined(summary):
    corrected = summary["corrected", "as_trained"]
    assert corrected["n_datasets"] == 2
    assert corrected["undefined"] == pytest.approx(1 / 3)
    assert corrected["bias"] == pytest.approx(-0.01)
    assert corrected["rms"] == pytest.approx(np.sqrt((0.11**2 + 0.09**2) / 2))
    assert corrected["mcse"] == pytest.approx(0.1)
    assert corrected["above"] == 0.5


def test_each_estimate_has_its_truth_and_an_interval_covers_or_not(summary):
    assert summary["retrained", "unconfounded"]["bias"] == pytest.approx(0.02)
    assert summary["corrected", "unconfounded"]["bias"] == pytest.approx(0)
    assert summary["reweighted", "as_trained"]["bias"] == pytest.approx(0.01)
    reweighted = summary["reweighted", "as_trained"]
    assert (reweighted["coverage"], reweighted["coverage_mcse"]) == pytest.approx((0.5, np.sqrt(0.125)))
    assert np.isnan(summary["corrected", "as_trained"]["coverage"])
