"""Any scikit-learn compatible estimator or Pipeline: the fallback, with one fit per permutation."""

import copy
import importlib

import numpy as np

from permconf.data.label_codes import is_reversed, names_labels, seen_by_labels
from permconf.engine.contracts import class_count
from permconf.engine.scores import Scores, class_scores
from permconf.errors import SYSTEM_ERRORS, one_line
from permconf.permute.random_bits import random_bits


class Estimator:
    """Wraps an estimator, given as an object or as a dotted name such as `sklearn.svm.SVC` with arguments.

    An argument that is an estimator itself is a mapping with a dotted name: `{"name": "sklearn.svm.SVC", "C": 2.0}`.
    Every `random_state`, also of steps and of nested estimators, is set from the key of the permutation, even if it was
    fixed: permutations would otherwise share random numbers. A DataFrame reaches an estimator that is given as an
    object with its column names; one given by name gets a matrix, with indicators of labels.

    A classifier is fitted to the labels of the classes, where they are known, so that `class_weight` and the like may
    name them; one that refuses them gets codes 0, 1, ... Each call gets a copy of the features, which it may change.
    """

    labels = None

    def __init__(self, estimator, /, **arguments):
        if isinstance(estimator, type):
            raise ValueError(f"give an estimator, {estimator.__name__}(), instead of its class")
        self.takes_frames = not isinstance(estimator, str)  # a dotted name comes with no steps that encode labels
        self.estimator = estimator if self.takes_frames else _from_dotted_name(estimator, arguments)

    @property
    def name(self):
        """The name of the estimator's class."""
        return type(self.estimator).__name__

    @property
    def tasks(self):
        """What the estimator is for, both tasks if it does not say."""
        from sklearn.base import is_classifier, is_regressor

        said = {"classification": is_classifier(self.estimator), "regression": is_regressor(self.estimator)}
        return tuple(task for task, yes in said.items() if yes) or tuple(said)

    @property
    def takes_missing(self):
        """Whether NaN may reach the estimator: by its tags, or it is a composite whose parts decide."""
        made_of_others = any(hasattr(value, "get_params") for value in self._parameters().values())
        return made_of_others or _allows_nan(self.estimator)

    @property
    def takes_weights(self):
        """Whether the estimator, or the last step of a Pipeline, can be fitted with sample_weight."""
        return _weight_argument(self.estimator) is not None

    def labelled(self, labels):
        """The same estimator, fitted to these labels of the classes."""
        other = copy.copy(self)
        other.labels = labels
        return other

    def scores(self, X_train, Y_train, X_test, keys):
        """Decision values, else probabilities, of class 1 or of every class; or predictions."""
        return self._fitted(X_train, Y_train, X_test, keys, [{}] * keys.size)

    def weighted_scores(self, X_train, Y_train, weights, X_test, keys):
        """As `scores`, with a weight (n, b) for every training row and response."""
        argument = _weight_argument(self.estimator)
        return self._fitted(X_train, Y_train, X_test, keys, [{argument: w} for w in weights.T])

    def _fitted(self, X_train, Y_train, X_test, keys, arguments):
        classes = class_count(Y_train)
        rows, columns = len(X_test), []
        for y, key, given in zip(Y_train.T, keys, arguments, strict=True):
            if classes:
                model, labels = self._fitted_to_classes(X_train, y, key, given)
                columns.append(self._named(_predicted, model, X_test, classes, labels))
            else:
                model = self._named(self._fit, X_train, y.copy(), key, given)
                columns.append((self._named(_numbers, model, X_test), None, "value"))
        if not columns:
            return np.empty((rows, 0))
        values, probabilities, kinds = zip(*columns, strict=True)
        known = None if probabilities[0] is None else np.stack(probabilities, axis=1)
        return Scores(np.stack(values, axis=1), np.zeros(keys.size, bool), kinds[0], known)

    def _fitted_to_classes(self, X, y, key, given):
        """A fitted copy, and the labels that it knows the classes by."""
        y = y.astype(np.int64)
        named = self.labels is not None and names_labels(self._parameters())

        def fitted(labels):
            refusing = labels is not None and not named
            return self._named(self._fit, X, y if labels is None else labels[y], key, given, refusing), labels

        return seen_by_labels(fitted, self.labels, named=named)

    def _fit(self, X, y, key, given, refusing=False):
        """A fitted copy; if `refusing`, a search in it raises the errors of its scorer instead of choosing blindly."""
        model = self._model(key)
        if refusing:
            strict = [name for name in model.get_params() if name.rpartition("__")[2] == "error_score"]
            model.set_params(**dict.fromkeys(strict, "raise"))
        return model.fit(_own(X), y, **{name: weights.copy() for name, weights in given.items()})

    def _named(self, action, *arguments):
        """The result of an action; its error becomes a sentence with the name of the estimator."""
        try:
            return action(*arguments)
        except SYSTEM_ERRORS:
            raise
        except Exception as error:
            raise ValueError(f"{self.name} fails: {one_line(error)}") from error

    def _parameters(self):
        return self.estimator.get_params(deep=True) if hasattr(self.estimator, "get_params") else {}

    def _model(self, key):
        """An unfitted copy whose random numbers follow from the key."""
        from sklearn.base import clone

        model = clone(self.estimator)
        parameters = model.get_params(deep=True)
        random = sorted(
            name
            for name, value in parameters.items()
            if name.rpartition("__")[2] == "random_state" or _is_shuffling_splitter(value)
        )
        states = {}
        for place, name in enumerate(random, start=1):
            bits = key if name == "random_state" else random_bits(np.uint64(key), place)  # its own seed is its key
            seed = int(np.uint64(bits) & np.uint64(0x7FFFFFFF))
            states[name] = _reseeded(parameters[name], seed) if hasattr(parameters[name], "split") else seed
        return model.set_params(**states) if states else model


