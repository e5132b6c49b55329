"""Metrics of many responses at once, and the permutation nulls made of them (paper, Algorithm 1)."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from permconf.data.confounders import check_row_order
from permconf.data.features import feature_tables
from permconf.data.label_codes import labels_of, places_of_objects
from permconf.data.levels import Levels
from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.split import encode_response
from permconf.data.validation import complete_vector, plain_values
from permconf.engine.contracts import fitted_scores, labelled, make_learner, make_metric, metric_name
from permconf.engine.plugin_results import check_defined, checked_scores, checked_values
from permconf.permute.conditional import ConditionalShuffle
from permconf.permute.random_streams import permutation_keys
from permconf.permute.shuffled_products import shuffled_products
from permconf.permute.shuffles import shuffled

NULLS = ("restricted", "standard")
_BLOCK_BYTES = 2**25
_BLOCK_COLUMNS = 1024


@dataclass(frozen=True)
class Draws:
    """Values of several metrics for b responses, by metric name, and the number of flagged fits."""

    values: dict[str, np.ndarray]
    flagged: int


def permutation_null(split, null, learner, metrics, streams, b):
    """b draws of the metrics under restricted or standard permutation of the training and of the test response.

    Works through the permutations in blocks, so memory does not grow with b; the result does not depend on the blocks.
    """
    factored = hasattr(learner, "fixed_scores") and all(metric.factors for metric in metrics.values())
    if factored and split.has_levels and not split.has_groups:
        return _product_null(split, null, learner, metrics, streams, b)
    train, test = (_shuffle(split, part, null, streams) for part in ("train", "test"))
    keys = [streams.keys(f"{null}/{part}", b) for part in ("train", "test", "learner")]
    blocks = []
    for start in range(0, b, block_columns(split)):
        train_keys, test_keys, learner_keys = (k[start : start + block_columns(split)] for k in keys)
        blocks.append(
            batch_values(
                split.X_train,
                train(train_keys),
                split.X_test,
                test(test_keys),
                learner,
                metrics,
                learner_keys,
            )
        )
    values = {name: np.concatenate([block.values[name] for block in blocks]) for name in metrics}
    return Draws(values, sum(block.flagged for block in blocks))


def _product_null(split, null, learner, metrics, streams, b):
    """The same draws (to rounding) for fixed scores and metrics linear in the response: no fits, no matrices."""
    scores = checked_scores(learner.fixed_scores(split.X_test), (len(split.X_test),), learner)
    levels, keys = _permuted_within(split.c_test, null), streams.keys(f"{null}/test", b)
    factors = {name: metric.factors(split.y_test, scores) for name, metric in metrics.items()}
    return Draws({name: shuffled_products(u, v, levels, keys) for name, (u, v) in factors.items()}, flagged=0)


def observed_scores(split, learner, streams):
    """Scores of the test rows from the fit to the response as it is: one column."""
    keys = streams.keys("observed/learner", 1)
    return fitted_scores(learner, split.X_train, split.y_train[:, None], split.X_test, keys)


def observed_values(split, learner, metrics, streams):
    """The metrics of the response as it is."""
    return _evaluated(split.y_test[:, None], observed_scores(split, learner, streams), metrics)


def batch_values(X_train, Y_train, X_test, Y_test, learner, metrics, keys):
    """Fit and score every column, and evaluate every metric (a mapping of names to metrics) on the scores."""
    return _evaluated(Y_test, fitted_scores(learner, X_train, Y_train, X_test, keys), metrics)


def _evaluated(Y_test, scores, metrics):
    values = {name: _values(name, metric, Y_test, scores) for name, metric in metrics.items()}
    return Draws(values, int(scores.flagged.sum()))


def _values(name, metric, Y_test, scores):
    try:
        values = metric.values(Y_test, scores.needed(metric.needs))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return checked_values(values, Y_test.shape[1], name)


def metric_values(
    X_train: Any,
    Y_train: Any,
    X_test: Any,
    Y_test: Any,
    *,
    learner: Any = "logistic",
    metric: Any = "auc",
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Metric of the learner for each of b given responses: Y_train (n, b) and Y_test (m, b), one column each.

    `rng` seeds learners that are random themselves.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> c = rng.integers(0, 2, 120)
    >>> y = (0.6 * c + rng.uniform(size=120) > 0.8).astype(int)
    >>> X = rng.normal(size=(120, 2)) + (y + c)[:, None]
    >>> data = X[:60], y[:60], c[:60], X[60:], y[60:], c[60:]
    >>> from permconf import metric_values, restricted_shuffle
    >>> Y_train, Y_test = (restricted_shuffle(y[rows], c[rows], 20, rng=rng) for rows in (slice(60), slice(60, None)))
    >>> metric_values(X[:60], Y_train, X[60:], Y_test, learner="logistic", metric="auc").shape
    (20,)
    """
    name, metric, learner = metric_name(metric), make_metric(metric, y=Y_train), make_learner(learner)
    check_row_order(X_train=X_train, Y_train=Y_train)
    check_row_order(X_test=X_test, Y_test=Y_test)
    X_train, X_test = feature_tables(X_train, X_test, learner)
    Y_train, Y_test = (np.atleast_2d(np.asarray(plain_values(Y)).T).T for Y in (Y_train, Y_test))
    _check_batch(X_train, Y_train, X_test, Y_test)
    given, (Y_train, Y_test) = Y_train, encode_response(Y_train, Y_test, metric.task)
    labels = labels_of(given, Y_train)
    metric, learner = labelled(metric, labels), labelled(learner, labels)
    if Y_train.dtype == np.uint8 and Y_train.size and (constant := np.all(Y_train == Y_train[:1], axis=0)).any():
        raise ValueError(f"column {constant.argmax()} of Y_train has one class only, so there is nothing to learn")
    keys = permutation_keys(np.random.default_rng(0) if rng is None else rng, Y_train.shape[1])
    batch = batch_values(X_train, Y_train, X_test, Y_test, learner, {name: metric}, keys)
    return check_defined(batch.values[name], name)


