"""Area under the ROC curve: the share of (case, control) pairs that the scores put in order, ties counting half."""

import math

import numpy as np
from numba import njit

from permconf.metrics import Metric, Moments

_PAIRWISE_LIMIT = 40_000  # pairs up to which comparing them all is faster than sorting


@njit(cache=True, nogil=True)
def _ordered_pairs_twice(cases, controls):
    """Twice the number of pairs in order, by comparing all of them: cheap because it runs in vector registers."""
    count = 0
    for i in range(cases.size):
        score = cases[i]
        for j in range(controls.size):  # indices, not elements: iterating an array keeps numba from vectorising
            count += score > controls[j]
            count += score >= controls[j]
    return count


@njit(cache=True, nogil=True)
def _ordered_pairs_twice_sorted(cases, controls):
    """The same from sorted scores."""
    cases.sort()
    controls.sort()
    below = at_most = count = 0
    for score in cases:
        while below < controls.size and controls[below] < score:
            below += 1
        at_most = max(at_most, below)
        while at_most < controls.size and controls[at_most] <= score:
            at_most += 1
        count += below + at_most
    return count


@njit(cache=True, nogil=True)
def _auc_columns(Y, scores, out):
    m, b = Y.shape
    cases, controls = np.empty(m), np.empty(m)
    for k in range(b):
        n_cases = n_controls = 0
        for i in range(m):
            y, score = Y[i, k], scores[i, k]
            cases[n_cases] = score
            controls[n_controls] = score
            n_cases += y
            n_controls += 1 - y
        pairs = n_cases * n_controls
        if pairs == 0:
            out[k] = np.nan
        elif pairs <= _PAIRWISE_LIMIT:
            out[k] = _ordered_pairs_twice(cases[:n_cases], controls[:n_controls]) / (2 * pairs)
        else:
            out[k] = _ordered_pairs_twice_sorted(cases[:n_cases], controls[:n_controls]) / (2 * pairs)


def auc_values(Y, scores):
    """AUC of every column; NaN where a column has one class only."""
    if Y.size and Y.max() > 1:
        raise ValueError(f"the AUC needs two classes, the response has {Y.max() + 1}")
    out = np.empty(Y.shape[1])
    _auc_columns(Y, scores, out)
    return out


def auc_null(y_test, scores=None):
    """Moments of the AUC for unrelated labels and scores (paper, Section 2.4); with `scores`, corrected for ties."""
    positive = int(np.sum(y_test))
    negative = len(y_test) - positive
    pairs = negative * positive
    if pairs == 0:
        raise ValueError("the test set has one class only, so the AUC is not defined")
    variance = (negative + positive + 1) / (12 * pairs)
    if scores is not None:
        n = negative + positive
        ties = np.unique(scores, return_counts=True)[1].astype(float)
        variance -= float(np.sum(ties**3 - ties)) / (12 * n * (n - 1) * pairs)
    return Moments(0.5, math.sqrt(variance))


METRIC = Metric(auc_values, task="classification", analytic_null=auc_null)
