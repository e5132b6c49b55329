"""k nearest neighbours, which depend on the features only and are found once for all permutations."""

from dataclasses import dataclass

import numpy as np

from permconf.method.options import whole_number


@dataclass(frozen=True)
class NearestNeighbours:
    """Share of class 1 (or mean response) among the `k` nearest training rows, in Euclidean distance."""

    k: int = 5

    def __post_init__(self):
        whole_number(self.k, "k of nearest_neighbours", least=1)

    def scores(self, X_train, Y_train, X_test, keys):
        """Shares minus 1/2; the most frequent class if there are more than two; means in regression."""
        from sklearn.neighbors import NearestNeighbors

        if self.k > len(X_train):
            raise ValueError(f"nearest_neighbours: k = {self.k} is more than the {len(X_train)} training rows")
        neighbours = NearestNeighbors(n_neighbors=self.k).fit(X_train).kneighbors(X_test, return_distance=False)
        if Y_train.dtype != np.uint8:
            return _neighbour_sums(neighbours, Y_train) / self.k
        classes = int(Y_train.max(initial=0)) + 1
        if classes <= 2:
            return _neighbour_sums(neighbours, Y_train) / self.k - 0.5
        votes = np.stack([_neighbour_sums(neighbours, Y_train == code) for code in range(classes)])
        return np.argmax(votes, axis=0).astype(np.float64)


def _neighbour_sums(neighbours, Y):
    """Sum of the response over the neighbours of each test row, for every column."""
    total = np.zeros((neighbours.shape[0], Y.shape[1]))
    for column in neighbours.T:
        total += Y[column]
    return total


LEARNER = NearestNeighbours
