"""Area under the ROC curve: the share of (case, control) pairs that the scores put in order, ties counting half."""

import math

import numpy as np
from numba import njit

from permconf.metrics import Metric, Moments
from permconf.metrics._classes import one_against_rest

_BUCKETS = 16_384  # at most
_BUCKET_LIMIT = 64  # controls in one bucket, from which sorting is faster
_COLUMNS_AT_ONCE = 32  # gathered together, since scores of one row are neighbours in memory


@njit(cache=True, nogil=True)
def _ordered_pairs_twice_sorted(cases, controls):
    """Twice the number of pairs in order, from sorted scores."""
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
def _ordered_pairs_twice_bucketed(cases, controls, low, high, starts, bucket, placed):
    """The same from buckets of equal width between `low` and `high`: only scores in one bucket need comparing.

    Rounding keeps the order of scores, so a lower bucket holds lower scores. Where many scores crowd into one bucket,
    or their range is nothing or infinite, they are sorted instead. The last three arrays are room to work in; what is
    used as an index is without a sign, which numba would look at.
    """
    width, last = high - low, starts.size - 2
    if not (0.0 < width < math.inf) or last / width == math.inf:
        return _ordered_pairs_twice_sorted(cases, controls)
    scale = last / width
    starts[:] = 0
    for j in range(controls.size):
        bucket[j] = np.int32((controls[j] - low) * scale)
    for j in range(controls.size):
        starts[bucket[j]] += 1
    fullest = total = np.uint32(0)
    for k in range(starts.size):
        fullest = max(fullest, starts[k])
        total += starts[k]
        starts[k] = total
    if fullest > _BUCKET_LIMIT:
        return _ordered_pairs_twice_sorted(cases, controls)
    for j in range(controls.size):  # an entry of `starts` falls from the end to the start of its bucket
        starts[bucket[j]] -= 1
        placed[starts[bucket[j]]] = controls[j]
    count, crowded, ends = 0, np.uint64(0), starts[1:]
    for i in range(cases.size):  # without a branch: most buckets have one control or none
        score, here = cases[i], np.uint32(np.int32((cases[i] - low) * scale))
        first, end = starts[here], ends[here]
        count += 2 * first + int(end > first) * (int(score > placed[first]) + int(score >= placed[first]))
        cases[crowded], bucket[crowded] = score, here
        crowded += np.uint64(end > first + 1)
    for i in range(crowded):
        for j in range(starts[bucket[i]] + 1, ends[bucket[i]]):
            count += int(cases[i] > placed[j]) + int(cases[i] >= placed[j])
    return count


@njit(cache=True, nogil=True)
def _auc_columns(Y, scores, out):
    m, b = Y.shape
    cases, controls = np.empty((_COLUMNS_AT_ONCE, m)), np.empty((_COLUMNS_AT_ONCE, m))
    low, high, n_cases = np.empty(_COLUMNS_AT_ONCE), np.empty(_COLUMNS_AT_ONCE), np.empty(_COLUMNS_AT_ONCE, np.uint64)
    room = np.empty(min(2 * m, _BUCKETS) + 1, np.uint32), np.empty(m, np.uint32), np.empty(m)
    for first in range(0, b, _COLUMNS_AT_ONCE):
        width = min(_COLUMNS_AT_ONCE, b - first)
        low[:], high[:], n_cases[:] = math.inf, -math.inf, 0
        for i in range(m):
            for k in range(width):
                score = scores[i, first + k]
                nothing = score - score  # NaN for what is not finite
                low[k] = min(low[k], score) + nothing
                high[k] = max(high[k], score) + nothing
            for k in range(width):
                y, score = Y[i, first + k], scores[i, first + k]
                cases[k, n_cases[k]] = score
                controls[k, np.uint64(i) - n_cases[k]] = score
                n_cases[k] += y
        for k in range(width):
            some, others = cases[k, : n_cases[k]], controls[k, : m - n_cases[k]]
            twice = _ordered_pairs_twice_bucketed(some, others, low[k], high[k], *room)
            pairs = some.size * others.size
            out[first + k] = twice / (2 * pairs) if pairs else np.nan


@one_against_rest
def auc_values(Y, scores):
    """AUC of every column, with several classes the mean over each against the rest; NaN where a class is missing."""
    out = np.empty(Y.shape[1])
    _auc_columns(Y, scores, out)
    return out


def auc_null(y_test, scores=None):
    """Moments of the AUC for unrelated labels and scores (paper, Section 2.4); with `scores`, corrected for ties.

    None if there are more than two classes.
    """
    if np.max(y_test, initial=0) > 1:
        return None
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


@njit(cache=True, nogil=True)
def _weighted_auc(y, weights, order, starts, out):
    """Rows in the order of their scores, tie by tie: each case is above the controls so far and half of those tied."""
    b = out.size
    cases, controls, tied = np.zeros(b), np.zeros(b), np.empty(b)
    out[:] = 0.0
    for tie in range(starts.size - 1):
        tied[:] = 0.0
        for place in range(starts[tie], starts[tie + 1]):
            if not y[order[place]]:
                tied += weights[order[place]]
        for place in range(starts[tie], starts[tie + 1]):
            if y[order[place]]:
                row = weights[order[place]]
                for k in range(b):
                    cases[k] += row[k]
                    out[k] += row[k] * (controls[k] + 0.5 * tied[k])
        controls += tied
    for k in range(b):
        pairs = cases[k] * controls[k]
        out[k] = out[k] / pairs if pairs > 0.0 else np.nan


@one_against_rest
def weighted_auc(y, scores, weights):
    """Weighted AUC, for every column of weights: a pair (case, control) weighs the product of its weights."""
    order = np.argsort(scores, kind="stable")
    starts = np.concatenate([[0], np.flatnonzero(np.diff(scores[order])) + 1, [len(order)]])
    out = np.empty(weights.shape[1])
    _weighted_auc(np.ascontiguousarray(y), np.ascontiguousarray(weights, np.float64), order, starts, out)
    return out


METRIC = Metric(
    auc_values,
    task="classification",
    analytic_null=auc_null,
    weighted=weighted_auc,
    link="logit",
    needs="order",
    pooled="pairs",
)
