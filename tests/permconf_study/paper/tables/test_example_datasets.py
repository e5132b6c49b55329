"""The rule that chooses data sets as examples."""

import numpy as np
import pandas as pd
import pytest

from permconf_study.paper.tables.example_datasets import POSITIONS, example_datasets, example_table


def table_of_tests(*rows):
    """A table of tests from (z, restricted mean) of each data set; numbers start at 100."""
    z, mean = np.transpose(rows)
    nulls = {"restricted_mean": mean, "restricted_sd": 0.02, "baseline_mean": 0.0, "baseline_sd": 0.03}
    return pd.DataFrame({"dataset": 100 + np.arange(len(rows)), "observed": mean + 0.02 * z, "status": "ok"} | nulls)


def test_the_nearest_data_set_that_fits_is_chosen():
    table = table_of_tests((6, 0.1), (6.5, 0.4), (9, 0.4), (1.2, 0.4), (13, 0.5), (-6, 0.4), (-7, -0.4), (-15, -0.4))
    chosen = example_datasets(table)
    assert list(chosen) == list(POSITIONS)
    assert chosen == {"inside": 103, "above": 101, "far above": 104, "below": 106, "far below": 107}


def test_far_examples_have_a_larger_observed_metric():
    table = table_of_tests((1, 0.4), (6, 0.4), (12, 0.3), (14, 0.5), (-6, -0.4), (-12, -0.3), (-14, -0.5))
    table = table.assign(corrected=table["observed"] / 2, corrected_quantile=0.1)
    examples = pd.DataFrame(example_table(table)).set_index("example")
    assert examples["dataset"].tolist() == [100, 101, 103, 104, 106]  # in the order of POSITIONS
    assert examples["nearer_observed"].dropna().to_dict() == pytest.approx({"far above": 0.52, "far below": -0.52})
    assert examples.loc["far above", "nearer_corrected"] == pytest.approx(0.26)


def test_a_study_without_results_is_named():
    with pytest.raises(ValueError, match="all data sets failed"):
        example_datasets(table_of_tests((1, 0.4)).assign(status="failed"))
