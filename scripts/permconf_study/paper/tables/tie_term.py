"""Effect of tied scores on the analytic null of the AUC (paper, Section 2.4, footnote)."""

import numpy as np

from permconf.engine.nulls import observed_scores
from permconf.learners import make_learner
from permconf.metrics.auc import auc_null
from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import dataset_split


def tie_terms(datasets, analysis, *, seed):
    """Standard deviation of the AUC's null without and with the term for ties, for the fit of each data set.

    Returns columns: dataset, n_test, tied (share of test samples with a tied score), plain_sd, tie_sd.
    """
    learner = make_learner(analysis["learner"])
    rows = [_tie_row(d, analysis, learner, Streams(seed, analysis["stream"], d.number)) for d in datasets]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _tie_row(dataset, analysis, learner, streams):
    split = dataset_split(dataset, analysis, streams, task="classification")
    scores = observed_scores(split, learner, streams).values[:, 0]
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    return {
        "dataset": dataset.number,
        "n_test": len(split.y_test),
        "tied": float(np.mean(sizes[group] > 1)),
        "plain_sd": auc_null(split.y_test).sd,
        "tie_sd": auc_null(split.y_test, scores).sd,
    }
