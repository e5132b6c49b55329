"""The only place that fits: a learner on folds, with an adjustment; observed metrics, and their permutation nulls.

A study's data set, an audit and a comparison of adjustments call `evaluate` and `nulls`, and nothing else; tests that
shuffle the confounder give responses of their own to `values` (paper, Algorithms 1 and 2).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.features import Features
from permconf.data.response import Response, response_matrices
from permconf.data.sample import Sample, Subjects
from permconf.data.values import check_row_order
from permconf.engine.adjustment import Adjustment, check_adjustment, make_adjustment, transformed
from permconf.engine.contracts import Metric, Moments, check_task, fitted_scores, labelled, make_learner, make_metric
from permconf.engine.folds import Fold, Folds
from permconf.engine.plugin_results import check_defined, checked_scores, checked_values
from permconf.engine.scores import Scores
from permconf.keywords import helpful
from permconf.permute.permuted_response import PermutedResponse
from permconf.permute.random_streams import Rng, Streams, permutation_keys
from permconf.permute.shuffled_sums import shuffled_products

NULLS = ("restricted", "standard")
BLOCK = 64  # permutations in a task for a runner
_BLOCK_BYTES, _BLOCK_COLUMNS = 2**25, 1024

Run = Callable[[Sequence[Callable[[], Any]], str], list]


class Fit(NamedTuple):
    """Features of a fold as the learner takes them, and the learner as the adjustment has it trained."""

    X_train: Any
    X_test: Any
    learner: Any


class Draws(NamedTuple):
    """Values of several metrics for b responses, by metric name, and the number of flagged fits."""

    values: dict[str, np.ndarray]
    flagged: int


class Original(NamedTuple):
    """Of the response as it is: scores, and metrics of single test sets, in the order of the folds."""

    scores: tuple[Scores, ...]
    by_fold: dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A learner evaluated on the response as it is.

    `rows` are the numbers of the rows that were used, `sample` these rows, `folds` their training and test sets, and
    `fits` is in the order of the folds.
    """

    rows: np.ndarray
    sample: Sample
    folds: Folds
    fits: tuple[Fit, ...]
    metrics: dict[str, Metric]
    adjustment: Adjustment
    streams: Streams
    run: Run | None = field(default=None, repr=False)

    @cached_property
    def original(self) -> Original:
        """The response as it is, which is fitted here unless it has been with permutations (`nulls`)."""
        fits, folds, _, classes = self.shared
        y, keys = self.sample.response.values[:, None], _learner_keys(self, "observed", 1)
        return self.scored([scores for scores, _ in _parts((fits, folds, {}, classes), y, keys)])

    def scored(self, scores: Sequence[Scores]) -> Original:
        """Metrics of the response as it is, from its scores in the order of the folds."""
        y, folds = self.sample.response.values, self.folds.folds
        tested = [(y[fold.test], one) for fold, one in zip(folds, scores, strict=True)]
        metrics = self.metrics.items()
        by_fold = {name: np.array([metric_of(metric, *one, name) for one in tested]) for name, metric in metrics}
        return Original(tuple(scores), by_fold)

    @property
    def shared(self) -> tuple:
        """What all responses have in common: fits, folds, metrics and the number of classes."""
        return self.fits, self.folds.folds, self.metrics, self.sample.response.classes

    @property
    def scores(self) -> tuple[Scores, ...]:
        return self.original.scores

    @property
    def by_fold(self) -> dict[str, np.ndarray]:
        return self.original.by_fold

    def observed(self, name: str) -> float:
        """A metric of the response as it is: the mean over the test sets where it is defined."""
        return float(mean_over_sets(self.by_fold[name]))

    @property
    def flagged(self) -> int:
        return sum(int(scores.flagged.sum()) for scores in self.scores)

    @property
    def n_train(self) -> int:
        """Number of training rows of the first fold."""
        return len(self.sample.response.values[self.folds.folds[0].train])

    @property
    def n_test(self) -> int:
        only = self.folds.folds[0].test if self.folds.is_single else None
        return len(self.tested() if only is None else self.sample.response.values[only])

    def tested(self) -> np.ndarray:
        """Numbers (in `sample`) of the rows that are in a test set, in order."""
        numbers = np.arange(len(self.sample))
        return np.unique(np.concatenate([numbers[fold.test] for fold in self.folds.folds]))

    def part(self, name: str) -> Sample:
        """The rows of the "train" or "test" set of the first fold."""
        return self.sample.take(getattr(self.folds.folds[0], name))

    def analytic_null(self, name: str) -> Moments | None:
        """Moments of a metric without confounding by formula, which holds for one test set of independent rows."""
        analytic = self.metrics[name].analytic_null
        if analytic is None or not self.folds.is_single or self.sample.subjects is not None:
            return None
        return analytic(self.sample.response.values[self.folds.folds[0].test])


