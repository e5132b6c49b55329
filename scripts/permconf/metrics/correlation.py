"""Pearson correlation of response and score."""

import numpy as np

from permconf.metrics import Metric


def correlation_values(Y, scores):
    """Correlation of every column."""
    Y = Y - Y.mean(axis=0)
    scores = scores - scores.mean(axis=0)
    return np.sum(Y * scores, axis=0) / np.sqrt(np.sum(Y**2, axis=0) * np.sum(scores**2, axis=0))


def correlation_factors(y, scores):
    """Scores and response, centred and of length one: their inner product is the correlation."""
    return _standardised(scores), _standardised(y)


def _standardised(v):
    v = v - v.mean()
    return v / np.sqrt(np.sum(v**2))


METRIC = Metric(correlation_values, task="regression", factors=correlation_factors)
