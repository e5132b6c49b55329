"""Features as a learner needs them.

A scikit-learn estimator gets the columns as they are, with their names. For any other learner, labels become indicators
of their levels. Its attribute `encoding` may ask for more: "reference" for columns without linear dependence (the first
level of labels has no indicator, constant columns are left out), "standardised" where it depends on their scale. All is
fitted on the training rows: a level that is in the test rows only has no indicator of its own, so that all of its
indicators are zero.
"""

from dataclasses import dataclass
from numbers import Number

import numpy as np
import pandas as pd
from scipy.linalg import qr

from permconf.data.values import LARGEST, MOST_LEVELS, not_numbers

DATES = ("datetime64", "datetime", "date", "timedelta64", "timedelta", "time", "period")  # as pandas infers them
MOST_LABELS = 50  # labels of a feature beyond which it is an identifier if most rows have their own
_CONSTANT = 1e-12  # spread, relative to the mean, of a column that varies by rounding only
_DEPENDENT = 1e-9  # what is left of a standardised column that depends linearly on others, relatively


@dataclass(frozen=True)
class Encoding:
    """How a learner sees features: `reference` leaves out the indicator of the first level of labels."""

    learner: str
    reference: bool = False
    standardise: bool = False

    @classmethod
    def of(cls, learner):
        """The encoding that a learner requires."""
        asked, name = getattr(learner, "encoding", ""), type(learner).__module__.rpartition(".")[2]
        return cls(getattr(learner, "name", name), asked == "reference", asked == "standardised")

    def check(self, X, *, missing=False):
        """Raise ValueError for a column that the learner cannot use, which is named; `missing` values may do."""
        for name in X.columns:
            if not (missing and X[name].isna().any()):
                _check_column(name, X[name], self.learner, constant=not self.reference)

    def matrices(self, X_train, X_test):
        """Both sets as matrices of numbers."""
        coded = [self._coded(name, X_train[name], X_test[name]) for name in X_train.columns]
        names = [name for columns, _, _ in coded for name in columns]
        train, test = (np.ascontiguousarray(np.column_stack([one[part] for one in coded])) for part in (1, 2))
        if self.reference:
            varying = _varying(train)
            train, test = (np.ascontiguousarray(part[:, varying]) for part in (train, test))
            _check_identified([name for name, kept in zip(names, varying, strict=True) if kept], train, self.learner)
        elif self.standardise:
            centre, spread = train.mean(axis=0), train.std(axis=0)
            spread = np.where(spread > 0, spread, 1.0)
            train, test = (train - centre) / spread, (test - centre) / spread
        return train, test

    def _coded(self, name, train, test):
        """Names of the columns of a feature, and its columns in both sets."""
        if is_number(train):
            return [name], train.to_numpy(float)[:, None], test.to_numpy(float)[:, None]
        levels = np.unique(_labels(train))
        levels = levels[1:] if self.reference or levels.size == 2 else levels
        columns = ((_labels(v)[:, None] == levels).astype(float) for v in (train, test))
        return [f"{name} = {v}" for v in levels], *columns

    def notes(self, X, folds):
        """What was done to the features, in sentences."""
        labelled = [name for name in X.columns if not is_number(X[name])]
        notes = [f"Labels became indicators of their levels: {_listed(labelled)}."] if labelled else []
        if self.standardise:
            notes.append("Features were standardised with the means and standard deviations of the training rows.")
        notes += [
            f"Feature {name!r} holds text such as {text!r} among numbers, so each of its values is a level of its own."
            for name in labelled
            if (text := _text_among_numbers(X[name]))
        ]
        notes += _unused(X, folds) if self.reference else []
        return (*notes, *unseen_levels(X, folds.folds))


def is_number(column: pd.Series) -> bool:
    """Whether a feature is used as a number: numbers of any type and truth values are, labels are not."""
    if column.dtype == object:
        return all(isinstance(value, Number) for value in column)
    return pd.api.types.is_numeric_dtype(column.dtype)


def _labels(column):
    return column.astype(str).to_numpy(object)