def evaluate(sample: Sample, folds: Folds, **options: Any) -> Evaluation:
    """Evaluate the metrics on the response as it is; arguments as those of `prepared`."""
    evaluation = prepared(sample, folds, **options)
    _ = evaluation.original
    return evaluation


def prepared(
    sample: Sample,
    folds: Folds,
    *,
    learner: Any,
    metrics: dict[str, Metric],
    adjustment: Any = "none",
    streams: Streams,
    run: Run | None = None,
) -> Evaluation:
    """Select rows, then encode and adjust every fold; the response is fitted as soon as an answer needs it."""
    labels, task = sample.response.labels, sample.response.task
    learner = labelled(make_learner(learner), labels)
    metrics = {name: labelled(metric, labels) for name, metric in metrics.items()}
    adjustment = make_adjustment(adjustment)
    check_task(learner, task)
    check_adjustment(adjustment, learner, task, levels=sample.confounders.has_levels)
    sample.features.check(learner)
    rows, folds = folds.selected(sample, adjustment, streams)
    sample = sample.take(rows)
    if sample.subjects is None and np.bincount(rows, minlength=1).max() > 1:
        sample = replace(sample, subjects=Subjects.of(rows, name="copies of a row"))
    fits = tuple(fold_fit(sample, fold, learner, adjustment) for fold in folds.folds)
    for fold in folds.folds:
        _check_classes(sample.response, fold)
    return Evaluation(rows, sample, folds, fits, metrics, adjustment, streams, run)


def metric_of(metric: Metric, y: np.ndarray, scores: Scores, name: str) -> float:
    """A metric of one response, NaN where it is not defined."""
    return float(_values(name, metric, y[:, None], scores)[0])


def fold_fit(sample: Sample, fold: Fold, learner: Any, adjustment: Adjustment) -> Fit:
    """Features of a fold, encoded and adjusted, and the learner as the adjustment has it trained."""
    c_train, c_test = sample.confounders.take(fold.train), sample.confounders.take(fold.test)
    X = transformed(adjustment, sample.features.encoded(learner, fold.train, fold.test), c_train, c_test)
    return Fit(*X, adjustment.adapted(learner, c_train))


def _check_classes(response: Response, fold: Fold) -> None:
    """Raise ValueError for a training set without a class of its test set, or with a single one."""
    if response.labels is None or not response.values[fold.train].size:
        return
    train, test = (np.bincount(response.values[rows], minlength=response.classes) for rows in fold)
    if np.count_nonzero(train) < 2:
        raise ValueError("the training set has one class only, so there is nothing to learn")
    if (unseen := response.labels[(train == 0) & (test > 0)]).size:
        raise ValueError(f"classes {unseen.tolist()} are in the test set only")


# ---- permutations ----------------------------------------------------------------------------------------------------


def permuted(evaluation: Evaluation, null: str) -> dict[str, PermutedResponse]:
    """How the response is permuted under a null, block by block.

    All permutations but the paper's keep the fit of the response to numeric confounders.
    """
    e, found = evaluation, {}
    confounders = Confounders.none(len(e.sample)) if null == "standard" else e.sample.confounders
    for name, rows in e.folds.blocks(len(e.sample)).items():
        hub = f"{null}/{name}/hub" if e.folds.separate else f"{null}/hub"
        c = confounders.take(rows)
        hub_keys = None if c.has_levels else e.streams.keys(hub, 2)
        subjects = None if e.sample.subjects is None else e.sample.subjects.take(rows)
        parts = None if e.folds.parts is None else e.folds.parts[rows]
        response, keep_fit = e.sample.response.take(rows), not e.folds.separate
        found[name] = PermutedResponse.of(response, c, subjects, parts, hub_keys, keep_fit=keep_fit)
    return found


