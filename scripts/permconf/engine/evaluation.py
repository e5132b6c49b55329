"""Metrics of many responses over all training and test sets, in blocks of permutations."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from permconf.engine.contracts import fitted_scores
from permconf.engine.nulls import Draws, batch_values
from permconf.engine.scores import Scores

BLOCK = 64  # permutations worked on together; fixed, so that results do not depend on the number of jobs


@dataclass(frozen=True)
class FittedSet:
    """Features of one training and test set as the learner takes them, their rows, and the learner."""

    train: np.ndarray
    test: np.ndarray
    X_train: Any
    X_test: Any
    learner: Any


def observed_scores(sets, y, streams) -> list[Scores]:
    """Scores of every test set from the fit to the response as it is."""
    keys = [streams.keys(_numbered("observed/learner", k), 1) for k in range(len(sets))]
    return [
        fitted_scores(one.learner, one.X_train, y[one.train][:, None], one.X_test, key)
        for one, key in zip(sets, keys, strict=True)
    ]


def evaluated(sets, metrics, Y, keys) -> Draws:
    """Every metric of every response (column of Y), averaged over the sets where it is defined; `keys` by set."""
    parts = [
        batch_values(one.X_train, Y[one.train], one.X_test, Y[one.test], one.learner, metrics, key)
        for one, key in zip(sets, keys, strict=True)
    ]
    values = {name: mean_over_sets(np.stack([part.values[name] for part in parts])) for name in metrics}
    return Draws(values, sum(part.flagged for part in parts))


def mean_over_sets(values):
    """Mean over the first axis of the values that are defined; NaN where none is."""
    if len(values) == 1:
        return values[0]
    defined = ~np.isnan(values)
    count, total = defined.sum(axis=0), np.where(defined, values, 0.0).sum(axis=0)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def null_draws(sets, metrics, permuted, *, streams, null, b, run) -> Draws:
    """b draws of every metric under permutation; `run` works through the blocks."""
    keys = streams.keys(f"{null}/response", b)
    learner_keys = [streams.keys(_numbered(f"{null}/learner", k), b) for k in range(len(sets))]
    blocks = [slice(first, min(first + BLOCK, b)) for first in range(0, b, BLOCK)]
    tasks = [partial(_block, sets, metrics, permuted, keys[s], [k[s] for k in learner_keys]) for s in blocks]
    done = run(tasks, f"{null} null")
    values = {name: np.concatenate([one.values[name] for one in done]) for name in metrics}
    return Draws(values, sum(one.flagged for one in done))


def _block(sets, metrics, permuted, keys, learner_keys):
    return evaluated(sets, metrics, permuted.shuffled(keys), learner_keys)


def _numbered(name, k):
    return f"{name}/{k}"
