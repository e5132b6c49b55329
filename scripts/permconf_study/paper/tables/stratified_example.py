"""The 16 samples of Fig. 2."""

import numpy as np

from permconf.permute.shuffles import restricted_shuffle, standard_shuffle


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
