"""Features residualised on the confounder: level means are subtracted."""

from dataclasses import dataclass, replace

import numpy as np

from permconf.adjustments import Adjustment
from permconf.data.features import feature_matrix


@dataclass(frozen=True)
class Residuals(Adjustment):
    """Subtracts from every feature its mean within the level of the confounder.

    The means are those of the training set, for the test set too; a level that is missing in the training set gets the
    mean of all training rows.
    """

    def adjusted(self, split, rng):
        """Both sets with residuals as features."""
        levels, codes = np.unique(split.c_train, return_inverse=True)
        X = feature_matrix(split.X_train, "X_train")  # of numbers, also if it is a DataFrame
        sums = np.zeros((levels.size, X.shape[1]))
        np.add.at(sums, codes, X)
        means = np.vstack([sums / np.bincount(codes)[:, None], X.mean(axis=0)])
        test_codes = np.searchsorted(levels, split.c_test)
        known = np.isin(split.c_test, levels)
        test_codes[~known] = levels.size
        return replace(split, X_train=split.X_train - means[codes], X_test=split.X_test - means[test_codes])


ADJUSTMENT = Residuals
