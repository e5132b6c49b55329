"""Share of test rows whose class is predicted."""

import numpy as np

from permconf.metrics import Metric, predicted_classes


def accuracy_values(Y, scores):
    """Accuracy of every column."""
    return np.mean(predicted_classes(scores) == Y, axis=0)


def weighted_accuracy(y, scores, weights):
    """Weighted share of correct predictions, for every column of weights."""
    return (predicted_classes(scores[:, None])[:, 0] == y) @ weights / weights.sum(axis=0)


METRIC = Metric(accuracy_values, task="classification", weighted=weighted_accuracy, link="logit", pooled="rows")