def _text_among_numbers(column):
    """A label of a column most of whose many labels are numbers: likely a typo; "" if there is none."""
    labels = column.dropna().astype(str).unique().tolist()
    wrong = not_numbers(labels) if len(labels) > MOST_LEVELS else []
    return wrong[0] if 2 * len(wrong) < len(labels) and wrong else ""


def _listed(names, most=5):
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _varying(X):
    """Which columns of a matrix vary by more than rounding."""
    return X.std(axis=0) > _CONSTANT * np.maximum(np.abs(X.mean(axis=0)), 1e-300)


def _unused(X, folds):
    """Notes on features that do not vary in a training set, and so have no column there."""
    for name in X.columns:
        values = X[name].to_numpy(float) if is_number(X[name]) else pd.factorize(_labels(X[name]))[0]
        times = sum(not _varying(values[fold.train]) for fold in folds.folds)
        if times:
            where = "" if folds.is_single else f" in {times:,} of {len(folds.folds):,} training sets"
            yield f"Feature {name!r} is not used{where}: its values differ by less than {_CONSTANT:g} of their size."


def unseen_levels(X, folds):
    """Notes on labels in test rows of a fold that are not in its training rows, one for each feature."""
    for name in (name for name in X.columns if not is_number(X[name])):
        labels = _labels(X[name])
        levels = [level for train, test in folds for level in np.setdiff1d(labels[test], labels[train])]
        if levels:
            yield f"Level {levels[0]!r} of feature {name!r} has no training rows; all indicators of its rows are zero."


# ---- checks ----------------------------------------------------------------------------------------------------------


def _check_column(name, column, learner, *, constant):
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"feature {name!r} has missing values in {missing.size} of {len(column)} rows, the first is row"
            f" {missing[0]}, which learner {learner!r} does not take; impute them, leave the feature out, or choose an"
            " estimator that takes them, such as sklearn.ensemble.HistGradientBoostingClassifier"
        )
    if pd.api.types.infer_dtype(column) in DATES:
        raise ValueError(f"feature {name!r} holds dates or durations; convert it to numbers")
    distinct = column.nunique()
    if distinct == 1 and not constant:
        raise ValueError(f"feature {name!r} is constant: every value is {column.tolist()[0]!r}; leave it out")
    if is_number(column):
        if np.iscomplexobj(column.infer_objects().to_numpy()):
            raise ValueError(f"feature {name!r} holds complex numbers; give real ones")
        size = np.abs(column.to_numpy(float))
        for kind, wrong in (("infinite values", np.isinf(size)), (f"values beyond {LARGEST:g}", size > LARGEST)):
            if wrong.any():
                raise ValueError(f"feature {name!r} has {kind}, the first in row {wrong.argmax()}; replace them")
    elif distinct > MOST_LABELS and 2 * distinct > len(column):
        text = _text_among_numbers(column)
        raise ValueError(
            f"feature {name!r} holds text such as {text!r} among numbers; correct it"
            if text
            else f"feature {name!r} has {distinct} different labels in {len(column)} rows; leave it out if it is an"
            " identifier, or convert it if it holds numbers"
        )


def _check_identified(names, X, learner):
    """Raise ValueError if the columns do not determine coefficients; a dependent column is named."""
    if X.shape[0] < X.shape[1] + 2:
        raise ValueError(
            f"learner {learner!r} needs more training rows ({X.shape[0]}) than columns of features ({X.shape[1]});"
            " choose 'ridge_logistic', 'ridge_regression' or fewer features"
        )
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    R, order = qr(standardised, mode="r", pivoting=True)
    left = np.abs(np.diag(R)) / np.sqrt(len(X))
    dependent = np.flatnonzero(left < _DEPENDENT)
    if dependent.size:
        k = dependent[0]
        weights = np.linalg.solve(R[:k, :k], R[:k, k])
        others = [names[order[j]] for j in np.flatnonzero(np.abs(weights) > 1e-6)]
        raise ValueError(
            f"feature {names[order[k]]!r} is collinear with {_listed(others)} in the training rows; leave one out or"
            " choose a ridge learner"
        )
