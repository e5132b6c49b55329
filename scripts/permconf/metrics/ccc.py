"""Concordance correlation coefficient (Lin 1989), with divisor n in variances and covariance."""

import numpy as np

from permconf.metrics import Metric


def ccc_values(Y, scores):
    """Concordance correlation of every column."""
    covariance = np.mean((Y - Y.mean(axis=0)) * (scores - scores.mean(axis=0)), axis=0)
    spread = Y.var(axis=0) + scores.var(axis=0) + (Y.mean(axis=0) - scores.mean(axis=0)) ** 2
    return 2 * covariance / spread


METRIC = Metric(ccc_values, task="regression")
