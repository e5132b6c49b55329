"""One metric of weighted rows from several test sets, such as folds, each with the scores of its own model.

Weights lose their meaning where each set is normalised on its own and counts the same: in a set of one case and one
control they cancel. So sets count by what they hold, as `Metric.pooled` says. Numbers, probabilities and predicted
classes of different models are comparable: the metric is that of all "rows" together. Scores that only have an order
are not: AUCs of sets count by their weighted "pairs" of case and control, average precisions by the weight of their
"cases", metrics of which nothing is known by the "weight" of their rows.
"""

from collections.abc import Callable, Sequence

import numpy as np

from permconf.engine.contracts import Metric
from permconf.engine.plugin_results import checked_values
from permconf.engine.scores import Scores

Sets = Sequence[tuple[np.ndarray, Scores]]


def pooled_metric(metric: Metric, name: str, y: np.ndarray, sets: Sets) -> Callable[[np.ndarray], np.ndarray]:
    """The metric as a function of weights (m, b) of the rows; `sets` are places among the rows and their scores.

    A metric without a weighted version takes whole numbers only: how often each row was drawn.
    """
    weighted = metric.weighted or _by_repeating(metric)
    parts = [(rows, scores.needed(metric.needs)[:, 0]) for rows, scores in sets]
    if metric.pooled == "rows" and len(parts) > 1:
        together, predicted = (np.concatenate(some) for some in zip(*parts, strict=True))
        parts = [(together, predicted)]
    if len(parts) == 1:
        ((rows, scores),) = parts
        every = rows.size == len(y) and (rows == np.arange(len(y))).all()  # then weights need not be copied

        def of_one(weights):
            found = weighted(y[rows], scores, weights if every else weights[rows])
            return checked_values(found, weights.shape[1], name)

        return of_one

    @np.errstate(divide="ignore", invalid="ignore")  # samples without rows of a set have no metric there
    def of_several(weights):
        if parts[0][1].ndim == 1 or metric.pooled == "weight":
            return checked_values(_pooled(weighted, metric.pooled, y, parts, weights), weights.shape[1], name)
        classes = range(parts[0][1].shape[1])
        each = [
            _pooled(weighted, metric.pooled, (y == k).astype(np.uint8), [(r, s[:, k]) for r, s in parts], weights)
            for k in classes
        ]
        return checked_values(np.mean(each, axis=0), weights.shape[1], name)

    return of_several


def _pooled(weighted, held_by, y, parts, weights):
    """Mean of the metric over sets that are not empty, by what they hold."""
    total, size = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
    for rows, scores in parts:
        some = weights[rows]
        values, held = weighted(y[rows], scores, some), _held(held_by, y[rows], some)
        defined = (held > 0) & np.isfinite(values)
        total += np.where(defined, values * held, 0.0)
        size += np.where(defined, held, 0.0)
    return np.divide(total, size, out=np.full(size.shape, np.nan), where=size > 0)


def _held(what, y, weights):
    if what == "weight":
        return weights.sum(axis=0)
    cases = weights[y == 1].sum(axis=0)
    return cases if what == "cases" else cases * weights[y == 0].sum(axis=0)


def _by_repeating(metric):
    """A weighted version of any metric for weights that are whole numbers: rows are repeated."""

    def weighted(y, scores, counts):
        rows = [np.repeat(np.arange(len(y)), column.astype(np.int64)) for column in counts.T]
        return np.array([metric.values(y[r][:, None], scores[r][:, None])[0] for r in rows])

    return weighted