def nulls(evaluation: Evaluation, null: str, b: int, blocks: dict[str, PermutedResponse] | None = None) -> Draws:
    """b draws of all metrics under "restricted" or "standard" permutation of the response.

    Works through the permutations in blocks, so memory does not grow with b; the result does not depend on the blocks.
    """
    e = evaluation
    blocks = permuted(e, null) if blocks is None else blocks
    if (factored := _factored(e, blocks)) is not None:
        keys, levels = e.streams.keys(f"{null}/test", b), blocks["test"].strata
        return Draws({name: shuffled_products(u, v, levels, keys) for name, (u, v) in factored.items()}, 0)
    keys = {name: e.streams.keys(f"{null}/{name}", b) for name in blocks}
    learner_keys = _learner_keys(e, null, b)
    width = block_columns(e) if e.run is None else BLOCK
    tasks = []
    for first in range(0, b, width):
        part = slice(first, first + width)
        keyed = [(block, keys[name][part]) for name, block in blocks.items()]
        apart = first or e.run or "original" in vars(e)
        task, given = (_block, e.shared) if apart else (_block_with_original, e)
        tasks.append(partial(task, given, keyed, [k[part] for k in learner_keys]))
    done = [task() for task in tasks] if e.run is None else e.run(tasks, f"{null} null")
    values = {name: np.concatenate([one.values[name] for one in done]) for name in e.metrics}
    return Draws(values, sum(one.flagged for one in done))


def _block(shared, blocks, learner_keys):
    return _means(_parts(shared, _permuted(blocks), learner_keys))


def _block_with_original(e, blocks, learner_keys):
    """A block, and with it the response as it is, which then need not be fitted by itself."""
    Y = np.column_stack([e.sample.response.values, _permuted(blocks)])
    keys = [np.append(*both) for both in zip(_learner_keys(e, "observed", 1), learner_keys, strict=True)]
    parts = _parts(e.shared, Y, keys)
    vars(e)["original"] = e.scored([scores.first() for scores, _ in parts])
    return _means(parts, 1)


def _permuted(blocks):
    Y = [block.shuffled(keys) for block, keys in blocks]
    return Y[0] if len(Y) == 1 else np.concatenate(Y)


def values(evaluation: Evaluation, Y: np.ndarray, keys: list[np.ndarray]) -> Draws:
    """All metrics of given responses (columns of Y), as means over folds; `keys` are those of the learner, by fold."""
    return _means(_parts(evaluation.shared, Y, keys))


def _parts(shared, Y, keys):
    """Scores of all responses, and their metrics, in the order of the folds."""
    fits, folds, metrics, classes = shared
    return [
        batch(fit.X_train, Y[fold.train], fit.X_test, Y[fold.test], fit.learner, metrics, key, classes)
        for fit, fold, key in zip(fits, folds, keys, strict=True)
    ]


def _means(parts, first=0):
    """Means over folds, for the responses from the `first` on."""
    means = {name: mean_over_sets(np.stack([found[name][first:] for _, found in parts])) for name in parts[0][1]}
    return Draws(means, sum(int(scores.flagged[first:].sum()) for scores, _ in parts))


def mean_over_sets(values: np.ndarray) -> np.ndarray:
    """Mean over the first axis of the values that are defined; NaN where none is."""
    if len(values) == 1:
        return values[0]
    defined = ~np.isnan(values)
    count, total = defined.sum(axis=0), np.where(defined, values, 0.0).sum(axis=0)
    return np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)


def batch(X_train, Y_train, X_test, Y_test, learner, metrics, keys, classes=None) -> tuple[Scores, dict]:
    """Fit and score every column, and evaluate every metric (a mapping of names to metrics) on the scores."""
    scores = fitted_scores(learner, X_train, Y_train, X_test, keys, classes=classes)
    return scores, {name: _values(name, metric, Y_test, scores) for name, metric in metrics.items()}


