"""Inverse probability weights: training rows are weighted as if response and confounder were independent."""

import numpy as np

from permconf.adjustments import Adjustment


class Weighting(Adjustment):
    """Row weights P(y) / P(y | c), estimated by the cell counts of the training set."""

    weighs = "fractions"
    tasks = ("classification",)

    def weights(self, Y, c, keys):
        """n_y n_c / (n n_yc) for the cell (y, c) of each row, for every response."""
        return inverse_probability_weights(Y, c)


def inverse_probability_weights(Y, c):
    """Weights (n, b) that make each response of Y independent of c, keep both margins, and sum to n."""
    n = len(Y)
    weights = np.zeros(Y.shape)
    levels, codes = c.strata.counts, c.strata.codes
    for k in range(int(Y.max(initial=0)) + 1):
        of_class = k == Y
        n_y = of_class.sum(axis=0)
        for level in range(levels.size):
            rows = codes == level
            n_yc = of_class[rows].sum(axis=0)
            weight = n_y * rows.sum() / (n * np.maximum(n_yc, 1))
            weights[rows] = np.where(of_class[rows], weight, weights[rows])
    return weights


ADJUSTMENT = Weighting
