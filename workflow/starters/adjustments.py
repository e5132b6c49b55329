"""NAME: features centred within the levels of the confounder. An adjustment comes between the folds and the learner."""

import numpy as np

from permconf.adjustments import Adjustment


class Centring(Adjustment):
    """Override what you need: `select` (rows), `transform` (features) or `weights` (of training rows)."""

    def transform(self, X_train, c_train, X_test, c_test):
        """Both matrices, changed by what is fitted to the training rows; `codes` are the levels as numbers."""
        overall = X_train.mean(axis=0)
        means = np.array([_mean(X_train[c_train.codes == level], overall) for level in range(c_train.count)])
        return X_train - means[c_train.codes], X_test - means[c_test.codes]


def _mean(rows, otherwise):
    return rows.mean(axis=0) if len(rows) else otherwise


ADJUSTMENT = Centring
