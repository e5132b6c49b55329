"""Share of test rows whose class is predicted."""

import numpy as np

from permconf.metrics import Metric


def accuracy_values(Y, scores):
    """Accuracy of every column; two classes are told apart by the sign of the score, more by the predicted code."""
    predicted = scores > 0 if Y.max() <= 1 else scores
    return np.mean(predicted == Y, axis=0)


def weighted_accuracy(y, scores, weights):
    """Weighted share of correct predictions, for every column of weights."""
    predicted = scores > 0 if y.max() <= 1 else scores
    return (predicted == y) @ weights / weights.sum(axis=0)


METRIC = Metric(accuracy_values, task="classification", weighted=weighted_accuracy, link="logit")
