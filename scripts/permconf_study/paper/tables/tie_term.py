"""Effect of tied scores on the analytic null of the AUC (paper, Section 2.4, footnote)."""

import numpy as np

from permconf.metrics.auc import auc_null
from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import dataset_sample, evaluate_sample


def tie_terms(datasets, analysis, *, seed):
    """Standard deviation of the AUC's null without and with the term for ties, for the fit of each data set.

    Returns columns: dataset, n_test, tied (share of test samples with a tied score), plain_sd, tie_sd.
    """
    rows = [_tie_row(d, analysis, Streams(seed, analysis["stream"], d.number)) for d in datasets]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _tie_row(dataset, analysis, streams):
    evaluation = evaluate_sample(dataset_sample(dataset, analysis, "classification"), analysis, streams)
    y, scores = evaluation.part("test").response.values, evaluation.scores[0].values[:, 0]
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    return {
        "dataset": dataset.number,
        "n_test": len(y),
        "tied": float(np.mean(sizes[group] > 1)),
        "plain_sd": auc_null(y).sd,
        "tie_sd": auc_null(y, scores).sd,
    }
