"""Compile every kernel into numba's cache, so that jobs that start together do not all compile."""

import numpy as np

from permconf import algorithm2, assess, conditional_shuffle, metric_values, prediction_test, reweighted_metric
from permconf.study.latin_hypercube import latin_hypercube


def compile_kernels():
    """Run each kernel once on a tiny problem, with the types that a study uses."""
    rng = np.random.default_rng(0)
    latin_hypercube(10, 3, rng=rng)
    X, c = rng.standard_normal((40, 3)), np.arange(40) % 2
    y = (X[:, 0] + rng.standard_normal(40) > 0).astype(np.uint8)
    value = X[:, 0] + rng.standard_normal(40)
    pairs = (("logistic", "auc", y), ("linear_regression", "mse", value), ("feature", "correlation", value))
    for learner, metric, response in pairs:
        parts = X[:20], response[:20], c[:20], X[20:], response[20:], c[20:]
        assess(*parts, learner=learner, metric=metric, seed=0)
        algorithm2(*parts, learner=learner, metric=metric, shuffles=2, inner=2, seed=0)
        conditional_shuffle(response, X[:, 1], 2, rng=rng)
    conditional_shuffle(np.arange(40) % 3, X[:, 1], 2, rng=rng)
    reweighted_metric(y, X[:, 0], c, bootstrap=2)
    halves = X[:20], y[:20], c[:20], X[20:], y[20:], c[20:]
    for adjustment in ("weighting", "resampling"):
        assess(*halves, adjustment=adjustment, permutations=2, seed=0)
    prediction_test(X[:, 0], y, np.column_stack([c, np.arange(40) % 3]), permutations=2)
    three = np.arange(40) % 3
    metric_values(X[:20], y[:20], X[20:], y[20:], learner={"name": "random_forest", "trees": 2})
    metric_values(X[:20], y[:20], X[20:], y[20:], metric="average_precision")
    metric_values(X[:20], three[:20], X[20:], three[20:], metric="log_loss")
