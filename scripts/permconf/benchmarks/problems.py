"""The problems that are timed, and the timer."""

import statistics
import time
from dataclasses import dataclass

import numpy as np

from permconf.generators.bernoulli_gaussian import sample
from permconf.method.random_streams import Streams
from permconf.method.shuffles import restricted_shuffle
from permconf.method.split import Split


@dataclass(frozen=True)
class Problem:
    """A data set like those of experiment 1, split in half, with b restricted permutations of its response."""

    n: int
    b: int
    split: Split
    Y_train: np.ndarray
    Y_test: np.ndarray


def problem(n, b, *, features=10, seed=1):
    """Confounded data with n rows and b permuted responses, the same for every competitor."""
    streams = Streams(seed, "benchmark", n)
    cells = {"p11": 0.42, "p10": 0.06, "p01": 0.1, "p00": 0.42}
    X, y, c = sample(streams.rng("data"), n=n, **cells, beta=0.5, theta=0.5, rho=0.5, features=features)
    half = n // 2
    split = Split.of(X, y, c, slice(0, half), slice(half, n))
    columns = [
        restricted_shuffle(v, u, b, rng=streams.rng(f"labels/{part}"))
        for part, v, u in (("train", split.y_train, split.c_train), ("test", split.y_test, split.c_test))
    ]
    return Problem(n, b, split, *columns)


def median_seconds(run, *, repeats, budget=20.0):
    """Median duration of `run()` over repeats, after a warm-up call; stops early when over budget."""
    run()
    durations: list[float] = []
    while len(durations) < repeats and (len(durations) < 3 or sum(durations) < budget):
        start = time.perf_counter()
        run()
        durations.append(time.perf_counter() - start)
    return statistics.median(durations)
