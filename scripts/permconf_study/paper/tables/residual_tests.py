"""What the tests for confounding find after residualising, and where nothing acts on the features."""

import numpy as np
import pandas as pd
from scipy.special import ndtr

from permconf_study.study.estimates import mean, rejection_rate

ALPHA = 0.05 + 1e-12  # p-values of permutations are multiples of 1 / (1 + permutations), up to rounding
UNNEEDED = ("unneeded_none", "unneeded_residuals")  # compared by training size


def residual_tests(tests):
    """Rates of the tests; `tests` maps scenarios to their tables, and those in UNNEEDED have a row for each size.

    `studentised` is the paper's test with the standard deviation of the restricted draws instead of the analytic one,
    `spread` is the ratio of the two.
    """
    rows = []
    for name, table in tests.items():
        table = table[table["status"] == "ok"]
        sizes = table.groupby("n_train") if name in UNNEEDED else [(np.nan, table)]
        rows += [{"scenario": name, "n_train": n_train} | _row(group) for n_train, group in sizes]
    return pd.DataFrame(rows)


def _row(group):
    spread = group["restricted_sd"] / group["baseline_sd"]
    found = {
        "confounding": rejection_rate(group["confounding_p"], ALPHA),
        "studentised": rejection_rate(ndtr(-group["confounding_z"] / spread), ALPHA),
        "prediction": rejection_rate(group["prediction_p"], ALPHA) if "prediction_p" in group else (np.nan, np.nan),
        "spread": mean(spread),
        "restricted_mean": mean(group["restricted_mean"]),
    }
    row = {"n_datasets": len(group)}
    for name, (value, error) in found.items():
        row |= {name: value, f"{name}_mcse": error}
    return row
