"""The data sets that are timed: like those of experiment 1, split in half, with permuted responses."""

from dataclasses import dataclass

import numpy as np

from permconf.data.split import Split
from permconf.generators.bernoulli_gaussian import sample
from permconf.permute.random_streams import Streams
from permconf.permute.shuffles import restricted_shuffle


@dataclass(frozen=True)
class Problem:
    """A training and a test set, and b restricted permutations of their responses, the same for every competitor."""

    split: Split
    Y_train: np.ndarray
    Y_test: np.ndarray

    @property
    def size(self):
        """Training rows (there are as many test rows) and features."""
        return "{:,} x {}".format(*self.split.X_train.shape)


def problem(n, b, *, features=10):
    """Confounded data with n rows and b permuted responses."""
    streams = Streams(1, "benchmark", n)
    cells = {"p11": 0.42, "p10": 0.06, "p01": 0.1, "p00": 0.42}
    X, y, c = sample(streams.rng("data"), n=n, **cells, beta=0.5, theta=0.5, rho=0.5, features=features)
    split = Split.of(X, y, c, slice(0, n // 2), slice(n // 2, n))
    columns = [
        restricted_shuffle(v, u, b, rng=streams.rng(f"labels/{part}"))
        for part, v, u in (("train", split.y_train, split.c_train), ("test", split.y_test, split.c_test))
    ]
    return Problem(split, *columns)
