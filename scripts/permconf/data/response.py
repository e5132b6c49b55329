"""The response: classes or numbers, decided here and nowhere else.

Labels of any type, truth values and numbers with at most ten distinct values (some of them repeated) are classes, as
are whole numbers with at least five rows per distinct value. Other numbers are the response of a regression.

Of two classes, the positive one is the one that is asked for. By default it is the last of ordered categories; of other
labels the last in sorted order, unless it is that of a reference group, such as control, healthy or no
(`is_reference`), and the other is not.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from permconf.data.binning import binned
from permconf.data.label_codes import places
from permconf.data.levels import Levels
from permconf.data.values import LARGEST, MOST_LEVELS, ROWS_PER_LEVEL, clean, coded, in_order, numbers, plain_values

MOST_CLASSES = 255
RESPONSE_GROUPS = 20  # fewest groups of a numeric response
REFERENCES = (
    *("control", "controls", "ctrl", "ctl", "healthy", "hc", "nc", "cn", "hv", "normal", "well", "unaffected", "no"),
    *("none", "negative", "neg", "false", "absent", "benign", "reference", "wild type", "wildtype", "wt", "placebo"),
)
_REFERENCE = re.compile(rf"({'|'.join(REFERENCES)}|(non|not|no|without|healthy|normal)[ _-].*|.*[ _-]controls?)", re.I)


@dataclass(frozen=True, eq=False)
class Response:
    """Codes (uint8) of classes, whose labels are in `labels`, or numbers (float64) without labels.

    Labels are sorted, but of two classes the second is the positive one: the one that larger scores stand for.
    """

    values: np.ndarray
    labels: np.ndarray | None = None
    name: str = "y"

    @classmethod
    def of(cls, y: Any, task: str | None = None, *, name: str = "y", positive: Any = None) -> "Response":
        """A checked response; `task`, "classification" or "regression" where it is known, must suit it."""
        y = clean(y, name)
        if task == "regression":
            if y.dtype.kind not in "biuf":
                raise ValueError(f"{name} holds labels; choose a metric for classes, such as 'auc'")
            return cls._of_numbers(y, name, positive)
        if y.dtype.kind in "Mm":
            raise ValueError(f"{name} holds dates or durations; give classes or numbers")
        if positive is None and hasattr(y, "cat") and y.cat.ordered and len(y.cat.categories) == 2:
            positive = y.cat.categories[1]
        labels, codes = coded(in_order(y) if hasattr(y, "cat") else y)
        if not _are_classes(y, labels.size):
            if task:
                raise ValueError(
                    f"{name} is numeric, with {labels.size} distinct values; choose a learner and a metric for"
                    " regression, such as learner='linear_regression' and metric='r2', or give classes"
                )
            return cls._of_numbers(y, name, positive)
        if labels.size > MOST_CLASSES:
            raise ValueError(f"{name} has {labels.size} classes; at most {MOST_CLASSES} are possible")
        codes = codes.astype(np.uint8)
        if labels.size != 2:
            _check_no_positive(positive, name, f"of {labels.size} classes")
        elif _positive(labels, positive, name) == 0:
            codes, labels = 1 - codes, labels[::-1]
        return cls(codes, labels, name)

    @classmethod
    def _of_numbers(cls, y, name, positive):
        _check_no_positive(positive, name, "numeric")
        return cls(numbers(y, name), None, name)

    @property
    def task(self) -> str:
        """What predicting it is: "classification" or "regression"."""
        return "regression" if self.labels is None else "classification"

    @property
    def classes(self) -> int:
        """Number of classes; 0 for numbers."""
        return 0 if self.labels is None else self.labels.size

    @property
    def positive(self) -> Any:
        """The label of the positive one of two classes, which larger scores stand for; None for any other response."""
        return self.labels.tolist()[1] if self.labels is not None and self.labels.size == 2 else None

    @property
    def is_ordered(self) -> bool:
        """Whether "larger" has a meaning: numbers, and two classes (the second is the larger one)."""
        return self.labels is None or self.labels.size == 2

    @property
    def given(self) -> np.ndarray:
        """The response by its labels."""
        return self.values if self.labels is None else self.labels[self.values]

    def take(self, rows: Any) -> "Response":
        return replace(self, values=self.values[rows])

    def varying(self) -> "Response":
        """The response, or a ValueError if it has one value only."""
        if (self.values == self.values[0]).all():
            raise ValueError(f"{self.name} has one value only, {self.given[0]}; there is nothing to predict")
        return self

    def present(self) -> "Response":
        """The same response without classes that have no rows."""
        if self.labels is None or (counts := np.bincount(self.values, minlength=self.labels.size)).all():
            return self
        codes = (np.cumsum(counts > 0) - 1).astype(np.uint8)
        return replace(self, values=codes[self.values], labels=self.labels[counts > 0])

    def levels(self, bins: int | None = None, *, parts: int = 1) -> Levels:
        """The classes, or at most `bins` groups of similar values with at least five rows (by quantiles).

        The default is `group_number`. With several parts of the data, a group has about five rows in each.
        """
        if self.labels is not None or not len(self):
            return Levels.of_codes(self.values.astype(np.int64), self.classes)
        bins = group_number(len(self.values)) if bins is None else bins
        return Levels.of(quantile_groups(self.values, bins, parts=parts))

    def __len__(self) -> int:
        return len(self.values)


def is_reference(label: Any) -> bool:
    """Whether a label is that of a reference group, such as "control", "Healthy", "no disease" or "non-case"."""
    return isinstance(label, str) and _REFERENCE.fullmatch(label.strip()) is not None


def _positive(labels, asked, name):
    """The place of the positive one of two sorted labels."""
    known = labels.tolist()
    if asked is None:
        return 0 if is_reference(known[1]) and not is_reference(known[0]) else 1
    places_of = [k for k, label in enumerate(known) if label == asked] or [
        k for k, label in enumerate(known) if str(label) == str(asked)
    ]
    if not places_of:
        raise ValueError(f"positive = {asked!r} is no class of {name}; choose {known[0]!r} or {known[1]!r}")
    return places_of[0]


def _check_no_positive(positive, name, kind):
    if positive is not None:
        raise ValueError(f"positive names one of two classes, but {name} is {kind}; leave it out")


def _are_classes(y, distinct):
    if y.dtype.kind not in "iuf" or distinct == 2 or distinct <= min(MOST_LEVELS, len(y) - 1):
        return True
    return y.dtype.kind in "iu" and distinct * ROWS_PER_LEVEL <= len(y)


def group_number(rows: int) -> int:
    """Number of groups of a numeric response: twice the square root of the number of rows, but at least 20.

    What varies with the response within a group looks like an association, with a z that grows with the square root of
    the number of rows and falls with the square of that of groups; so z falls as there are more rows.
    """
    return max(RESPONSE_GROUPS, int(2 * np.sqrt(rows)))


def quantile_groups(values: np.ndarray, bins: int, *, parts: int = 1) -> np.ndarray:
    """Group of every row: min(bins, rows // 5 // parts) groups of equal size, fewer where values are tied."""
    groups = min(bins, len(values) // (ROWS_PER_LEVEL * parts))
    if groups < min(bins, 2):
        least = 2 * ROWS_PER_LEVEL * parts
        raise ValueError(
            f"y is numeric and has {len(values)} rows{'' if parts == 1 else f' in {parts} parts'}; at least {least} are"
            " needed for groups of similar y"
        )
    return binned(values, {"quantiles": groups})


# ---- many responses at once ------------------------------------------------------------------------------------------


def response_matrices(Y_train: Any, Y_test: Any, task: str) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    """Labels (None for numbers) and values of responses in columns: Y_train (n, b) and Y_test (m, b).

    Permuted responses have few labels, all of them in the first columns; to sort whole matrices takes longer than fits.
    """
    parts = [np.atleast_2d(np.asarray(plain_values(Y)).T).T for Y in (Y_train, Y_test)]
    for part, name in zip(parts, ("Y_train", "Y_test"), strict=True):
        if part.ndim != 2:
            raise ValueError(f"{name} must be a matrix with a column for each response, not of shape {part.shape}")
    if parts[0].shape[1] != parts[1].shape[1]:
        raise ValueError(f"Y_train has {parts[0].shape[1]} columns, Y_test has {parts[1].shape[1]}")
    if not parts[0].shape[1]:
        raise ValueError("Y_train and Y_test have no columns; give one for each response")
    if task == "regression":
        return None, *(_all_numbers(part, name) for part, name in zip(parts, ("Y_train", "Y_test"), strict=True))
    first = np.concatenate([part[:, 0] for part in parts])
    response = Response.of(first, task, name="the response")
    assert response.labels is not None
    coded_parts = [_codes(part, response, first) for part in parts]
    if any(part is None for part in coded_parts):  # other labels in other columns
        response = Response.of(np.concatenate([part.ravel() for part in parts]), task, name="the response")
        ends = np.split(response.values, [parts[0].size])
        coded_parts = [codes.reshape(part.shape) for codes, part in zip(ends, parts, strict=True)]
    return response.labels, coded_parts[0], coded_parts[1]


def _codes(part, response, first):
    """Codes of a matrix of labels; None if one is not among the labels of the response."""
    if part.dtype == object:
        objects, row = np.unique(response.values, return_index=True)
        place = places(part, first[row])
        return None if place is None else objects[place]
    if part.dtype.kind == "f" and not np.isfinite(part).all():
        raise ValueError("the response has missing or infinite values")
    labels = response.labels
    return places(part, labels) if part.dtype.kind == labels.dtype.kind or part.dtype.kind in "biuf" else None


def _all_numbers(Y, name):
    try:
        Y = Y.astype(np.float64, casting="same_kind" if np.iscomplexobj(Y) else "unsafe")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be made of real numbers for this metric") from error
    if not np.isfinite(Y).all():
        raise ValueError(f"{name} has missing or infinite values")
    if np.abs(Y).max(initial=0) > LARGEST:
        raise ValueError(f"{name} has values beyond {LARGEST:g}: their squares overflow; rescale it")
    return Y
