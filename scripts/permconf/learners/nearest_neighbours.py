"""k nearest neighbours, which depend on the features only and are found once for all permutations."""

from dataclasses import dataclass

import numpy as np

from permconf.engine.contracts import class_count
from permconf.options import whole_number


@dataclass(frozen=True)
class NearestNeighbours:
    """Share of class 1 (or mean response) among the `k` nearest training rows, in Euclidean distance."""

    k: int = 5

    score_kind = "probability_minus_half"
    encoding = "standardised"

    def __post_init__(self):
        whole_number(self.k, "k of nearest_neighbours", least=1)

    def scores(self, X_train, Y_train, X_test, keys):
        """Shares of class 1 minus 1/2, or of every class if there are more than two; means in regression."""
        from scipy.spatial import KDTree  # slow to import, and few studies need it

        if self.k > len(X_train):
            raise ValueError(f"nearest_neighbours: k = {self.k} is more than the {len(X_train)} training rows")
        _, neighbours = KDTree(X_train).query(X_test, range(1, self.k + 1))
        classes = class_count(Y_train)
        if not classes:
            return _neighbour_sums(neighbours, Y_train) / self.k
        if classes <= 2:
            return _neighbour_sums(neighbours, Y_train) / self.k - 0.5
        return np.stack([_neighbour_sums(neighbours, Y_train == code) for code in range(classes)], axis=2) / self.k


def _neighbour_sums(neighbours, Y):
    """Sum of the response over the neighbours of each test row, for every column."""
    total = np.zeros((neighbours.shape[0], Y.shape[1]))
    for column in neighbours.T:
        total += Y[column]
    return total


LEARNER = NearestNeighbours
