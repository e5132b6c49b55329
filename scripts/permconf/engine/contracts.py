"""What the method requires of learners and metrics, and how a name becomes one.

A learner maps `(X_train, Y_train[n, b], X_test, keys[b])` to scores[m, b]: the b permuted responses are the columns of
one batch, and the features are shared by all of them. A metric maps (Y_test[m, b], scores[m, b]) to values[b]. With
K > 2 classes, scores are [m, b, K].
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from permconf import registry
from permconf.data.label_codes import informative_labels
from permconf.engine.plugin_results import checked_fits
from permconf.engine.scores import Scores, class_scores
from permconf.errors import meant

TASKS = ("classification", "regression")


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

    `analytic_null(y_test)`, where it exists, gives the moments of the metric under free permutation of the response,
    or None where they are not known. `factors(y_test, scores)`, where the metric is linear in the response, gives
    vectors u and v (one number per row) such that the metric of any permutation of the response with these scores is
    the inner product of u and permuted v.
    `weighted(y_test, scores, weights)`, where it exists, gives the metric of one response with row weights (m, b), for
    each of their columns; a row with weight 2 counts as two rows. `link` names the scale on which its confidence
    intervals are made: "logit" for a share, "log" for a positive number, "fisher" for a correlation, else "identity".
    `needs` names the form of the scores: "scores", "order" or "probabilities" (see `permconf.engine.scores`).
    `pooled` says what a test set counts by, beside others: "rows", "pairs", "cases" or "weight" (see
    `permconf.reweight.pooling`).
    `labelled(labels)`, where it exists, gives the metric that sees the classes by their labels.
    """

    values: Callable[[np.ndarray, np.ndarray], np.ndarray]
    task: str
    larger_is_better: bool = True
    analytic_null: Callable[[np.ndarray], Moments | None] | None = None
    factors: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None
    weighted: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray] | None = None
    link: str = "identity"
    needs: str = "scores"
    pooled: str = "weight"
    name: str = "metric"
    labelled: "Callable[[np.ndarray], Metric] | None" = None

    @classmethod
    def of_rows(cls, rows: Callable[[np.ndarray, np.ndarray], np.ndarray], **options: Any) -> "Metric":
        """The mean of what `rows(Y, scores)` gives for every row (m, b), plain and weighted."""

        def weighted(y, scores, weights):
            total = weights.sum(axis=0)  # 0 where a bootstrap sample has no row that counts
            found = rows(y[:, None], scores[:, None])[:, 0] @ weights
            return np.divide(found, total, out=np.full_like(found, np.nan), where=total > 0)

        return cls(lambda Y, scores: np.mean(rows(Y, scores), axis=0), weighted=weighted, pooled="rows", **options)

    @property
    def direction(self) -> int:
        """+1 if larger values are better, else -1."""
        return 1 if self.larger_is_better else -1


def class_count(Y: np.ndarray) -> int:
    """Number of classes of responses as learners get them: codes 0, 1, ... (uint8); 0 for numbers (float64)."""
    if Y.dtype not in (np.uint8, np.float64):
        raise ValueError(f"responses must be class codes (uint8) or values (float64), not {Y.dtype}")
    return int(Y.max(initial=0)) + 1 if Y.dtype == np.uint8 else 0


def fitted_scores(learner: Learner, X_train, Y_train, X_test, keys, *, classes: int | None = None) -> Scores:
    """Scores of a learner for every response; `flagged` may be left out if no fit is flagged.

    `classes` is the number of classes where it is known. The attributes `tasks` and `score_kind` of a learner may say
    what it is for, and what its scores are. For more than two classes, predicted codes (m, b) become scores (m, b, K).
    """
    found = class_count(Y_train)
    classes = found if classes is None else classes
    check_task(learner, "classification" if classes else "regression")
    if classes > 2 and found < classes and len(Y_train):
        return _with_all_classes(learner, X_train, Y_train, X_test, keys, classes)
    scores = learner.scores(X_train, Y_train, X_test, keys)
    if not isinstance(scores, Scores):
        scores = Scores(scores, np.zeros(keys.size, bool))
    scores = checked_fits(scores, len(X_test), keys.size, classes, learner)
    if classes > 2 and scores.values.ndim == 2:
        if not np.isin(scores.values, np.arange(classes)).all():
            raise ValueError(
                f"the response has {classes} classes, but {_name(learner)} gives one score for all of them"
            )
        return Scores(class_scores(scores.values, classes), scores.flagged)
    return scores._replace(kind=getattr(learner, "score_kind", None) or scores.kind)


