"""What the method requires of learners and metrics, and how a name becomes one.

A learner maps `(X_train, Y_train[n, b], X_test, keys[b])` to scores[m, b]: the b permuted responses are the columns of
one batch, and the features are shared by all of them. A metric maps (Y_test[m, b], scores[m, b]) to values[b].
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from permconf import registry
from permconf.method.plugin_results import checked_array, checked_scores, plugin_name


class Scores(NamedTuple):
    """Scores (m, b), and which columns (b,) came from a fit that must be reported, such as a separated one."""

    values: np.ndarray
    flagged: np.ndarray


class Learner(Protocol):
    """What the null engine requires of a learner (see `permconf.learners`)."""

    def scores(
        self, X_train: np.ndarray, Y_train: np.ndarray, X_test: np.ndarray, keys: np.ndarray
    ) -> np.ndarray | Scores: ...


class Moments(NamedTuple):
    """Mean and standard deviation of a null distribution."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Metric:
    """A performance metric, evaluated on a whole batch.

    `analytic_null(y_test)`, where it exists, gives the moments of the metric under free permutation of the response.
    `factors(y_test, scores)`, where the metric is linear in the response, gives vectors u and v (one number per row)
    such that the metric of any permutation of the response with these scores is the inner product of u and permuted v.
    `weighted(y_test, scores, weights)`, where it exists, gives the metric of one response with row weights (m, b), for
    each of their columns; a row with weight 2 counts as two rows. `link` names the scale on which its confidence
    intervals are made: "logit" for a share, "log" for a positive number, "fisher" for a correlation, else "identity".
    """

    values: Callable[[np.ndarray, np.ndarray], np.ndarray]
    task: str
    larger_is_better: bool = True
    analytic_null: Callable[[np.ndarray], Moments] | None = None
    factors: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None
    weighted: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray] | None = None
    link: str = "identity"

    @property
    def direction(self) -> int:
        """+1 if larger values are better, else -1."""
        return 1 if self.larger_is_better else -1


def fitted_scores(learner: Learner, X_train, Y_train, X_test, keys) -> Scores:
    """Scores of a learner for every response; a learner that flags no fits need not say so."""
    return checked_fits(learner.scores(X_train, Y_train, X_test, keys), len(X_test), keys.size, learner)


def checked_fits(scores: Any, m: int, b: int, learner: Any) -> Scores:
    """What a learner returned as `Scores`, or a ValueError that names it."""
    values, flagged = scores if isinstance(scores, Scores) else (scores, np.zeros(b, bool))
    flags = checked_array(flagged, (b,), f"learner {plugin_name(learner)} gave flags")
    return Scores(checked_scores(values, (m, b), learner), flags.astype(bool))


def make_learner(spec: Any) -> Learner:
    """A learner from its name, a dotted name of a scikit-learn compatible estimator, an estimator or a learner object.

    Options go with the name in a mapping: `{"name": "random_forest", "trees": 100}`.
    """
    if hasattr(spec, "scores"):
        return spec
    if hasattr(spec, "fit"):
        return registry.load("learners", "estimator")(estimator=spec)
    name, options = registry.name_and_options(spec)
    if "." in name:
        return registry.load("learners", "estimator")(estimator=name, **options)
    return registry.made("learners", name, options)


def make_metric(spec: "str | Metric") -> Metric:
    """The metric of this name, or the metric itself."""
    return spec if isinstance(spec, Metric) else registry.load("metrics", spec)
