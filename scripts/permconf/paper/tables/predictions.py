"""Test-set predictions of the stress study, for the tests of other packages."""

import numpy as np
from scipy.special import expit

from permconf.learners import make_learner
from permconf.method.nulls import observed_scores
from permconf.method.random_streams import Streams
from permconf.paper.tables.stress_cells import TESTS
from permconf.study.assessments import dataset_split

N_TEST = 100


def with_predictions(tests, count):
    """The rows of a table of tests for the first `count` data sets whose test set has N_TEST rows."""
    return tests[(tests["n_test"] == N_TEST) & (tests["status"] == "ok")].head(count)


def predictions(datasets, tests, analysis, *, seed):
    """Columns with one entry per data set, for the data sets in rows of the table of tests.

    dataset; y, c and yhat (response, confounder and predicted probability of class 1 of the test rows); and the
    p-values of TESTS.
    """
    learner = make_learner(analysis["learner"])
    tests = tests.set_index("dataset")
    rows = [_test_rows(d, analysis, learner, Streams(seed, analysis["stream"], d.number)) for d in datasets]
    y, c, yhat = (np.array(part) for part in zip(*rows, strict=True))
    p = {f"{test}_p": tests[f"{test}_p"].to_numpy() for test in TESTS}
    return {"dataset": tests.index.to_numpy(), "y": y, "c": c, "yhat": yhat, **p}


def _test_rows(dataset, analysis, learner, streams):
    """Response, confounder and predicted probability of class 1 of the test rows."""
    split = dataset_split(dataset, analysis, streams, task="classification")
    return split.y_test, split.c_test, expit(observed_scores(split, learner, streams).values[:, 0])