def _with_all_classes(learner, X_train, Y_train, X_test, keys, classes):
    """Scores of a batch that lacks the last class: a further response has them all, so that learners know of it."""
    everything = (np.arange(len(Y_train)) % classes).astype(np.uint8)[:, None]
    Y, more_keys = np.hstack([Y_train, everything]), np.append(keys, keys[:1])
    scores = fitted_scores(learner, X_train, Y, X_test, more_keys, classes=classes)
    known = None if scores.probabilities is None else scores.probabilities[:, :-1]
    return scores._replace(values=scores.values[:, :-1], flagged=scores.flagged[:-1], probabilities=known)


def check_task(learner: Learner, task: str) -> None:
    """Raise ValueError if a learner is not for this task."""
    tasks = getattr(learner, "tasks", TASKS)
    if task not in tasks:
        response = "is numeric" if task == "regression" else "has classes"
        raise ValueError(
            f"{_name(learner)} is for {tasks[0]}, but the response {response}; choose another learner or metric"
        )


def _name(learner):
    return getattr(learner, "name", type(learner).__name__)


def make_learner(spec: Any) -> Learner:
    """A learner from its name, a dotted name of a scikit-learn compatible estimator, an estimator or a learner object.

    Options go with the name in a mapping: `{"name": "random_forest", "trees": 100}`.
    """
    if hasattr(spec, "scores"):
        return spec
    if hasattr(spec, "fit"):
        return registry.load("learners", "estimator")(spec)
    name, options = registry.name_and_options("learners", spec)
    if "." in name:
        return registry.load("learners", "estimator")(name, **options)
    if name[:1].isupper() and not meant(name, registry.names("learners")) and (dotted := _dotted_name(name)):
        raise registry.UnknownName(f"unknown learner {name!r}; scikit-learn's is called {dotted!r}")
    return registry.made("learners", name, options)


def _dotted_name(name):
    """The dotted name of a class of scikit-learn; None if there is none of this name."""
    from sklearn.utils import all_estimators  # slow: it imports all of scikit-learn

    found = dict(all_estimators()).get(name)
    return found and f"{found.__module__.partition('._')[0]}.{name}"


def make_metric(spec: Any, *, y: Any = None) -> Metric:
    """A metric from its name, the name of a scikit-learn scorer, a scorer, a function or a metric object.

    A function maps (y_true, y_score) to a number, larger being better; see `permconf.metrics.scorer`. Where the task of
    a function or scorer is not known, it is that of the response `y`.
    """
    if isinstance(spec, Metric):
        return spec
    made = None
    if isinstance(spec, str) and spec != "scorer":
        try:
            made = registry.loaded("metrics", spec, Metric)
        except registry.UnknownName:
            if spec in registry.names("metrics"):  # its file defines none; folders are listed only here
                raise
    made = registry.load("metrics", "scorer")(spec, y=y) if made is None else made
    return replace(made, name=metric_name(spec))


def labelled(plugin: Any, labels: Iterable | None) -> Any:
    """A learner or metric that sees classes by their labels rather than by codes, where it can and it matters."""
    known = None if labels is None or getattr(plugin, "labelled", None) is None else informative_labels(labels)
    return plugin if known is None else plugin.labelled(known)


def metric_name(spec: Any) -> str:
    """What a metric is called in results."""
    if isinstance(spec, str):
        return spec
    if isinstance(spec, Metric):
        return spec.name
    function = spec.func if isinstance(spec, partial) else getattr(spec, "_score_func", spec)  # of a scorer
    return getattr(function, "__name__", type(function).__name__)
