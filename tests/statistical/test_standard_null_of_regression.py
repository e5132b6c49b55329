"""Fig. 5: with one feature the restricted null of a regression metric becomes normal, the standard null does not."""

import numpy as np
import pytest
from scipy.stats import kurtosis

from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import simulate

B = 4000


@pytest.mark.slow
@pytest.mark.statistical
def test_the_standard_null_keeps_heavy_tails_at_any_size():
    where = {"stream": "fig05", "seed": 5}
    parameters = {"n": 4000, "p": 0.5, "beta_xc": 1.5, "beta_yc": 1.5, "beta_xy": 0.5}
    design = {"dataset": np.array([0]), **{name: np.array([value]) for name, value in parameters.items()}}
    datasets = simulate({"generator": "linear_confounding_exponential"}, design, **where)
    analysis = {
        "split": {"name": "half"},
        "learner": "linear_regression",
        "metrics": ["ccc"],
        "nulls": ["restricted", "standard"],
        "permutations": B,
        "draws": "all",
    }
    _, draws = assess_datasets(datasets, analysis, **where)
    excess = {null: kurtosis(draws["value"][draws["null"] == null]) for null in ("restricted", "standard")}
    assert abs(excess["restricted"]) < 4 * np.sqrt(24 / B)  # standard error for a normal variable
    assert excess["standard"] > 3  # 6 for a product of two normal variables
