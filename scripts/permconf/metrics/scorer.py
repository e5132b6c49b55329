"""Metrics of scikit-learn's kind, one response after the other: a scorer, its name, or a function of one's own.

A scorer (`"neg_log_loss"`, `make_scorer(fbeta_score, beta=2)`) gets what it needs: predicted classes, probabilities
or decision values. Its value is larger if the prediction is better, as in scikit-learn. Classes have their labels,
which `pos_label` and `labels` may name; by default the second of two classes is the positive one.

A function maps (y_true, y_score) to a number. y_true holds class codes 0, 1, ... (of two classes 1 is the positive one)
or numbers. y_score holds probabilities of class 1 (with more than two classes, a column for each), decision values if
the learner gives no probabilities, or predicted numbers. Larger values are better. A function for which scikit-learn
has a scorer, such as `log_loss`, gets what that scorer gets, and is better if larger or smaller as the scorer has it;
so does a `functools.partial` of one.

The metric has a weighted version if the function takes `sample_weight`.
"""

import inspect
from functools import partial

import numpy as np

from permconf import registry
from permconf.data.label_codes import is_reversed, names_labels, seen_by_labels
from permconf.data.response import Response
from permconf.errors import SYSTEM_ERRORS, nearest, one_line
from permconf.metrics import Metric, metric_name, predicted_classes

_SAME = {"roc_auc": "auc", "roc_auc_ovr": "auc"}  # batched here
_NEEDS = {"predict": "scores", "predict_proba": "probabilities", "decision_function": "order"}
_LINKS = {
    "logit": (
        *("accuracy_score", "average_precision_score", "balanced_accuracy_score", "f1_score", "fbeta_score"),
        *("jaccard_score", "precision_score", "recall_score", "roc_auc_score", "top_k_accuracy_score"),
    ),
    "log": (
        *("brier_score_loss", "log_loss", "mean_absolute_error", "mean_squared_error", "root_mean_squared_error"),
        *("mean_squared_log_error", "root_mean_squared_log_error", "median_absolute_error", "max_error"),
    ),
    "fisher": ("cohen_kappa_score", "matthews_corrcoef"),
}


def scorer_metric(spec, *, y=None):
    """The metric of a scorer, of its name or of a function; `y` decides the task where it is not known."""
    if isinstance(spec, str):
        return registry.load("metrics", _SAME[spec]) if spec in _SAME else _of_scorer(_by_name(spec), y)
    if hasattr(spec, "_score_func"):
        return _of_scorer(spec, y)
    if not callable(spec):
        raise ValueError(f"a metric is a name, a scorer or a function(y_true, y_score), not {spec!r}")
    function, options = (spec.func, spec.keywords) if isinstance(spec, partial) and not spec.args else (spec, {})
    known = next((s for s in _all_scorers() if s._score_func is function), None)
    if known is None:
        _check_arguments(spec)
        task = _task(y, spec)
        needs = "probabilities if known" if task == "classification" else "order"
        return _looped(spec, needs, task, 1, {}, sees_labels=False)
    return _looped(function, _needs(known), _known_task(known) or _task(y, spec), known._sign, options, negated=False)


def _check_arguments(function):
    """Refuse a function of (estimator, X, y): scores are all that a metric gets here."""
    required = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    if len([one for one in required if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]) > 2:
        raise ValueError(
            f"{metric_name(function)} must be a function(y_true, y_score), not of an estimator; for predicted classes"
            " give sklearn.metrics.make_scorer(function)"
        )


def _of_scorer(scorer, y):
    function = scorer._score_func
    return _looped(function, _needs(scorer), _known_task(scorer) or _task(y, function), scorer._sign, scorer._kwargs)


def _by_name(name):
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        ours = [known for known in registry.names("metrics") if known != "scorer"]
        raise registry.UnknownName(f"unknown metric {name!r}{nearest(name, [*ours, *get_scorer_names()])}")
    return get_scorer(name)


