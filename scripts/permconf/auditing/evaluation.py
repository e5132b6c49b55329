"""Metrics of a response over all folds, and their permutation nulls, in blocks of permutations."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from permconf.method.contracts import fitted_scores

BLOCK = 64  # permutations worked on together; fixed, so that results do not depend on the number of jobs


@dataclass(frozen=True)
class FoldData:
    """Features of one training and test set, the rows that they belong to, and the learner."""

    train: np.ndarray
    test: np.ndarray
    X_train: object
    X_test: object
    learner: object
    repeat: int = 0


@dataclass(frozen=True)
class Evaluation:
    """Values of several metrics, by name, for each of b responses, and the number of flagged fits."""

    values: dict[str, np.ndarray]
    flagged: int


def evaluated(folds, metrics, Y, keys):
    """Every metric of every response (column of Y), averaged over the folds where it is defined; `keys` by fold."""
    values = {name: np.empty((len(folds), Y.shape[1])) for name in metrics}
    flagged = 0
    for k, fold in enumerate(folds):
        scores = fitted_scores(fold.learner, fold.X_train, Y[fold.train], fold.X_test, keys[k])
        flagged += int(scores.flagged.sum())
        for name, metric in metrics.items():
            values[name][k] = metric.values(Y[fold.test], scores.values)
    return Evaluation({name: mean_over_folds(v) for name, v in values.items()}, flagged)


def mean_over_folds(values):
    """Mean over the first axis of values that are defined; NaN where none is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


def null_draws(folds, metrics, permuted, streams, null, b, run):
    """b draws of every metric under permutation; `run` works through the blocks, in order or in parallel."""
    keys = streams.keys(f"{null}/response", b)
    learner_keys = [streams.keys(f"{null}/learner/{k}", b) for k in range(len(folds))]
    blocks = [slice(first, min(first + BLOCK, b)) for first in range(0, b, BLOCK)]
    tasks = [partial(_block, folds, metrics, permuted, keys[s], [k[s] for k in learner_keys]) for s in blocks]
    done = run(tasks)
    values = {name: np.concatenate([one.values[name] for one in done]) for name in metrics}
    return Evaluation(values, sum(one.flagged for one in done))


def _block(folds, metrics, permuted, keys, learner_keys):
    return evaluated(folds, metrics, permuted.shuffled(keys), learner_keys)
