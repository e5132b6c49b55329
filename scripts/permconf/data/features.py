"""Features: a matrix of numbers or a DataFrame, and both as a learner takes them.

A learner with `takes_frames = True` gets a DataFrame as it is, with its column names; one with `takes_missing = True`
gets NaN. All others get a matrix of finite numbers. Into it the columns of a table of one's own, and those of a
DataFrame with labels, are encoded for each training set (`permconf.data.encoding`); a DataFrame of numbers is the
matrix that it holds.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from permconf.data.values import LARGEST, plain_values
from permconf.errors import one_line, similar


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix of numbers, finite or NaN, or a DataFrame; `is_table` if its columns are encoded whatever they hold."""

    X: Any
    is_table: bool = False

    @classmethod
    def of(cls, X: Any, name: str = "X") -> "Features":
        """From a matrix, or from a DataFrame with distinct names of columns."""
        X = plain_values(X)
        if not _is_frame(X):
            return cls(feature_matrix(X, name))
        if not X.columns.is_unique:
            raise ValueError(f"column {X.columns[X.columns.duplicated()][0]!r} occurs twice in {name}")
        return cls(X.reset_index(drop=True))

    @classmethod
    def of_sets(cls, X_train: Any, X_test: Any, names: tuple[str, str] = ("X_train", "X_test")) -> "Features":
        """Training rows, then test rows; columns with names are matched by them. `names` are those in errors."""
        X_train, X_test = plain_values(X_train), plain_values(X_test)
        if _is_frame(X_train) and _is_frame(X_test):
            import pandas as pd

            train, test = cls.of(X_train, names[0]).X, _in_order(X_train, X_test, names)
            test = _with_numbers(train, test, names)
            for name in (name for name in train.columns if hasattr(train[name], "cat") and hasattr(test[name], "cat")):
                known = train[name].cat.categories  # with others, concat would make objects of both
                new = test[name].cat.categories.difference(known, sort=False)
                both = train[name].cat.add_categories(new)
                train, test = train.assign(**{name: both}), test.assign(**{name: test[name].astype(both.dtype)})
            return cls(pd.concat([train, test], ignore_index=True))
        train, test = feature_matrix(X_train, names[0]), feature_matrix(X_test, names[1])
        if train.shape[1] != test.shape[1]:
            raise ValueError(f"{names[0]} has {train.shape[1]} features, {names[1]} has {test.shape[1]}")
        return cls(np.concatenate([train, test]))

    @property
    def is_frame(self) -> bool:
        return _is_frame(self.X)

    @cached_property
    def _needs_encoding(self) -> bool:
        return self.is_frame and (self.is_table or any(dtype.kind not in "biuf" for dtype in self.X.dtypes))

    @cached_property
    def missing(self) -> Any:
        """The first column, by name or number, with missing values; None if there is none."""
        if self.is_frame:
            return next((name for name in self.X.columns if self.X[name].isna().any()), None)
        absent = np.isnan(self.X)
        return int(np.argwhere(absent)[0, 1]) if absent.any() else None

    def take(self, rows: Any) -> "Features":
        return replace(self, X=rows_of(self.X, rows))

    def check(self, learner: Any) -> None:
        """Raise ValueError if a learner cannot take these features."""
        takes_missing = getattr(learner, "takes_missing", False)
        if self._needs_encoding and not getattr(learner, "takes_frames", False):
            from permconf.data.encoding import Encoding

            Encoding.of(learner).check(self.X, missing=takes_missing)
        if self.missing is not None and not takes_missing:
            where = repr(self.missing) if self.is_frame else self.missing
            name = getattr(learner, "name", type(learner).__name__)
            raise ValueError(
                f"X has missing values in column {where}, which {name} does not take; impute them, leave the column"
                " out, or choose an estimator that takes them, such as sklearn.ensemble.HistGradientBoostingClassifier"
            )
        if not self.is_frame:
            return
        for name in self.X.columns:
            if self.X[name].dtype.kind == "f" and np.isinf(self.X[name]).any():
                raise ValueError(f"X has infinite values in column {name!r}")

    def encoded(self, learner: Any, train: Any, test: Any) -> tuple[Any, Any]:
        """Training and test rows as a learner takes them."""
        X = rows_of(self.X, train), rows_of(self.X, test)
        if not self.is_frame or getattr(learner, "takes_frames", False):
            return X
        if not self._needs_encoding:
            return feature_matrix(X[0], "X_train"), feature_matrix(X[1], "X_test")
        from permconf.data.encoding import Encoding  # needs pandas, which takes a third of a second

        return Encoding.of(learner).matrices(*X)

    def __len__(self) -> int:
        return len(self.X)


def feature_matrix(X: Any, name: str = "X") -> np.ndarray:
    """X as a contiguous matrix of numbers, none of them infinite; missing ones are NaN."""
    if hasattr(X, "toarray"):
        raise ValueError(f"{name} is sparse; give a dense matrix, for example {name}.toarray()")
    if np.iscomplexobj(X):
        raise ValueError(f"{name} holds complex numbers; give real ones")
    try:
        X = np.ascontiguousarray(plain_values(X), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a matrix of numbers: {one_line(error)}") from error
    if X.ndim != 2:
        raise ValueError(f"{name} must be a matrix, not an array of shape {X.shape}")
    largest = np.max(np.abs(X), initial=0)  # NaN if a number is missing
    if not largest <= LARGEST:
        if (infinite := np.argwhere(np.isinf(X))).size:
            row, column = infinite[0]
            raise ValueError(f"{name} has infinite values, the first in column {column}, row {row}")
        if np.nanmax(np.abs(X), initial=0) > LARGEST:
            raise ValueError(f"{name} has values beyond {LARGEST:g}: their squares overflow; rescale it")
    return X


def rows_of(X: Any, rows: Any) -> Any:
    return X.iloc[rows].reset_index(drop=True) if _is_frame(X) else X[rows]


def _is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _in_order(X_train, X_test, names):
    """The test set with its columns in the order of the training set."""
    new = [column for column in X_test.columns if column not in set(X_train.columns)]
    for column in X_train.columns:
        if column not in set(X_test.columns):
            raise ValueError(f"{names[1]} has no column {column!r}, which {names[0]} has{similar(column, new)}")
    if new:
        raise ValueError(f"{names[0]} has no column {new[0]!r}, which {names[1]} has")
    return X_test[list(X_train.columns)]


def _with_numbers(train, test, names):
    """The test set, with numbers for text in the columns that hold numbers in the training set."""
    import pandas as pd

    for name in train.select_dtypes("number").columns:
        if test[name].dtype.kind != "O" or hasattr(test[name], "cat"):
            continue
        found = pd.to_numeric(test[name], errors="coerce")
        wrong = np.flatnonzero(found.isna() & test[name].notna())
        if wrong.size:
            text = test[name].iloc[wrong[0]]
            raise ValueError(
                f"column {name!r} holds numbers in {names[0]}, but {text!r} in row {wrong[0]} of {names[1]}"
            )
        test = test.copy()
        test[name] = found
    return test
