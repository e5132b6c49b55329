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


METRIC = Metric.of_rows(log_loss_rows, task="classification", larger_is_better=False, link="log", needs="probabilities")
