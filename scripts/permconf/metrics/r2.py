"""Coefficient of determination: 1 minus mean squared error over variance of the response."""

import numpy as np

from permconf.metrics import Metric
from permconf.metrics._classes import ratio
from permconf.metrics.mse import METRIC as MSE


def r2_values(Y, scores):
    """R squared of every column; NaN where the response is constant."""
    return 1 - ratio(MSE.values(Y, scores), np.var(Y, axis=0))


def weighted_r2(y, scores, weights):
    """Weighted R squared, for every column of weights."""
    total = weights.sum(axis=0)
    centred = y - y.mean()  # against rounding
    variance = centred**2 @ weights / total - (centred @ weights / total) ** 2
    return 1 - ratio((y - scores) ** 2 @ weights / total, variance)


METRIC = Metric(r2_values, task="regression", weighted=weighted_r2, pooled="rows")
