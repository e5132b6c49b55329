"""Brier score: mean squared difference of probability and class, summed over classes if there are more than two."""

import numpy as np

from permconf.metrics import Metric


def brier_rows(Y, probabilities):
    """Squared difference of every row (m, b); probabilities are of class 1 (m, b), or of every class (m, b, K)."""
    if probabilities.ndim == 2:
        return (Y - probabilities) ** 2
    actual = Y[..., None] == np.arange(probabilities.shape[2])
    return np.sum((actual - probabilities) ** 2, axis=2)


def brier_values(Y, probabilities):
    """Brier score of every column."""
    return brier_rows(Y, probabilities).mean(axis=0)


def weighted_brier(y, probabilities, weights):
    """Weighted Brier score, for every column of weights."""
    return brier_rows(y[:, None], probabilities[:, None])[:, 0] @ weights / weights.sum(axis=0)


METRIC = Metric(
    brier_values,
    task="classification",
    larger_is_better=False,
    weighted=weighted_brier,
    link="log",
    needs="probabilities",
    pooled="rows",
)
