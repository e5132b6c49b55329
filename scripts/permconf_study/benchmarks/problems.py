"""The data sets that are timed: like those of experiment 1, split in half, with permuted responses."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from permconf.data.sample import Sample
from permconf.engine.evaluate import Evaluation, evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.permute.random_streams import Streams
from permconf.permute.shuffles import restricted_shuffle


class Sets(NamedTuple):
    """Features, response and confounder of a training and of a test set."""

    X_train: np.ndarray
    y_train: np.ndarray
    c_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    c_test: np.ndarray

    def evaluated(self, learner: Any, metrics: dict) -> Evaluation:
        """The learner, trained on one set and evaluated on the other."""
        X, y, c = (np.concatenate(pair) for pair in zip(self[:3], self[3:], strict=True))
        folds = Folds.split(*np.split(np.arange(len(y)), [len(self.y_train)]))
        return evaluate(Sample.of(X, y, c), folds, learner=learner, metrics=metrics, streams=Streams(1))


@dataclass(frozen=True)
class Problem:
    """A training and a test set, and b restricted permutations of their responses, the same for every competitor."""

    split: Sets
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
    split = Sets(*(v[rows] for rows in (slice(0, n // 2), slice(n // 2, n)) for v in (X, y, c)))
    columns = [
        restricted_shuffle(v, u, b, rng=streams.rng(f"labels/{part}"))
        for part, v, u in (("train", split.y_train, split.c_train), ("test", split.y_test, split.c_test))
    ]
    return Problem(split, *columns)