def _reseeded(splitter, seed):
    splitter = copy.copy(splitter)
    splitter.random_state = seed
    return splitter


def _is_shuffling_splitter(value):
    """Whether a parameter is a cross-validation splitter that is random (splitters have no parameters themselves)."""
    random = hasattr(value, "random_state") and hasattr(value, "split") and not hasattr(value, "get_params")
    return random and getattr(value, "shuffle", True)


# ---- predictions -----------------------------------------------------------------------------------------------------


def _own(X):
    """A copy of a matrix or DataFrame in the same order of memory, on which sums may depend."""
    return X.copy() if hasattr(X, "iloc") else X.copy(order="K")


def _numbers(model, X):
    return np.asarray(model.predict(_own(X)), dtype=np.float64)


def _predicted(model, X, classes, labels):
    """Scores of one fit for `classes` classes, its probabilities if there are any, and the kind of the scores."""
    labels = np.arange(max(classes, 2)) if labels is None else labels
    known = _codes(getattr(model, "classes_", labels[:classes]), labels)
    probabilities = (
        _all_classes(model.predict_proba(_own(X)), known, classes, 0.0) if hasattr(model, "predict_proba") else None
    )
    values = _decision_values(model, X, known, classes)
    if classes > 2:
        predicted = _codes(model.predict(_own(X)), labels)
        if values is None:
            values = class_scores(predicted, classes) if probabilities is None else probabilities
        return _with_predicted_largest(values, predicted), probabilities, "value"
    of_class_1 = None if probabilities is None else probabilities[:, 1]
    if hasattr(model, "best_threshold_") or hasattr(model, "threshold"):  # it predicts by a threshold of its own
        predicted = _codes(model.predict(_own(X)), labels)
        return _cut_as_predicted(of_class_1 if values is None else values, predicted), of_class_1, "value"
    if values is None and probabilities is not None and not hasattr(model, "decision_function"):
        return of_class_1, of_class_1, "probability"
    return _centred(model.predict(_own(X)), labels) if values is None else values, of_class_1, "value"


