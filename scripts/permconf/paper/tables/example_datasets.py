"""Example data sets of a study, chosen by a rule (Figs. 4 and 7)."""

import numpy as np

# Position of the observed metric, in standard deviations of the restricted null from its mean. 10,000 draws extend to
# about 4.
POSITIONS = {"inside": 1, "above": 6, "far above": 12, "below": -6, "far below": -12}
_INSIDE = 4
_APART = 8


def example_datasets(tests):
    """A data set for each of POSITIONS, by number, from a table of tests with both nulls (paper, Fig. 4 b-k).

    It is the one whose observed metric is nearest to the position, among those whose nulls are well separated (means at
    least 8 baseline standard deviations apart) and, for positions outside the restricted null, whose observed metric
    lies on the same side of the baseline. In a study too small to have such a data set, all are candidates.
    """
    usable = tests[tests["status"] == "ok"]
    if usable.empty:
        raise ValueError("there is no example data set, because all data sets failed")
    z = (usable["observed"] - usable["restricted_mean"]) / usable["restricted_sd"]
    above_baseline = (usable["observed"] - usable["baseline_mean"]) / usable["baseline_sd"]
    apart = (usable["restricted_mean"] - usable["baseline_mean"]).abs() >= _APART * usable["baseline_sd"]
    chosen = {}
    for name, position in POSITIONS.items():
        fitting = apart & ((abs(position) < _INSIDE) | (np.sign(above_baseline) == np.sign(position)))
        distance = (z - position).abs()
        nearest = (distance[fitting] if fitting.any() else distance).idxmin()
        chosen[name] = int(usable.loc[nearest, "dataset"])
    return chosen
