"""Mean absolute error."""

import numpy as np

from permconf.metrics import Metric


def mae_values(Y, scores):
    """Mean absolute error of every column."""
    return np.mean(np.abs(Y - scores), axis=0)


def weighted_mae(y, scores, weights):
    """Weighted mean absolute error, for every column of weights."""
    return np.abs(y - scores) @ weights / weights.sum(axis=0)


METRIC = Metric(mae_values, task="regression", larger_is_better=False, weighted=weighted_mae, link="log", pooled="rows")
