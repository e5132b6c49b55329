"""Gaussian naive Bayes: class means and variances of all permutations from two matrix products for each class."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from permconf.learners._products import product
from permconf.options import number


@dataclass(frozen=True)
class NaiveBayes:
    """Independent normal features within each class; `smoothing` as scikit-learn's `var_smoothing`."""

    smoothing: float = 1e-9

    tasks = ("classification",)
    score_kind = "log_odds"

    def __post_init__(self):
        number(self.smoothing, "smoothing of naive_bayes", least=0)

    def scores(self, X_train, Y_train, X_test, keys):
        """Log-odds of class 1 of the test rows, or probabilities of more than two classes."""
        floor = self.smoothing * X_train.var(axis=0).max()
        centre = X_train.mean(axis=0)  # avoids cancellation in the products
        X, X_test = X_train - centre, X_test - centre
        squares, test_squares = X**2, X_test**2
        likelihoods = []
        for code in range(max(2, int(Y_train.max(initial=0)) + 1)):
            labels = (Y_train == code).astype(np.float64)
            count = labels.sum(axis=0)
            mean = product(X.T, labels) / count
            variance = product(squares.T, labels) / count - mean**2 + floor
            fixed = np.sum(np.log(variance) + mean**2 / variance, axis=0) / 2 - np.log(count)
            linear, square = product(X_test, mean / variance), product(test_squares, 0.5 / variance)
            likelihoods.append(linear - square - fixed)
        if len(likelihoods) > 2:
            return softmax(np.stack(likelihoods, axis=2), axis=2)
        return likelihoods[1] - likelihoods[0]


LEARNER = NaiveBayes
