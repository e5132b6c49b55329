"""Harmonic mean of precision and recall: of class 1 or, if there are more than two classes, the mean over classes."""

from permconf.metrics import Metric
from permconf.metrics._classes import class_counts, mean_over_defined, ratio


def f1(Y, scores, weights=None):
    """F1 of every column, or of one response for every column of weights. A class with no rows at all is left out."""
    counts = class_counts(Y, scores, weights)
    by_class = ratio(2 * counts[:, 0], counts[:, 1] + counts[:, 2])
    return by_class[1] if len(by_class) == 2 else mean_over_defined(by_class)


METRIC = Metric(f1, task="classification", weighted=f1, link="logit", pooled="rows")
