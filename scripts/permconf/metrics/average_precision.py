"""Average precision: precision at each score, weighted by the increase in recall that goes with it."""

import numpy as np
from numba import njit

from permconf.metrics import Metric
from permconf.metrics._classes import one_against_rest, ratio


@njit(cache=True, nogil=True)
def _average_precision(Y, scores, out):
    """Rows from the highest score to the lowest; equal scores enter together."""
    m, b = Y.shape
    for k in range(b):
        order = np.argsort(-scores[:, k])
        total, hits, before = 0.0, 0, 0
        for place in range(m):
            hits += Y[order[place], k]
            if place + 1 == m or scores[order[place + 1], k] != scores[order[place], k]:
                total += (hits - before) * (hits / (place + 1))
                before = hits
        out[k] = total / hits if hits > 0 else np.nan


@one_against_rest
def average_precision_values(Y, scores):
    """Average precision of every column; NaN where a column has no row of class 1."""
    out = np.empty(Y.shape[1])
    _average_precision(Y, scores, out)
    return out


@one_against_rest
def weighted_average_precision(y, scores, weights):
    """Weighted average precision, for every column of weights."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)  # of each set of equal scores
    weights = weights[order]
    hits = np.cumsum(weights * y[order, None], axis=0)[last]
    precision = hits / np.maximum(np.cumsum(weights, axis=0)[last], 1e-300)
    return ratio(np.sum(np.diff(hits, axis=0, prepend=0.0) * precision, axis=0), hits[-1])


METRIC = Metric(
    average_precision_values,
    task="classification",
    weighted=weighted_average_precision,
    link="logit",
    needs="order",
    pooled="cases",
)