def _check_batch(X_train, Y_train, X_test, Y_test):
    for X, Y, part in ((X_train, Y_train, "train"), (X_test, Y_test, "test")):
        if Y.ndim != 2:
            raise ValueError(f"Y_{part} must be a matrix with a column for each response, not of shape {Y.shape}")
        if len(X) != len(Y):
            raise ValueError(f"X_{part} has {len(X)} rows, Y_{part} has {len(Y)}")
        complete_vector(_representatives(Y), f"Y_{part}")
    if Y_train.shape[1] != Y_test.shape[1]:
        raise ValueError(f"Y_train has {Y_train.shape[1]} columns, Y_test has {Y_test.shape[1]}")
    if X_train.shape[1] != X_test.shape[1]:
        raise ValueError(f"X_train has {X_train.shape[1]} features, X_test has {X_test.shape[1]}")


def _representatives(Y):
    """Entries of Y that all others are the same as: the first column if it has them, as in permuted responses."""
    repeated = Y.size and Y.dtype == object and places_of_objects(Y, Y[:, 0]) is not None
    return Y[:, 0] if repeated else Y.ravel()


def _shuffle(split, part, null, streams):
    """How the response of one part is permuted: a function of keys that gives one column for each."""
    y, c = getattr(split, f"y_{part}"), getattr(split, f"c_{part}")
    if split.has_groups:
        return permuted_groups(split, part, null, streams.keys(f"{null}/{part}/hub", 2)).shuffled
    if null == "restricted" and isinstance(c, MixedConfounders):
        hub_keys = streams.keys(f"{null}/{part}/hub", 2)
        return ConditionalShuffle.of(y, c, hub_keys, classes=y.dtype == np.uint8).shuffled
    return partial(shuffled, y, _permuted_within(c, null))


def permuted_groups(split, part, null, hub_keys=None):
    """The permutations of one part whose rows belong to subjects; without keys, numeric confounders are left out."""
    from permconf.permute.permuted_response import permuted_response  # needs pandas, which takes a third of a second

    y, c, groups = (getattr(split, f"{name}_{part}") for name in ("y", "c", "groups"))
    if not isinstance(c, MixedConfounders) or hub_keys is None:
        c = MixedConfounders.of(getattr(c, "codes", c), "levels")
    return permuted_response(y, c if null == "restricted" else None, Levels.of(groups), None, hub_keys)


def _permuted_within(c, null):
    return Levels.of(c) if null == "restricted" else Levels.single(len(c))


def block_columns(split):
    """Number of responses worked on at a time, so that their labels and scores need a bounded amount of memory."""
    rows = len(split.y_train) + len(split.y_test)
    classes = int(split.y_train.max(initial=0)) if split.y_train.dtype == np.uint8 else 1  # minus one
    return max(1, min(_BLOCK_COLUMNS, _BLOCK_BYTES // (16 * rows * max(1, classes))))
