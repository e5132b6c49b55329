"""Brier score: mean squared difference of probability and class, summed over classes if there are more than two."""

import numpy as np

from permconf.metrics import Metric


def brier_rows(Y, probabilities):
    """Squared difference of every row (m, b); probabilities are of class 1 (m, b), or of every class (m, b, K)."""
    if probabilities.ndim == 2:
        return (Y - probabilities) ** 2
    actual = Y[..., None] == np.arange(probabilities.shape[2])
    return np.sum((actual - probabilities) ** 2, axis=2)


METRIC = Metric.of_rows(brier_rows, task="classification", larger_is_better=False, link="log", needs="probabilities")
