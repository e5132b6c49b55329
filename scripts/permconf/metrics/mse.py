"""Mean squared error."""

import numpy as np

from permconf.metrics import Metric


def mse_values(Y, scores):
    """Mean squared error of every column."""
    return np.mean((Y - scores) ** 2, axis=0)


METRIC = Metric(mse_values, task="regression", larger_is_better=False)
