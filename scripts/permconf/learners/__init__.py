"""Learners: a learner maps `(X_train, Y_train[n, b], X_test, keys[b])` to scores[m, b], one column per permuted
response.

Y holds class codes 0, 1, ... (uint8) for classification and values (float64) for regression. With two classes a
positive score means class 1; with more, a score is the predicted code; in regression it is the prediction. `keys` are
64-bit numbers, one per column, from which a learner that needs randomness must take all of it.

A learner whose scores no response changes may also have `fixed_scores(X_test) -> scores[m]`: with a metric that is
linear in the response, its nulls then need no matrix of permuted responses.
"""

from typing import NamedTuple, Protocol

import numpy as np

from permconf import plugins


class Scores(NamedTuple):
    """Scores (m, b), and which columns (b,) came from a fit that is to be reported, such as a separated one."""

    values: np.ndarray
    flagged: np.ndarray


class Learner(Protocol):
    """What the null engine asks of a learner."""

    def scores(
        self, X_train: np.ndarray, Y_train: np.ndarray, X_test: np.ndarray, keys: np.ndarray
    ) -> np.ndarray | Scores: ...


def make_learner(spec) -> Learner:
    """A learner from its name, a dotted name of a scikit-learn compatible estimator, an estimator or a learner object.

    Options go with the name in a mapping: `{"name": "random_forest", "trees": 100}`.
    """
    if hasattr(spec, "scores"):
        return spec
    if hasattr(spec, "fit"):
        return plugins.load("learners", "estimator")(estimator=spec)
    options = {"name": spec} if isinstance(spec, str) else dict(spec)
    name = options.pop("name")
    if "." in name:
        return plugins.load("learners", "estimator")(estimator=name, **options)
    try:
        return plugins.load("learners", name)(**options)
    except TypeError as error:
        raise ValueError(f"learner {name!r}: {error}") from error
