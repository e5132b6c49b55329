"""Metrics: a metric maps (Y_test[m, b], scores[m, b]) to values[b]."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from permconf import plugins


class Moments(NamedTuple):
    """Mean and standard deviation of a null distribution."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Metric:
    """A performance metric of a whole batch.

    `analytic_null(y_test)`, where it exists, gives the moments of the metric under free permutation of the response.
    `factors(y_test, scores)`, where the metric is linear in the response, gives vectors u and v (one number per row)
    such that the metric of any permutation of the response with these scores is the inner product of u and permuted v.
    """

    values: Callable[[np.ndarray, np.ndarray], np.ndarray]
    task: str
    larger_is_better: bool = True
    analytic_null: Callable[[np.ndarray], Moments] | None = None
    factors: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None

    @property
    def direction(self):
        """+1 if larger values are better, else -1."""
        return 1 if self.larger_is_better else -1


def make_metric(name) -> Metric:
    """The metric of this name."""
    return name if isinstance(name, Metric) else plugins.load("metrics", name)
