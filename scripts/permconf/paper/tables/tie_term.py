"""How much ties among the scores change the analytic null of the AUC (paper, Section 2.4, footnote)."""

import numpy as np

from permconf.learners import make_learner
from permconf.method.random_streams import Streams
from permconf.method.split import encode_response
from permconf.metrics.auc import auc_null
from permconf.study.assessments import split_rows


def tie_terms(datasets, analysis, *, seed):
    """Standard deviation of the AUC's null without and with the term for ties, for the fit of each data set.

    Returns columns: dataset, n_test, tied (share of test samples whose score another one has), plain_sd, tie_sd.
    """
    learner = make_learner(analysis["learner"])
    rows = [_tie_row(d, analysis, learner, Streams(seed, analysis["stream"], d.number)) for d in datasets]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _tie_row(dataset, analysis, learner, streams):
    train, test = split_rows(dataset, analysis["split"], streams)
    y_train, y_test = encode_response(dataset.y[train], dataset.y[test], "classification")
    keys = streams.keys("observed/learner", 1)
    scores = learner.scores(dataset.X[train], y_train[:, None], dataset.X[test], keys)[:, 0]
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    return {
        "dataset": dataset.number,
        "n_test": len(y_test),
        "tied": float(np.mean(sizes[group] > 1)),
        "plain_sd": auc_null(y_test).sd,
        "tie_sd": auc_null(y_test, scores).sd,
    }
