"""Processor time of the engine and of its competitors, measured alternately."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Contender:
    """What is timed: `run(b)` works through b permutations and returns its seconds and, if it has them, the AUCs."""

    name: str
    run: Callable
    b: int


def in_this_process(name, values, b):
    """A contender whose `values(b)` is a call in this process. Processor time adds up all threads."""

    def run(b):
        start = time.process_time()
        result = values(b)
        return time.process_time() - start, result

    return Contender(name, run, b)


@dataclass(frozen=True)
class Times:
    """Seconds (rounds, contenders), and the AUCs of each contender."""

    seconds: np.ndarray
    values: list = field(repr=False)

    def divided_by(self, numbers):
        """Times per permutation."""
        return Times(self.seconds / numbers, self.values)

    def median(self, k):
        """Median seconds of contender k."""
        return float(np.median(self.seconds[:, k]))

    def ratio(self, k, engine=0):
        """Median and quartiles, over rounds, of the seconds of contender k divided by those of the engine."""
        return np.quantile(self.seconds[:, k] / self.seconds[:, engine], [0.5, 0.25, 0.75])


def alternately(contenders, rounds):
    """Times of the contenders: after a short call of each, every round runs one after the other."""
    for one in contenders:
        one.run(min(2, one.b))
    outcomes = [[one.run(one.b) for one in contenders] for _ in range(rounds)]
    return Times(np.array([[seconds for seconds, _ in row] for row in outcomes]), [values for _, values in outcomes[0]])
