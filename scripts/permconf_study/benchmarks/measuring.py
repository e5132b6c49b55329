"""Processor time of the engine and of its competitors, measured alternately."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Contender(NamedTuple):
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


def alternately(contenders, rounds):
    """Seconds per round and contender, and the AUCs of each: after a short call, they run one after the other."""
    for one in contenders:
        one.run(min(2, one.b))
    outcomes = [[one.run(one.b) for one in contenders] for _ in range(rounds)]
    return np.array([[seconds for seconds, _ in row] for row in outcomes]), [values for _, values in outcomes[0]]
