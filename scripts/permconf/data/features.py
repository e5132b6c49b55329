"""Features as a learner takes them: matrices of finite numbers or, if it says so, data frames and missing values.

A learner with `takes_frames = True` gets a DataFrame as it is, with its column names; one with `takes_missing = True`
gets NaN. All others get a matrix of finite numbers. Columns of the test set are brought into the order of those of the
training set by their names.
"""

from typing import Any

import numpy as np

from permconf.data.validation import plain_values
from permconf.errors import one_line

LARGEST = 1e150  # number whose square can be computed


def feature_tables(X_train: Any, X_test: Any, learner: Any = None) -> tuple[Any, Any]:
    """Features of the training and of the test set as `learner` takes them; ValueError if it cannot."""
    X_test = _in_order(X_train, X_test)
    missing = getattr(learner, "takes_missing", False)
    if getattr(learner, "takes_frames", False) and _is_frame(X_train) and _is_frame(X_test):
        for X, name in ((X_train, "X_train"), (X_test, "X_test")):
            _check_frame(X, name, learner, missing=missing)
        return X_train.reset_index(drop=True), X_test.reset_index(drop=True)
    return feature_matrix(X_train, "X_train", missing=missing), feature_matrix(X_test, "X_test", missing=missing)


def feature_matrix(X: Any, name: str = "X", *, missing: bool = False) -> np.ndarray:
    """X as a contiguous matrix of finite numbers, NaN being allowed if `missing`."""
    if _is_frame(X):
        for column, dtype in X.dtypes.items():
            if dtype.kind not in "biuf":
                raise ValueError(
                    f"{name}: column {column!r} does not hold numbers; encode it, or use a scikit-learn Pipeline"
                )
    X, columns = _numbers(X, name), list(X.columns) if _is_frame(X) else None
    if X.ndim != 2:
        raise ValueError(f"{name} must be a matrix, not an array of shape {X.shape}")
    if X.size and np.nanmax(np.abs(X), initial=0) > LARGEST and np.isfinite(X).all():
        raise ValueError(f"{name} has values beyond {LARGEST:g}, whose squares are no numbers any more; rescale it")
    bad = np.isinf(X) if missing else ~np.isfinite(X)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        where = f"in column {column if columns is None else repr(columns[column])}, row {row}"
        raise ValueError(f"{name} has {'infinite' if missing else 'missing or infinite'} values, the first {where}")
    return X


def _numbers(X, name):
    """X as floats, or a ValueError if it is not made of real numbers."""
    if hasattr(X, "toarray"):
        raise ValueError(f"{name} is sparse; give a dense matrix, for example {name}.toarray()")
    if np.iscomplexobj(X):
        raise ValueError(f"{name} holds complex numbers; give real ones")
    try:
        return np.ascontiguousarray(plain_values(X), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a matrix of numbers: {one_line(error)}") from error


def rows_of(X: Any, rows: Any) -> Any:
    """Some rows of a matrix or DataFrame."""
    return X.iloc[rows] if _is_frame(X) else X[rows]


def _is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _in_order(X_train, X_test):
    """The test set with its columns in the order of the training set, if both have names."""
    if not (_is_frame(X_train) and _is_frame(X_test)):
        return X_test
    for one, other, name in ((X_train, X_test, "X_test"), (X_test, X_train, "X_train")):
        lacking = [column for column in one.columns if column not in set(other.columns)]
        if lacking:
            raise ValueError(f"{name} has no column {lacking[0]!r}, which the other set has")
    if not X_train.columns.is_unique:
        raise ValueError(f"column {X_train.columns[X_train.columns.duplicated()][0]!r} occurs twice in X_train")
    return X_test[list(X_train.columns)]


def _check_frame(X, name, learner, *, missing):
    for column in X.columns:
        if not missing and X[column].isna().any():
            what = getattr(learner, "name", "the learner")
            raise ValueError(f"{name} has missing values in column {column!r}, which {what} does not take; impute them")
        if X[column].dtype.kind == "f" and np.isinf(X[column]).any():
            raise ValueError(f"{name} has infinite values in column {column!r}")
