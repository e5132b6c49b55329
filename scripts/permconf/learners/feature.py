"""No learning: one feature is itself the score, so that a metric such as correlation measures plain association."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Feature:
    """Scores are the values of feature number `column`."""

    column: int = 0

    def scores(self, X_train, Y_train, X_test, keys):
        """The feature, once per permutation."""
        return np.broadcast_to(self.fixed_scores(X_test)[:, None], (X_test.shape[0], keys.size))

    def fixed_scores(self, X_test):
        """The feature: no response changes it."""
        return X_test[:, self.column]


LEARNER = Feature
