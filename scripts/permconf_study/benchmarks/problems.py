"""The data sets that are timed: like those of experiment 1, split in half, with permuted responses."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf.data.sample import Sample
from permconf.engine.evaluate import Evaluation, evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.permute.random_streams import Streams
from permconf.permute.shuffles import restricted_shuffle


@dataclass(frozen=True)
class Problem:
    """Features, response and confounder, half of the rows for training.

    `Y_train` and `Y_test` are b restricted permutations of the response, the same for every competitor.
    """

    X: np.ndarray
    y: np.ndarray
    c: np.ndarray
    Y_train: np.ndarray
    Y_test: np.ndarray

    @property
    def rows(self) -> list[np.ndarray]:
        """Numbers of the training and of the test rows."""
        return np.split(np.arange(len(self.y)), [len(self.Y_train)])

    @property
    def sets(self) -> list[np.ndarray]:
        """X, y and c of the training rows, then of the test rows."""
        return [v[part] for part in self.rows for v in (self.X, self.y, self.c)]

    @property
    def size(self) -> str:
        """Training rows (there are as many test rows) and features."""
        return f"{len(self.Y_train):,} x {self.X.shape[1]}"

    def evaluated(self, learner: Any, metrics: dict) -> Evaluation:
        """The learner, trained on one half and evaluated on the other."""
        data = Sample.of(self.X, self.y, self.c)
        return evaluate(data, Folds.split(*self.rows), learner=learner, metrics=metrics, streams=Streams(1))


def problem(n, b, *, features=10):
    """Confounded data with n rows and b permuted responses."""
    streams = Streams(1, "benchmark", n)
    cells = {"p11": 0.42, "p10": 0.06, "p01": 0.1, "p00": 0.42}
    X, y, c = sample(streams.rng("data"), n=n, **cells, beta=0.5, theta=0.5, rho=0.5, features=features)
    permuted = (
        restricted_shuffle(y[rows], c[rows], b, rng=streams.rng(f"labels/{part}"))
        for part, rows in (("train", slice(0, n // 2)), ("test", slice(n // 2, n)))
    )
    return Problem(X, y, c, *permuted)
