"""NAME: Cohen's kappa of the predicted classes. A metric gives one value for each of the b columns of a batch."""

import numpy as np

from permconf.metrics import Metric


def values(Y, scores):
    """Values (b,) of responses Y (m, b), coded 0 and 1, and scores (m, b), which are positive for class 1."""
    return _kappa(Y, scores, np.ones(Y.shape))


def weighted(y, scores, weights):
    """Values of one response y (m,) with row weights (m, b): a row with weight 2 counts as two rows."""
    return _kappa(y[:, None], scores[:, None], weights)


def _kappa(Y, scores, weights):
    if scores.ndim > 2:
        raise ValueError("NAME is for two classes")
    predicted, total = scores > 0, weights.sum(axis=0)
    cases, called = ((weights * one).sum(axis=0) / total for one in (Y, predicted))
    agreement = (weights * (predicted == Y)).sum(axis=0) / total
    by_chance = cases * called + (1 - cases) * (1 - called)
    return (agreement - by_chance) / (1 - by_chance)


METRIC = Metric(values, task="classification", weighted=weighted)
