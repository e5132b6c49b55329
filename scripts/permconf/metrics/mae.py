"""Mean absolute error."""

import numpy as np

from permconf.metrics import Metric


def mae_values(Y, scores):
    """Mean absolute error of every column."""
    return np.mean(np.abs(Y - scores), axis=0)


METRIC = Metric(mae_values, task="regression", larger_is_better=False)
