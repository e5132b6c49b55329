"""Mean of minus the logarithm of the probability given to the actual class."""

import numpy as np

from permconf.metrics import Metric

_LEAST = np.finfo(float).eps  # probabilities below it count as so much, as in scikit-learn


def log_loss_rows(Y, probabilities):
    """Loss of every row (m, b); probabilities are those of class 1 (m, b), or of every class (m, b, K)."""
    if probabilities.ndim == 2:
        own = np.where(Y > 0, probabilities, 1 - probabilities)
    else:
        own = np.take_along_axis(probabilities, Y[..., None].astype(np.int64), axis=2)[..., 0]
    return -np.log(np.clip(own, _LEAST, 1 - _LEAST))


def log_loss_values(Y, probabilities):
    """Log loss of every column."""
    return log_loss_rows(Y, probabilities).mean(axis=0)


def weighted_log_loss(y, probabilities, weights):
    """Weighted log loss, for every column of weights."""
    return log_loss_rows(y[:, None], probabilities[:, None])[:, 0] @ weights / weights.sum(axis=0)


METRIC = Metric(
    log_loss_values,
    task="classification",
    larger_is_better=False,
    weighted=weighted_log_loss,
    link="log",
    needs="probabilities",
    pooled="rows",
)
