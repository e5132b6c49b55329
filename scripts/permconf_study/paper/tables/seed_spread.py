"""How far p-values move with the seed: the same data sets, tested with several seeds."""

from functools import partial

import numpy as np
import pandas as pd

from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.inference.confounder_tests import conditional_test
from permconf.inference.prediction_test import prediction_test
from permconf.permute.random_streams import Streams

DATASETS, SEEDS, TRAIN_ROWS, TEST_ROWS = 30, 20, 100, 100
PARAMETERS = {"p11": 0.42, "p10": 0.07, "p01": 0.07, "p00": 0.44, "beta": 0.5, "theta": 0.3, "rho": 0.5, "features": 3}


def seeded_tests(arrays, scores):
    """Name and number of permutations of each test, and the test as a function of its seed."""
    for inner in (2, 12):
        yield f"conditional, 999 shuffles, {inner} inner draws", 999, partial(conditional_test, *arrays, inner=inner)
    rows = scores, *arrays[4:]
    for b in (999, 9999):
        yield f"prediction, {b:,} permutations", b, partial(prediction_test, *rows, permutations=b, shape="linear")


def spread_table():
    """By test: median and largest standard deviation of p over seeds, and the mean range from smallest to largest p.

    `monte_carlo` is the largest standard deviation that counting this many permutations leaves, sqrt(p (1 - p) / b).
    """
    p: dict[tuple, list] = {}
    for number in range(DATASETS):
        streams = Streams(1, "seed spread", number)
        X, y, c = sample(streams.rng("data"), n=TRAIN_ROWS + TEST_ROWS, **PARAMETERS)
        rows = np.split(np.arange(len(y)), [TRAIN_ROWS])
        fitted = evaluate(Sample.of(X, y, c), Folds.split(*rows), learner="logistic", metrics={}, streams=streams)
        arrays = [v[part] for part in rows for v in (X, y, c)]
        for name, b, test in seeded_tests(arrays, fitted.scores[0].values[:, 0]):
            p.setdefault((name, b), []).append([test(seed=seed).p for seed in range(SEEDS)])
    return pd.DataFrame([_spread(name, b, np.array(values)) for (name, b), values in p.items()])


def _spread(name, b, p):
    sd, mean = p.std(axis=1, ddof=1), p.mean(axis=1)
    return {
        "test": name,
        "n_datasets": len(p),
        "median_sd": np.median(sd),
        "largest_sd": sd.max(),
        "mean_range": np.mean(np.ptp(p, axis=1)),
        "monte_carlo": np.sqrt(mean * (1 - mean) / b).max(),
    }
