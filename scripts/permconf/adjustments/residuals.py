"""Features residualised on the confounder: level means are subtracted."""

import numpy as np

from permconf.adjustments import Adjustment


class Residuals(Adjustment):
    """Subtracts from every feature its mean within the level of the confounder.

    The means are those of the training set, for the test set too; a level that is missing in the training set gets the
    mean of all training rows.
    """

    def transform(self, X_train, c_train, X_test, c_test):
        """Both sets with residuals as features."""
        counts = np.bincount(c_train.codes, minlength=c_train.count)[:, None]
        sums = np.zeros((c_train.count, X_train.shape[1]))
        np.add.at(sums, c_train.codes, X_train)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), X_train.mean(axis=0))
        return X_train - means[c_train.codes], X_test - means[c_test.codes]


ADJUSTMENT = Residuals