def _values(name, metric, Y_test, scores):
    try:
        found = metric.values(Y_test, scores.needed(metric.needs))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return checked_values(found, Y_test.shape[1], name)


def _factored(e, blocks):
    """Factors of metrics linear in the response, for scores that do not depend on it: no fits, no matrices; or None."""
    learner, test = e.fits[0].learner, blocks.get("test")
    plain = test is not None and test.unit is None and test.conditional is None and e.sample.subjects is None
    if not (plain and e.sample.confounders.has_levels and hasattr(learner, "fixed_scores")):
        return None
    if not all(metric.factors for metric in e.metrics.values()):
        return None
    scores = checked_scores(learner.fixed_scores(e.fits[0].X_test), (len(test.y),), learner)
    return {name: metric.factors(test.y, scores) for name, metric in e.metrics.items()}


def block_columns(e: Evaluation) -> int:
    """Number of responses worked on at a time, so that their labels and scores need a bounded amount of memory."""
    per_response = 16 * max(1, len(e.sample)) * max(1, e.sample.response.classes - 1)
    return max(1, min(_BLOCK_COLUMNS, _BLOCK_BYTES // per_response))


def _learner_keys(e, what, b):
    """Keys of the learner in every fold: the stream of the first has no number, so that every split has the same."""
    return [e.streams.keys(f"{what}/learner/{k}" if k else f"{what}/learner", b) for k in range(len(e.fits))]


# ---- given responses -------------------------------------------------------------------------------------------------


@helpful
def metric_values(
    X_train: Any,
    Y_train: Any,
    X_test: Any,
    Y_test: Any,
    *,
    learner: Any = "logistic",
    metric: Any = "auc",
    rng: Rng = None,
) -> np.ndarray:
    """Metric of the learner for each of b given responses: Y_train (n, b) and Y_test (m, b), one column each.

    `rng` seeds learners that are random themselves.

    >>> from permconf import example, metric_values, restricted_shuffle
    >>> train, test = example(60, seed=1), example(60, seed=2)
    >>> Y_train = restricted_shuffle(train["ill"], train["site"], 20, rng=1)
    >>> Y_test = restricted_shuffle(test["ill"], test["site"], 20, rng=2)
    >>> X = ["marker", "volume"]
    >>> metric_values(train[X], Y_train, test[X], Y_test, learner="logistic", metric="auc").shape
    (20,)
    """
    metric, learner = make_metric(metric, y=Y_train), make_learner(learner)
    check_row_order(X_train=X_train, Y_train=Y_train)
    check_row_order(X_test=X_test, Y_test=Y_test)
    features = Features.of_sets(X_train, X_test)
    features.check(learner)
    labels, Y_train, Y_test = response_matrices(Y_train, Y_test, metric.task)
    for X, Y, part in ((X_train, Y_train, "train"), (X_test, Y_test, "test")):
        if len(X) != len(Y):
            raise ValueError(f"X_{part} has {len(X)} rows, Y_{part} has {len(Y)}")
    metric, learner, classes = labelled(metric, labels), labelled(learner, labels), 0 if labels is None else labels.size
    unseen = np.bincount(Y_train.ravel(), minlength=classes) == 0 if classes > 2 else np.zeros(classes, bool)
    if labels is not None and unseen.any():
        raise ValueError(f"classes {labels[unseen].tolist()} are in the test set only")
    if classes and (constant := np.all(Y_train == Y_train[:1], axis=0)).any():
        raise ValueError(f"column {constant.argmax()} of Y_train has one class only, so there is nothing to learn")
    keys = permutation_keys(0 if rng is None else rng, Y_train.shape[1])
    n = len(Y_train)
    X_train, X_test = features.encoded(learner, slice(0, n), slice(n, None))
    _, found = batch(X_train, Y_train, X_test, Y_test, learner, {metric.name: metric}, keys, classes)
    return check_defined(found[metric.name], metric.name)
