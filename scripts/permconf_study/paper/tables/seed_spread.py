"""How far p-values move with the seed: the same data sets, tested with several seeds."""

import numpy as np
import pandas as pd

from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.inference.algorithm2 import conditional_test
from permconf.inference.prediction_test import prediction_test
from permconf.permute.random_streams import Streams

DATASETS, SEEDS, TRAIN_ROWS, TEST_ROWS = 30, 20, 100, 100
PARAMETERS = {"p11": 0.42, "p10": 0.07, "p01": 0.07, "p00": 0.44, "beta": 0.5, "theta": 0.3, "rho": 0.5, "features": 3}


def tested(arrays, scores):
    """The p-value as a function of the seed, by test."""
    y_test, c_test = arrays[4], arrays[5]
    tests = {
        f"conditional, 999 shuffles, {inner} inner draws": lambda seed, inner=inner: conditional_test(
            *arrays, inner=inner, seed=seed
        )
        for inner in (2, 12)
    }
    return tests | {
        f"prediction, {permutations:,} permutations": lambda seed, permutations=permutations: prediction_test(
            scores, y_test, c_test, permutations=permutations, seed=seed
        )
        for permutations in (999, 9999)
    }


def spread_table():
    """By test: median and largest standard deviation of p over seeds, and the mean range from smallest to largest p.

    `monte_carlo` is the largest standard deviation that counting so many permutations leaves, sqrt(p (1 - p) / b).
    """
    p: dict[str, list] = {}
    for number in range(DATASETS):
        streams = Streams(1, "seed spread", number)
        X, y, c = sample(streams.rng("data"), n=TRAIN_ROWS + TEST_ROWS, **PARAMETERS)
        rows = np.split(np.arange(len(y)), [TRAIN_ROWS])
        fitted = evaluate(Sample.of(X, y, c), Folds.split(*rows), learner="logistic", metrics={}, streams=streams)
        arrays = [v[part] for part in rows for v in (X, y, c)]
        for name, test in tested(arrays, fitted.scores[0].values[:, 0]).items():
            p.setdefault(name, []).append([test(seed).p for seed in range(SEEDS)])
    return pd.DataFrame([_spread(name, np.array(values)) for name, values in p.items()])


def _spread(name, p):
    sd, b = p.std(axis=1, ddof=1), int(name.split(", ")[1].split()[0].replace(",", ""))
    mean = p.mean(axis=1)
    return {
        "test": name,
        "n_datasets": len(p),
        "median_sd": np.median(sd),
        "largest_sd": sd.max(),
        "mean_range": np.mean(np.ptp(p, axis=1)),
        "monte_carlo": np.sqrt(mean * (1 - mean) / b).max(),
    }
