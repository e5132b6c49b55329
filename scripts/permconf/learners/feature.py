"""No learning: the score is one of the features, so that a metric such as correlation measures plain association."""

from dataclasses import dataclass

import numpy as np

from permconf.options import whole_number


@dataclass(frozen=True)
class Feature:
    """The score is feature number `column`."""

    column: int = 0

    def scores(self, X_train, Y_train, X_test, keys):
        """The feature, once per permutation."""
        return np.broadcast_to(self.fixed_scores(X_test)[:, None], (X_test.shape[0], keys.size))

    def fixed_scores(self, X_test):
        """The feature, whatever the response."""
        if not 0 <= whole_number(self.column, "column of feature", least=0) < X_test.shape[1]:
            raise ValueError(f"feature: there is no column {self.column}, the data have {X_test.shape[1]} features")
        return X_test[:, self.column]


LEARNER = Feature