def _codes(predicted, labels):
    """Places among the labels of the classes."""
    same = np.asarray(predicted)[:, None] == labels
    if not same.any(axis=1).all():
        wrong = np.asarray(predicted)[~same.any(axis=1)][0]
        raise ValueError(f"it predicts {wrong!s}, which is no class of the response")
    return same.argmax(axis=1)


def _centred(predicted, labels):
    """Predictions that are positive for the second of two classes; numbers between the labels need not be labels."""
    if labels.dtype.kind in "biuf":
        centred = np.asarray(predicted, dtype=np.float64) - (labels[0] / 2 + labels[1] / 2)
        return -centred if is_reversed(labels) else centred
    return _codes(predicted, labels) - 0.5


def _cut_as_predicted(values, predicted):
    """Values shifted so that those of rows predicted as class 1 are positive."""
    low, high = values[predicted == 0].max(initial=-np.inf), values[predicted == 1].min(initial=np.inf)
    cut = 0.5 * low + 0.5 * high if np.isfinite(low + high) else low if np.isinf(high) else high - 1.0
    return values - cut


def _decision_values(model, X, known, classes):
    """Decision values (m,) of two classes, or (m, K) of more; None if the model has none."""
    if not hasattr(model, "decision_function") or known.size < 2:
        return None
    values = np.asarray(model.decision_function(_own(X)), dtype=np.float64)
    if values.ndim == 1:
        if classes <= 2:
            return values if known[1] else -values
        values = np.stack([-values, values], axis=1)
    if values.shape[1] != known.size:  # such as one against one
        return None
    return _all_classes(values, known, classes, values.min() - 1.0)


def _with_predicted_largest(values, predicted):
    """Scores with the largest one exchanged for that of the predicted class, where a tie was broken otherwise."""
    largest, rows, values = values.argmax(axis=1), np.arange(len(values)), values.copy()
    values[rows, largest], values[rows, predicted] = values[rows, predicted], values[rows, largest]
    return values


def _all_classes(values, known, classes, absent):
    """Columns for all classes, from those of the classes that were in the training set."""
    out = np.full((len(values), max(classes, 2)), absent)
    out[:, known] = values
    return out


# ---- what an estimator takes -----------------------------------------------------------------------------------------


def _allows_nan(estimator):
    try:
        from sklearn.utils import get_tags

        return get_tags(estimator).input_tags.allow_nan
    except (ImportError, AttributeError, TypeError):  # before scikit-learn 1.6, or not one of its estimators
        tags = estimator._get_tags() if hasattr(estimator, "_get_tags") else {}
        return tags.get("allow_nan", True)


def _weight_argument(estimator):
    """The argument of `fit` that takes weights, `<step>__sample_weight` for a Pipeline; None if there is none."""
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = _weight_argument(last)
        return inner and f"{name}__{inner}"
    if isinstance(estimator, BaseSearchCV):
        return _weight_argument(estimator.estimator)
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def _from_dotted_name(name, arguments):
    module, _, attribute = name.rpartition(".")
    try:
        made = getattr(importlib.import_module(module), attribute)
        if not (isinstance(made, type) and hasattr(made, "fit")):  # never call arbitrary code
            raise TypeError("it is not a class with a method fit")
        return made(**{argument: _nested(value) for argument, value in arguments.items()})
    except Exception as error:
        raise ValueError(f"learner {name!r} cannot be created: {one_line(error)}") from error


def _nested(value):
    """An argument; a mapping with a dotted name becomes the estimator of that name."""
    if isinstance(value, dict) and "." in str(value.get("name", "")):
        return _from_dotted_name(value["name"], {key: v for key, v in value.items() if key != "name"})
    return value


LEARNER = Estimator
