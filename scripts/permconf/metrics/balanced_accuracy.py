"""Mean over classes of the share of their test rows that are predicted correctly."""

from permconf.metrics import Metric
from permconf.metrics._classes import class_counts, mean_over_defined, ratio


def balanced_accuracy(Y, scores, weights=None):
    """Mean recall of the classes that have rows: of every column, or of one response for every column of weights."""
    counts = class_counts(Y, scores, weights)
    return mean_over_defined(ratio(counts[:, 0], counts[:, 1]))


METRIC = Metric(balanced_accuracy, task="classification", weighted=balanced_accuracy, link="logit", pooled="rows")
