"""Levels of a categorical variable: the confounder, or the response within whose levels a confounder is shuffled."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Levels:
    """Sorted values of the levels, the level (its index) of every row, and the number of rows in each level.

    `order` lists the rows level by level; level l owns the rows `order[starts[l]:starts[l + 1]]`.
    """

    values: np.ndarray
    codes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, c):
        return cls(*np.unique(c, return_inverse=True, return_counts=True))

    @classmethod
    def of_codes(cls, codes, count):
        """Levels of codes below `count`, without those that have no rows; nothing is sorted."""
        counts = np.bincount(codes, minlength=count)
        if (present := counts > 0).all():
            return cls(np.arange(counts.size), codes, counts)
        return cls(np.flatnonzero(present), (np.cumsum(present) - 1)[codes], counts[present])

    @classmethod
    def single(cls, n):
        """One level of n rows: permuting within it is the standard permutation."""
        return cls(np.zeros(1, np.int64), np.zeros(n, np.int64), np.array([n]))

    @cached_property
    def order(self):
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def starts(self):
        """Where each level begins in `order`, and the number of rows at the end."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    def sums(self, v):
        return np.bincount(self.codes, weights=v, minlength=self.counts.size)

    def fitted(self, v):
        """Mean of v in the level of each row."""
        return (self.sums(v) / self.counts)[self.codes]

    def indicators(self):
        """One column for every level: 1 for its rows, else 0."""
        return np.eye(self.counts.size)[self.codes]

    def pair_sums(self, A):
        """Sum of A over the rows and columns of each pair of levels."""
        indicator = self.indicators()
        return indicator.T @ A @ indicator
