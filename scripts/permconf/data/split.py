"""A training and a test set, and the validation of its arrays."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from permconf.data.confounders import check_row_order
from permconf.data.features import LARGEST, feature_matrix, feature_tables, rows_of
from permconf.data.label_codes import places, places_of_objects
from permconf.data.mixed_confounders import MixedConfounders, analysed_confounders
from permconf.data.validation import complete_vector

__all__ = ["Split", "checked_split", "encode_response", "feature_matrix"]


@dataclass(frozen=True)
class Split:
    """Features, response and confounder of a training and a test set.

    The confounder is a vector of levels, or a mixture of levels and numbers ("smooth"). The features are a matrix, or a
    DataFrame for a learner that takes one. `confounders_train` and `confounders_test` are the confounders as they come,
    a vector or a column for each, where something needs them; `groups_train` and `groups_test` the subject of each row,
    where rows of a subject depend on each other.
    """

    X_train: Any
    y_train: np.ndarray
    c_train: np.ndarray | MixedConfounders
    X_test: Any
    y_test: np.ndarray
    c_test: np.ndarray | MixedConfounders
    confounders_train: np.ndarray | None = None
    confounders_test: np.ndarray | None = None
    groups_train: np.ndarray | None = None
    groups_test: np.ndarray | None = None

    def rows(self, train, test):
        """Some of the rows of each set."""
        sets = {"train": train, "test": test}
        chosen: dict[str, Any] = {}
        for field in fields(self):
            values = getattr(self, field.name)
            chosen[field.name] = None if values is None else rows_of(values, sets[field.name.split("_")[1]])
        return Split(**chosen)

    @property
    def has_levels(self):
        """Whether the confounder is made of levels only."""
        return not isinstance(self.c_train, MixedConfounders)

    @property
    def has_groups(self):
        """Whether rows belong to subjects."""
        return self.groups_train is not None

    @classmethod
    def of(cls, X, y, c, train, test):
        """Take the rows `train` and `test` (index arrays or masks)."""
        return cls(rows_of(X, train), y[train], c[train], rows_of(X, test), y[test], c[test])


def checked_split(X_train, y_train, c_train, X_test, y_test, c_test, *, task, learner=None, confounder="analysed"):
    """A split of the given arrays in the form that the engine needs; raises ValueError if they are invalid.

    Features stay in a DataFrame, or may have missing values, if the learner takes them so (`takes_frames`,
    `takes_missing`). Confounders are analysed as `confounder` says, unless they have been "analysed".
    """
    check_row_order(X_train=X_train, y_train=y_train, c_train=c_train)
    check_row_order(X_test=X_test, y_test=y_test, c_test=c_test)
    if confounder != "analysed":
        c_train, c_test = analysed_confounders(c_train, c_test, confounder)
    X_train, X_test = feature_tables(X_train, X_test, learner)
    y_train, y_test = complete_vector(y_train, "y_train"), complete_vector(y_test, "y_test")
    y_train, y_test = encode_response(y_train, y_test, task)
    split = Split(X_train, y_train, c_train, X_test, y_test, c_test)
    check_rows(split)
    return split


def check_rows(split):
    """Raise ValueError unless features, response and confounder of each set have as many rows, and the sets fit."""
    for part in ("train", "test"):
        X, y, c = (getattr(split, f"{name}_{part}") for name in "Xyc")
        if not len(X) == len(y) == len(c):
            raise ValueError(f"X_{part}, y_{part} and c_{part} have {len(X)}, {len(y)} and {len(c)} rows")
        as_given = getattr(split, f"confounders_{part}")
        if as_given is not None and len(as_given) != len(y):
            raise ValueError(f"y_{part} and confounders_{part} have {len(y)} and {len(as_given)} rows")
    for part in ("train", "test"):
        if np.ndim(getattr(split, f"X_{part}")) != 2:
            raise ValueError(f"X_{part} is not a matrix but of shape {np.shape(getattr(split, f'X_{part}'))}")
    if split.X_train.shape[1] != split.X_test.shape[1]:
        raise ValueError(f"X_train has {split.X_train.shape[1]} features, X_test has {split.X_test.shape[1]}")


def encode_response(y_train, y_test, task):
    """Responses in the form that learners need: values in regression, class codes 0, 1, ... in classification."""
    if task == "regression":
        return _numbers(y_train), _numbers(y_test)
    parts = np.asarray(y_train), np.asarray(y_test)
    labels, (train, test) = _codes_by_first_column(parts) or _codes_by_sorting(parts)
    if labels.size > 2 and (unseen := labels[np.bincount(train.ravel(), minlength=labels.size) == 0]).size:
        raise ValueError(f"classes {unseen.tolist()} are in the test set only")
    return train, test


def _codes_by_first_column(parts):
    """Few classes, all of them in the first columns, as in permuted responses: to sort takes longer than to fit."""
    if not all(y.size for y in parts):
        return None
    first = np.concatenate([y.reshape(len(y), -1)[:, 0] for y in parts])
    labels, codes = sorted_classes(first)
    coded = [_codes(y.astype(first.dtype, copy=False), labels, first, codes.astype(np.uint8)) for y in parts]
    return None if any(part is None for part in coded) else (labels, coded)


def _codes(y, labels, first, codes_of_first):
    if y.dtype == object and (place := places_of_objects(y, first)) is not None:
        return codes_of_first[place]
    return places(y, labels)


def _codes_by_sorting(parts):
    """Any classes, and what is wrong with others."""
    pooled = np.concatenate([y.ravel() for y in parts])
    if pooled.dtype.kind == "f" and not np.isfinite(pooled).all():
        raise ValueError("the response has missing or infinite values")
    labels, codes = sorted_classes(pooled)
    if labels.size > 255:
        raise ValueError(f"the response has {labels.size} classes; use a regression metric")
    train, test = np.split(codes.astype(np.uint8), [parts[0].size])
    return labels, (train.reshape(parts[0].shape), test.reshape(parts[1].shape))


def sorted_classes(y):
    """The sorted classes of a response, and the code of every row."""
    if y.dtype.kind in "cMm":
        raise ValueError(f"the response holds values of type {y.dtype}; give classes as numbers or text")
    try:
        return np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError("the classes of the response are of different types; give numbers or text") from error


def _numbers(y):
    try:
        y = np.asarray(y).astype(np.float64, casting="same_kind" if np.iscomplexobj(y) else "unsafe")
    except (TypeError, ValueError) as error:
        raise ValueError("the response must be made of real numbers for this metric") from error
    if not np.isfinite(y).all():
        raise ValueError("the response has missing or infinite values")
    if np.abs(y).max(initial=0) > LARGEST:
        raise ValueError(
            f"the response has values beyond {LARGEST:g}, whose squares are no numbers any more; rescale it"
        )
    return y
