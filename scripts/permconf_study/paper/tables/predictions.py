"""Test-set predictions of the stress study, for the tests of other packages."""

from itertools import islice

import numpy as np
from scipy.special import expit

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.stress_cells import TESTS
from permconf_study.study.assessments import dataset_sample, evaluate_sample

N_TEST = 100


def predicted(datasets, tests, analysis, *, count, seed):
    """Columns with one entry per data set: the first `count` whose test set has N_TEST rows.

    dataset; y, c and yhat (response, confounder and predicted probability of class 1 of the test rows); and the
    p-values of TESTS. `tests` is the table of tests of the data sets.
    """
    tests = tests[(tests["n_test"] == N_TEST) & (tests["status"] == "ok")].head(count).set_index("dataset")
    chosen = islice((dataset for dataset in datasets if dataset.number in tests.index), len(tests))
    rows = []
    for dataset in chosen:
        streams = Streams(seed, analysis["stream"], dataset.number)
        evaluation = evaluate_sample(dataset_sample(dataset, analysis, "classification"), analysis, streams)
        test = evaluation.part("test")
        rows.append((test.response.values, test.confounders.labels, expit(evaluation.scores[0].values[:, 0])))
    y, c, yhat = (np.array(part) for part in zip(*rows, strict=True))
    p = {f"{test}_p": tests[f"{test}_p"].to_numpy() for test in TESTS}
    return {"dataset": tests.index.to_numpy(), "y": y, "c": c, "yhat": yhat, **p}
