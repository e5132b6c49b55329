"""Example data sets of a study, chosen by a rule (Figs. 4 and 7)."""

import numpy as np

# Position of the observed metric, in standard deviations of the restricted null from its mean. 10,000 draws extend to
# about 4.
POSITIONS = {"inside": 1, "above": 6, "far above": 12, "below": -6, "far below": -12}
NEARER = {"far above": "above", "far below": "below"}  # the example that one of larger correlation is compared with
COMPARED = ("observed", "corrected", "corrected_quantile")
_INSIDE = 4
_APART = 8
_LARGER = 0.1


def example_datasets(tests):
    """A data set for each of POSITIONS, by number, from a table of tests with both nulls (paper, Fig. 4 b-k).

    It is the one whose observed metric is nearest to the position, among those whose nulls are well separated (means at
    least 8 baseline standard deviations apart) and whose observed metric lies on the side of the baseline that the
    position says (for "inside", the restricted null lies above the baseline). The "far" ones must also have an observed
    metric that is larger, in absolute value, by at least 0.1. In a study too small for this, all are candidates.
    """
    usable = tests[tests["status"] == "ok"].set_index("dataset").sort_index()
    if usable.empty:
        raise ValueError("there is no example data set, because all data sets failed")
    z = (usable["observed"] - usable["restricted_mean"]) / usable["restricted_sd"]
    side = np.sign(usable["observed"] - usable["baseline_mean"])
    shift = usable["restricted_mean"] - usable["baseline_mean"]
    apart = shift.abs() >= _APART * usable["baseline_sd"]
    chosen: dict[str, int] = {}
    for name, position in POSITIONS.items():
        fitting = apart & (side == np.sign(position)) & ((abs(position) >= _INSIDE) | (shift > 0))
        if name in NEARER:
            least = abs(usable["observed"][chosen[NEARER[name]]]) + _LARGER
            fitting &= usable["observed"].abs() >= least
        distance = (z - position).abs()
        chosen[name] = int((distance[fitting] if fitting.any() else distance).idxmin())
    return chosen


def example_table(tests):
    """Columns example and dataset, and for the "far" examples the metrics of the data set they are compared with."""
    chosen = example_datasets(tests)
    rows = tests.set_index("dataset")
    compared = [chosen.get(NEARER.get(name, "")) for name in chosen]
    nearer = {
        f"nearer_{metric}": [np.nan if number is None else float(rows[metric][number]) for number in compared]
        for metric in COMPARED
    }
    return {"example": list(chosen), "dataset": list(chosen.values())} | nearer
