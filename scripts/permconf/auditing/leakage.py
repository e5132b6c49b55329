"""Confound leakage: what an adjustment gives to features that know nothing (Hamdan et al. 2023, GigaScience 12).

Subtracting from a feature what the confounders predict of it writes the confounders into the feature. Where the feature
is discrete or skewed, a flexible learner reads them there, and a metric rises that should not. The floor is the metric
with the rows of the features shuffled, so that they are independent of response and confounders, and then adjusted and
fitted as in the audit. Without an adjustment, the same shuffled rows show what chance gives.
"""

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from scipy import stats

from permconf.auditing.audit import audit, prepared
from permconf.permute.random_streams import Streams

SHUFFLES = 10
_LEVEL = 0.005  # of the t test that flags an adjustment


def floors(data: Any, options: dict) -> np.ndarray:
    """The metric of each shuffle, for the options of an audit."""
    every = {name: one.default for name, one in signature(audit).parameters.items()} | options
    others = ("data", "population", "permutations", "sensitivity", "seed")
    sample, setup = prepared(data, **{name: value for name, value in every.items() if name not in others})
    streams, values = Streams(every["seed"], "audit"), []
    rng = streams.rng("leakage")
    for _ in range(SHUFFLES):
        shuffled = replace(sample, features=sample.features.take(rng.permutation(len(sample))))
        evaluation = setup.evaluated(shuffled, streams)
        values.append(evaluation.observed(next(iter(evaluation.metrics))))
    return np.array(values)


def leaks(values: np.ndarray, chance: np.ndarray, *, larger_is_better: bool) -> bool:
    """Whether the floor is better than chance by more than the shuffles can explain."""
    gains = (values - chance) * (1 if larger_is_better else -1)
    spread = gains.std(ddof=1) / np.sqrt(gains.size)
    return bool(spread > 0 and stats.t.sf(gains.mean() / spread, gains.size - 1) < _LEVEL)
