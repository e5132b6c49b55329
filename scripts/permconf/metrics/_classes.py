"""Counts of rows by actual and predicted class, from which several metrics are made, and averages over classes."""

from functools import wraps

import numpy as np

from permconf.metrics import predicted_classes


def class_counts(Y, scores, weights=None):
    """Counts (b,) of hits, actual rows and predicted rows of each class: an array (K, 3, b).

    With `weights` (m, b), Y and scores hold one response, and rows count by their weight.
    """
    if weights is not None:
        Y, scores = Y[:, None], scores[:, None]
    predicted = predicted_classes(scores)
    classes = max(2 if scores.ndim == 2 else scores.shape[2], int(Y.max(initial=0)) + 1)

    def counted(rows):
        return rows.sum(axis=0, dtype=np.float64) if weights is None else rows[:, 0] @ weights

    pairs = [(np.equal(Y, k), np.equal(predicted, k)) for k in range(classes)]
    return np.array([[counted(a & p), counted(a), counted(p)] for a, p in pairs])


def ratio(numerator, denominator):
    """Their ratio; missing (NaN) where the denominator is not positive."""
    return np.divide(numerator, denominator, out=np.full(denominator.shape, np.nan), where=denominator > 0)


def mean_over_defined(values):
    """Mean over classes (the first axis), without those for which the value is not defined."""
    defined = np.isfinite(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0))


def one_against_rest(metric):
    """A metric of two classes for K > 2 of them too, with scores (..., K): the mean over each against the rest."""

    @wraps(metric)
    def values(Y, scores, *weights):
        single, classes = scores.ndim == Y.ndim, scores.shape[-1]
        if Y.max(initial=0) >= (2 if single else classes):
            given = "so a score for each of them is needed" if single else f"but there are scores for {classes} only"
            raise ValueError(f"the response has {Y.max() + 1} classes, {given}")
        if single:
            return metric(Y, scores, *weights)
        parts = [(np.equal(Y, k).astype(np.uint8), np.ascontiguousarray(scores[..., k])) for k in range(classes)]
        return np.mean([metric(*part, *weights) for part in parts], axis=0)

    return values
