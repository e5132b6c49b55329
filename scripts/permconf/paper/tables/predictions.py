"""Test-set predictions of the stress study, for the tests of other packages."""

from itertools import islice

import numpy as np
from scipy.special import expit

from permconf.learners import make_learner
from permconf.method.random_streams import Streams
from permconf.method.split import encode_response
from permconf.paper.tables.stress import TESTS
from permconf.study.assessments import split_rows

N_TEST = 100


def predictions(datasets, tests, analysis, *, count, seed):
    """Columns with one entry per data set: the first `count` whose test set has N_TEST rows.

    dataset; y, c and yhat (response, confounder and predicted probability of class 1 of the test rows); and the
    p-values of TESTS. `tests` is the table of tests of the data sets.
    """
    learner = make_learner(analysis["learner"])
    tests = tests[(tests["n_test"] == N_TEST) & (tests["status"] == "ok")].head(count).set_index("dataset")
    chosen = islice((dataset for dataset in datasets if dataset.number in tests.index), len(tests))
    rows = [_test_rows(d, analysis["split"], learner, Streams(seed, analysis["stream"], d.number)) for d in chosen]
    y, c, yhat = (np.array(part) for part in zip(*rows, strict=True))
    p = {f"{test}_p": tests[f"{test}_p"].to_numpy() for test in TESTS}
    return {"dataset": tests.index.to_numpy(), "y": y, "c": c, "yhat": yhat, **p}


def _test_rows(dataset, split, learner, streams):
    """Response, confounder and predicted probability of class 1 of the test rows."""
    train, test = split_rows(dataset, split, streams)
    y_train, y_test = encode_response(dataset.y[train], dataset.y[test], "classification")
    keys = streams.keys("observed/learner", 1)
    scores = learner.scores(dataset.X[train], y_train[:, None], dataset.X[test], keys)
    return y_test, dataset.c[test], expit(scores.values[:, 0])
