"""Concordance correlation coefficient (Lin 1989), with divisor n in variances and covariance."""

import numpy as np

from permconf.metrics import Metric
from permconf.metrics.correlation import weighted_moments


def ccc_values(Y, scores):
    """Concordance correlation of every column."""
    covariance = np.mean((Y - Y.mean(axis=0)) * (scores - scores.mean(axis=0)), axis=0)
    spread = Y.var(axis=0) + scores.var(axis=0) + (Y.mean(axis=0) - scores.mean(axis=0)) ** 2
    return 2 * covariance / spread


def weighted_ccc(y, scores, weights):
    """Weighted concordance correlation, for every column of weights."""
    y_mean, score_mean, covariance = weighted_moments(y, scores, weights)
    return 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + (y_mean - score_mean) ** 2)


METRIC = Metric(ccc_values, task="regression", weighted=weighted_ccc, link="fisher", pooled="rows")
