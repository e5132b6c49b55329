"""Cost of the tests for confounding: processor time per data set, by test size."""

import time
from functools import partial

import pandas as pd

from permconf.generators.bernoulli_gaussian import sample
from permconf.learners import make_learner
from permconf.method.combined_test import association_p
from permconf.method.confounder_tests import shuffle_confounder
from permconf.method.nulls import permutation_null
from permconf.method.random_streams import Streams
from permconf.method.split import Split
from permconf.metrics import make_metric

TRAIN_ROWS, TEST_ROWS, REPEATS = 100, (20, 100, 1000), 7
ASSOCIATED = {"p11": 0.42, "p10": 0.07, "p01": 0.07, "p00": 0.44}


def timed_tests(split, streams):
    """Name, number of fits (as text) and function of each test."""
    engine = {"learner": make_learner("logistic"), "metrics": {"auc": make_metric("auc")}, "streams": streams}

    def shuffle(kind, shuffles, inner):
        return partial(shuffle_confounder, split, kind, shuffles=shuffles, inner=inner, **engine)

    restricted = (split, "restricted", engine["learner"], engine["metrics"], streams, len(split.y_test))
    return [
        ("paper's test", "test size", partial(permutation_null, *restricted)),
        ("Algorithm 2, 99 shuffles, 2 inner draws", "200", shuffle("algorithm2", 99, 2)),
        ("conditional, 99 shuffles, 2 inner draws", "200", shuffle("conditional", 99, 2)),
        ("conditional, 999 shuffles, 12 inner draws", "12,000", shuffle("conditional", 999, 12)),
        ("association of C and Y, 999 permutations", "0", partial(association_p, split, streams)),
    ]


def best_milliseconds(function):
    """Processor time of the fastest of several calls, after a warm-up call."""
    times = []
    for _ in range(1 + REPEATS):
        start = time.process_time()
        function()
        times.append(1000 * (time.process_time() - start))
    return min(times[1:])


def cost_table():
    """Milliseconds per data set of every test, by test size."""
    rows = []
    for n_test in TEST_ROWS:
        streams = Streams(1, "cost")
        parameters = {"n": TRAIN_ROWS + n_test, **ASSOCIATED, "beta": 0.5, "theta": 0.5, "rho": 0.5, "features": 3}
        X, y, c = sample(streams.rng("data"), **parameters)
        split = Split.of(X, y, c, slice(0, TRAIN_ROWS), slice(TRAIN_ROWS, None))
        rows += [(test, fits, n_test, best_milliseconds(call)) for test, fits, call in timed_tests(split, streams)]
    return pd.DataFrame(rows, columns=["test", "fits", "n_test", "milliseconds"])
