"""Cost of the tests for confounding: processor time per data set, by test size."""

import time
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate, nulls
from permconf.engine.folds import Folds
from permconf.generators.bernoulli_gaussian import sample
from permconf.inference.association_test import association_test
from permconf.inference.confounder_tests import shuffle_confounder
from permconf.inference.prediction_test import prediction_test
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_metric

TRAIN_ROWS, TEST_ROWS, REPEATS = 100, (20, 100, 1000), 7
ENOUGH = 5000  # milliseconds after which a call is not repeated
ASSOCIATED = {"p11": 0.35, "p10": 0.15, "p01": 0.15, "p00": 0.35}  # every cell has rows at all sizes


def timed_tests(evaluation):
    """Name, number of fits (as text) and function of each test."""

    def shuffle(kind, shuffles, inner):
        return partial(shuffle_confounder, evaluation, kind, shuffles=shuffles, inner=inner)

    test, scores = evaluation.part("test"), evaluation.scores[0].values[:, 0]
    y, c = test.response.values, test.confounders.labels
    all_rows = evaluation.sample.response.values, evaluation.sample.confounders.labels
    return [
        ("paper's test", "test size", partial(nulls, evaluation, "restricted", len(test))),
        ("Algorithm 2, 99 shuffles, 2 inner draws", "200", shuffle("algorithm2", 99, 2)),
        ("conditional, 99 shuffles, 2 inner draws", "200", shuffle("conditional", 99, 2)),
        ("conditional, 999 shuffles, 12 inner draws", "12,000", shuffle("conditional", 999, 12)),
        (
            "conditional, 999 shuffles, as many inner draws as test rows",
            "1,000 x test size",
            shuffle("conditional", 999, len(test)),
        ),
        ("prediction, 999 permutations", "0", partial(prediction_test, scores, y, c, permutations=999)),
        ("prediction, 9,999 permutations", "0", partial(prediction_test, scores, y, c)),
        ("association, 999 permutations", "0", partial(association_test, *all_rows, permutations=999)),
        ("reweighted AUC, 200 bootstrap draws", "0", partial(reweighted_metric, y, scores, c, bootstrap=200)),
    ]


def best_milliseconds(function):
    """Processor time of the fastest of several calls, after a warm-up call; of the first if it takes seconds."""
    times: list[float] = []
    while len(times) <= REPEATS and sum(times) < ENOUGH:
        start = time.process_time()
        function()
        times.append(1000 * (time.process_time() - start))
    return min(times[1:] or times)


def cost_table():
    """Milliseconds per data set of every test, by test size."""
    rows = []
    for n_test in TEST_ROWS:
        streams = Streams(1, "cost")
        parameters = {"n": TRAIN_ROWS + n_test, **ASSOCIATED, "beta": 0.5, "theta": 0.5, "rho": 0.5, "features": 3}
        X, y, c = sample(streams.rng("data"), **parameters)
        folds = Folds.split(*np.split(np.arange(len(y)), [TRAIN_ROWS]))
        options: Any = {"learner": "logistic", "metrics": {"auc": make_metric("auc")}, "streams": streams}
        evaluation = evaluate(Sample.of(X, y, c), folds, **options)
        rows += [(test, fits, n_test, best_milliseconds(call)) for test, fits, call in timed_tests(evaluation)]
    return pd.DataFrame(rows, columns=["test", "fits", "n_test", "milliseconds"])
