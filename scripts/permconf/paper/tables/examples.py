"""Examples for figures: data sets of a study chosen by a rule, and the 16 samples of Fig. 2."""

import numpy as np

from permconf.method.shuffles import restricted_shuffle, standard_shuffle

# Where the observed metric lies, in standard deviations of the restricted null from its mean. The range of 10,000 draws
# reaches to about 4.
POSITIONS = {"inside": 1, "above": 6, "far above": 12, "below": -6, "far below": -12}
_INSIDE = 4
_APART = 8


def example_datasets(tests):
    """A data set for each of POSITIONS, by number, from a table of tests with both nulls (paper, Fig. 4 b-k).

    It is the one whose observed metric is nearest to the position, among those whose two nulls stand apart (means at
    least 8 baseline standard deviations from each other) and, for positions outside the restricted null, whose observed
    metric lies on that side of the baseline too. In a study too small to have such a data set, all are candidates.
    """
    usable = tests[tests["status"] == "ok"]
    if usable.empty:
        raise ValueError("no data set was assessed without error, so none can serve as an example")
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


def stratified_example(streams, *, features=5, permutations=8):
    """The 16 samples of Fig. 2 and permutations of their response, as a long table: panel, row, column, value.

    7 samples have c = 1, of which 4 have y = 1; 9 have c = 0, of which 2 have y = 1. Rows are sorted by c.
    """
    rng = streams.rng("data")
    c = np.repeat([1, 0], [7, 9])
    y = np.concatenate([rng.permutation(np.repeat([1, 0], ones_and_zeros)) for ones_and_zeros in ((4, 3), (2, 7))])
    panels = {
        "X": rng.standard_normal((16, features)) + (y + c)[:, None],
        "c": c[:, None],
        "y": y[:, None],
        "restricted": restricted_shuffle(y, c, permutations, rng=streams.rng("restricted")),
        "standard": standard_shuffle(y, permutations, rng=streams.rng("standard")),
    }
    parts = [(name, *np.indices(matrix.shape).reshape(2, -1), matrix.ravel()) for name, matrix in panels.items()]
    return {
        "panel": np.concatenate([np.full(values.size, name) for name, *_, values in parts]),
        "row": np.concatenate([row for _, row, *_ in parts]),
        "column": np.concatenate([column for *_, column, _ in parts]),
        "value": np.concatenate([values.astype(float) for *_, values in parts]),
    }