def _all_scorers():
    from sklearn.metrics import get_scorer, get_scorer_names

    return map(get_scorer, get_scorer_names())


def _needs(scorer):
    """The form of scores for the methods of an estimator that the scorer calls; there may be several, in order."""
    method = scorer._response_method
    return _NEEDS[method if isinstance(method, str) else method[0]]


def _known_task(scorer):
    if _needs(scorer) != "scores":
        return "classification"
    module = scorer._score_func.__module__
    if module.startswith("sklearn.metrics"):
        return "regression" if module.endswith("_regression") else "classification"
    return None


def _task(y, function):
    if y is None:
        name = metric_name(function)
        raise ValueError(f"whether {name} is for classes or numbers is not known; give a Metric(..., task=...) instead")
    return Response.of(np.asarray(y)[:, 0] if np.ndim(y) == 2 else y).task


def _looped(function, needs, task, sign, options, *, negated=True, sees_labels=True, labels=None):
    """A metric that calls `function` for every column. With `negated`, larger values are better whatever the sign."""
    factor = sign if negated else 1
    has_classes = task == "classification"
    as_classes = has_classes and needs == "scores"
    parameters = inspect.signature(function).parameters
    averages = "average" in parameters and parameters["average"].default == "binary"
    has_positive_class = "pos_label" in parameters and not (averages and options.get("average", "binary") != "binary")

    def value(y, scores, **weights):
        if not has_classes:
            return factor * _number(function, y.copy(), scores.copy(), options | weights)

        def called(labels):
            given = dict(options)
            if scores.ndim == 2 and needs == "probabilities" and "labels" in parameters:
                given = {"labels": _named(np.arange(scores.shape[1]), labels)} | given
            elif labels is not None and labels.size == 2 and has_positive_class:
                given = {"pos_label": labels[1]} | given
            predicted = _named(scores, labels) if as_classes else scores.copy()
            return _number(function, _named(y, labels), predicted, given | weights)

        return factor * seen_by_labels(called, labels, named=names_labels(options))

    def values(Y, scores):
        scores = predicted_classes(scores) if as_classes else scores
        return np.array([value(Y[:, k], scores[:, k]) for k in range(Y.shape[1])])

    def weighted(y, scores, weights):
        scores = predicted_classes(scores[:, None])[:, 0] if as_classes else scores
        usable = np.isfinite(weights).all(axis=0)
        pairs = zip(weights.T, usable, strict=True)
        return np.array([value(y, scores, sample_weight=w.copy()) if fine else np.nan for w, fine in pairs])

    def labelled(labels):
        if is_reversed(labels) and not names_labels(options):  # codes have the positive class last, as functions expect
            labels = None
        return _looped(function, needs, task, sign, options, negated=negated, labels=labels)

    return Metric(
        values,
        task=task,
        larger_is_better=negated or sign > 0,
        weighted=weighted if "sample_weight" in parameters else None,
        link=_link(function, options, factor),
        needs=needs,
        labelled=labelled if has_classes and sees_labels and labels is None else None,
    )


def _named(codes, labels):
    codes = codes.astype(np.int64)
    return codes if labels is None else labels[codes]


def _link(function, options, factor):
    """The scale of intervals, by the range of a function of scikit-learn's."""
    known = str(getattr(function, "__module__", "")).startswith("sklearn.metrics")
    if not known or factor < 0 or options.keys() & {"adjusted", "normalize"}:
        return "identity"
    return next((link for link, names in _LINKS.items() if function.__name__ in names), "identity")


def _number(function, y, scores, options):
    """The value of a function, checked; its errors become a sentence."""
    name = metric_name(function)
    try:
        value = function(y, scores, **options)
    except SYSTEM_ERRORS:
        raise
    except Exception as error:
        raise ValueError(f"{name} fails: {one_line(error)}") from error
    try:
        if np.ndim(value) == 0 and not isinstance(value, str | bytes) and not np.iscomplexobj(value):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must return a number, not an object of type {type(value).__name__}")


METRIC = scorer_metric
