"""Features as a learner needs them.

A scikit-learn estimator gets the columns as they are, with their names. For a built-in learner, labels become
indicators of their levels, and columns are standardised where the learner depends on their scale. Both are fitted on
the training rows: a level that is in the test rows only has no indicator, so that all of its indicators are zero.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

REFERENCE_CODED = ("logistic", "lda", "linear_regression")  # not identified with an indicator for every level
STANDARDISED = ("nearest_neighbours", "ridge_logistic", "ridge_regression")


@dataclass(frozen=True)
class Encoding:
    """How a built-in learner sees the features."""

    reference: bool = False
    standardise: bool = False

    @classmethod
    def of(cls, name):
        """The encoding for the learner of this name."""
        return cls(name in REFERENCE_CODED, name in STANDARDISED)

    def matrices(self, X_train, X_test):
        """Both sets as matrices of numbers."""
        pairs = [self._columns(X_train[name], X_test[name]) for name in X_train.columns]
        train, test = (np.ascontiguousarray(np.column_stack(part)) for part in zip(*pairs, strict=True))
        if self.standardise:
            centre, spread = train.mean(axis=0), train.std(axis=0)
            spread = np.where(spread > 0, spread, 1.0)
            train, test = (train - centre) / spread, (test - centre) / spread
        return train, test

    def _columns(self, train, test):
        if is_number(train):
            return train.to_numpy(float)[:, None], test.to_numpy(float)[:, None]
        levels = np.unique(train.astype(str).to_numpy(object))
        levels = levels[1:] if self.reference or levels.size == 2 else levels
        return tuple((v.astype(str).to_numpy(object)[:, None] == levels).astype(float) for v in (train, test))


def is_number(column: pd.Series) -> bool:
    """Whether a feature is used as a number: numbers and truth values are, labels and categories are not."""
    return pd.api.types.is_numeric_dtype(column.dtype)
