"""Mean squared error."""

import numpy as np

from permconf.metrics import Metric


def mse_values(Y, scores):
    """Mean squared error of every column."""
    return np.mean((Y - scores) ** 2, axis=0)


def weighted_mse(y, scores, weights):
    """Weighted mean squared error, for every column of weights."""
    return (y - scores) ** 2 @ weights / weights.sum(axis=0)


METRIC = Metric(mse_values, task="regression", larger_is_better=False, weighted=weighted_mse, link="log", pooled="rows")
