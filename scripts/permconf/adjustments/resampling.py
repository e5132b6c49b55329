"""Inverse probability weights by resampling, for learners that accept no weights."""

import numpy as np
from numba import njit

from permconf.adjustments import Adjustment
from permconf.adjustments.weighting import inverse_probability_weights
from permconf.permute.random_bits import random_bits

_STREAM = 2**40  # beyond the counters that a learner uses with the same key


class Resampling(Adjustment):
    """Training rows drawn with replacement, with probabilities proportional to their inverse probability weights."""

    weighs = "counts"
    tasks = ("classification",)

    def weights(self, Y, c, keys):
        """How often each row was drawn, for every response."""
        return drawn_counts(np.ascontiguousarray(np.cumsum(inverse_probability_weights(Y, c), axis=0).T), keys)


@njit(cache=True, nogil=True)
def drawn_counts(cumulated, keys):
    """Counts (n, b) of n draws with replacement in each column; `cumulated` (b, n) holds the cumulative weights."""
    b, n = cumulated.shape
    counts = np.zeros((n, b), np.int64)
    for k in range(b):
        for i in range(n):
            unit = np.float64(random_bits(keys[k], _STREAM + i) >> np.uint64(11)) / 2.0**53
            row = np.searchsorted(cumulated[k], unit * cumulated[k, n - 1], side="right")
            counts[min(row, n - 1), k] += 1
    return counts


ADJUSTMENT = Resampling
