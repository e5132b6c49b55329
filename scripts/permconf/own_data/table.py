"""Own data as a checked table: features, response, confounders and groups, by name.

A column is given by its name in a DataFrame, or as an array or Series with one value for each row.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from permconf.errors import nearest
from permconf.method.confounder_columns import confounder_columns, varying
from permconf.method.feature_tables import LARGEST
from permconf.method.levels import Levels
from permconf.method.mixed_confounders import MixedConfounders
from permconf.method.response import response_of

MOST_CLASSES = 255
NO_FEATURES = object()


@dataclass(frozen=True)
class Table:
    """Features `X`, response `y` (class codes or numbers), confounders as they are analysed, and groups.

    `mixed` are the confounders as permutations need them; `index` holds the labels of the rows.
    """

    X: pd.DataFrame
    y: np.ndarray
    classes: tuple | None
    confounders: pd.DataFrame
    mixed: MixedConfounders
    groups: Levels | None
    response_name: str
    groups_name: str | None
    index: pd.Index
    notes: tuple[str, ...] = ()

    def __len__(self):
        return len(self.y)

    @property
    def rows(self):
        """Row numbers."""
        return np.arange(len(self))

    @property
    def kind(self):
        """The kind of response in words."""
        if self.classes is None:
            return "numeric"
        return "two classes" if len(self.classes) == 2 else "several classes"

    @property
    def labels(self):
        """The response as it was given: classes or numbers."""
        return self.y if self.classes is None else np.array(self.classes)[self.y]

    @property
    def has_levels(self):
        """Whether all confounders are categorical."""
        return not self.mixed.names

    @property
    def c(self):
        """The confounders as adjustments take them: a vector of levels if all are categorical."""
        return self.mixed.codes if self.has_levels else self.mixed

    @property
    def group_codes(self):
        """The group of every row as a number; None without groups."""
        return None if self.groups is None else self.groups.codes

    def take(self, rows):
        """The table of some rows."""
        if np.array_equal(rows, self.rows):
            return self
        return replace(
            self,
            X=self.X.iloc[rows].reset_index(drop=True),
            y=self.y[rows],
            confounders=self.confounders.iloc[rows].reset_index(drop=True),
            mixed=self.mixed[rows],
            groups=None if self.groups is None else _levels(self.groups.values[self.groups.codes][rows]),
            index=self.index[rows],
        )


def read_table(
    data: Any, *, response: Any, confounders: Any, features: Any, groups: Any, task: str, split: Any = None
) -> Table:
    """A checked table of a DataFrame with names, or of a matrix of features with arrays for the other columns.

    `features` are names of columns, None for all that have no other role, or NO_FEATURES. Series and DataFrames have
    the role of the column of their name.
    """
    frame = frame_of(data)
    y = response_column(frame, response)
    values, classes = _response_values(y, task)
    group_column = None if groups is None else column_of(frame, groups, "groups")
    analysed = _confounders(frame, confounders)
    responses = _names(frame, response)
    if responses and responses[0] in analysed:
        raise ValueError(f"confounder {y.name!r} is the response; leave it out of the confounders")
    others = [name for spec in (groups, confounders, split) for name in _names(frame, spec)]
    X, notes = _features(frame, features, responses, others)
    return Table(
        X.reset_index(drop=True),
        values,
        classes,
        analysed,
        MixedConfounders.of(analysed),
        None if group_column is None else _group_levels(group_column),
        str(y.name),
        None if group_column is None else str(group_column.name),
        frame.index,
        notes,
    )


# ---- columns ---------------------------------------------------------------------------------------------------------


def frame_of(data):
    """The data as a DataFrame whose columns have distinct names."""
    if isinstance(data, pd.DataFrame):
        frame = data.set_axis([str(name) for name in data.columns], axis=1)
    else:
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(f"data must be a DataFrame or a matrix of features, not of shape {array.shape}")
        frame = pd.DataFrame(array, columns=[f"x{j + 1}" for j in range(array.shape[1])]).infer_objects()
    if not len(frame):
        raise ValueError("data have no rows")
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"data have several columns named {repeated[0]!r}; give every column its own name")
    return frame


def _is_name(frame, spec):
    """Whether this names one column: a text, or a number or the like that is the name of a column."""
    return isinstance(spec, str) or (spec is not None and isinstance(spec, Hashable) and str(spec) in frame)


def is_list_of_names(frame, spec):
    """Whether this is a list of column names rather than a vector of labels."""
    if not isinstance(spec, list | tuple | pd.Index) or not len(spec):
        return False
    if all(isinstance(name, str) for name in spec):
        return len(spec) != len(frame) or any(name in frame for name in spec)
    return len(spec) != len(frame) and all(_is_name(frame, name) for name in spec)


def _names(frame, spec):
    """Names of the columns that a specification takes from the data."""
    if _is_name(frame, spec):
        return [str(spec)]
    if isinstance(spec, pd.Series | pd.DataFrame):
        return [str(name) for name, column in pd.DataFrame(spec).items() if _is_column(frame, name, column)]
    named = isinstance(spec, Mapping) or is_list_of_names(frame, spec)
    return [str(name) for name in spec] if named else []


def _is_column(frame, name, column):
    """Whether a vector is a column of the data, as its name says; numbers are also the names of nameless columns."""
    return str(name) in frame and (isinstance(name, str) or column.equals(frame[str(name)]))


def column_of(frame, spec, role):
    """A column by its name, or as an array with a value for each row."""
    if _is_name(frame, spec):
        return _checked_values(frame[_checked_name(frame, spec, role)], role)
    if isinstance(spec, pd.DataFrame) and spec.shape[1] == 1:
        spec = spec.iloc[:, 0]
    if spec is None or np.ndim(spec) != 1:
        raise ValueError(f"{role} must be the name of a column or a vector, not {_described(spec)}")
    if not isinstance(spec, pd.Series):
        column = pd.Series(np.asarray(spec, None if isinstance(spec, np.ndarray) else object)).infer_objects()
        _check_rows(frame, column, role)
        return _checked_values(column.set_axis(frame.index).rename(role), role)
    check_aligned(frame, spec, role)
    return _checked_values(spec.rename(role if spec.name is None else str(spec.name)), role)


def _checked_name(frame, name, role):
    if str(name) not in frame:
        raise ValueError(f"{role}: the data have no column {name!r}{nearest(name, frame.columns)}")
    return str(name)


def _checked_values(column, role):
    """A column whose values are single ones; raises ValueError if one is a list, an array or the like."""
    if column.dtype == object:
        wrong = next((value for value in column if not isinstance(value, Hashable)), None)
        if wrong is not None:
            raise ValueError(
                f"{role}: column {column.name!r} holds values of type {type(wrong).__name__}; give numbers or labels"
            )
    return column


def _described(spec):
    return type(spec).__name__ if np.ndim(spec) == 0 else f"an array of shape {np.shape(spec)}"


def _check_rows(frame, column, role):
    if len(column) != len(frame):
        raise ValueError(f"{role} has {len(column)} rows, the data have {len(frame)}")


def check_aligned(frame, column, role):
    """Raise ValueError unless the rows of a pandas object have the labels of the data, in the same order."""
    _check_rows(frame, column, role)
    if column.index.equals(frame.index):
        return
    if set(column.index) == set(frame.index):
        raise ValueError(f"{role} has the row labels of the data in a different order; align it with .loc[data.index]")
    raise ValueError(
        f"{role} and the data have different row labels, such as {column.index[0]!r} and {frame.index[0]!r}; give them"
        " the same index, or a plain array if their rows are in the same order"
    )


# ---- features --------------------------------------------------------------------------------------------------------


def _features(frame, features, responses, others):
    """The features, and a note if a column with another role is among them."""
    if features is NO_FEATURES:
        return frame[[]], ()
    if features is None:
        names = [name for name in frame.columns if name not in (*responses, *others)]
        if not names:
            raise ValueError("no column is left as a feature; give at least one besides response and confounders")
        return _checked_features(frame[names]), ()
    given = [features] if _is_name(frame, features) or not isinstance(features, Iterable) else list(features)
    if not given:
        raise ValueError("features is an empty list; leave it out to use all other columns")
    names = list(dict.fromkeys(_checked_name(frame, name, "features") for name in given))
    if responses and responses[0] in names:
        raise ValueError(f"the response {responses[0]!r} is among the features; leave it out of them")
    notes = [
        f"Column {name!r} is also a feature: the learner may read it directly." for name in others if name in names
    ]
    return _checked_features(frame[names]), tuple(notes)


def _checked_features(X):
    for name in X:
        _checked_values(X[name], "features")
    return X


# ---- confounders -----------------------------------------------------------------------------------------------------


def _confounders(frame, confounders):
    """The confounders as they are analysed.

    Their kind is settled here, from all rows: numbers are numeric, all else are categories, in every test.
    """
    treatments = confounders if isinstance(confounders, Mapping) else {}
    names = [] if isinstance(confounders, pd.Series | pd.DataFrame) else _names(frame, confounders)
    raw = pd.DataFrame({name: column_of(frame, name, "confounders") for name in names})
    binning = list(treatments.values()) if treatments else "smooth"
    columns = varying(confounder_columns(raw if names else _aligned(frame, confounders), binning, rows=len(frame)))
    return pd.DataFrame({column.name: _analysed(column) for column in columns})


def _analysed(column):
    if column.kind == "numeric":
        return column.values
    return pd.Categorical.from_codes(column.values, categories=pd.Index(column.levels))


def _aligned(frame, confounders):
    """Confounders given as arrays, or as pandas objects with the row labels of the data."""
    if isinstance(confounders, list | tuple | Mapping) and not len(confounders):
        raise ValueError("confounders are empty; give the name of at least one column")
    if isinstance(confounders, pd.Series | pd.DataFrame):
        check_aligned(frame, confounders, "confounders")
    return confounders


# ---- response and groups ---------------------------------------------------------------------------------------------


def response_column(frame: pd.DataFrame, response: Any) -> pd.Series:
    """The response, without missing values and with several distinct ones."""
    y = column_of(frame, response, "response")
    missing = np.flatnonzero(y.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"response {y.name!r} has missing values in {missing.size} of {len(y)} rows, the first is row {missing[0]};"
            f" drop those rows, for example with data.dropna(subset=[{str(y.name)!r}])"
        )
    if y.nunique() < 2:
        raise ValueError(f"response {y.name!r} has one value only, {y.tolist()[0]!r}; there is nothing to predict")
    return y


def _response_values(y, task):
    """Class codes and classes, or numbers and None."""
    response = response_of(y)
    if task == "regression":
        if not pd.api.types.is_numeric_dtype(y.dtype):
            raise ValueError(f"response {y.name!r} holds labels; choose a metric for classes, such as 'auc'")
        if y.abs().max() > LARGEST:
            raise ValueError(
                f"response {y.name!r} has values beyond {LARGEST:g}, whose squares are no numbers; rescale it"
            )
        return y.to_numpy(float), None
    if response.labels is None:
        raise ValueError(
            f"response {y.name!r} is numeric, with {y.nunique()} distinct values; choose a regression learner and"
            " metric, such as learner='linear_regression' and metric='r2', or give classes"
        )
    if len(response.labels) > MOST_CLASSES:
        raise ValueError(f"response {y.name!r} has {len(response.labels)} classes; at most {MOST_CLASSES} are possible")
    counts = np.bincount(response.values)
    if counts.min() < 2:
        raise ValueError(
            f"class {response.labels[counts.argmin()]!r} of response {y.name!r} has a single row; give more rows of it,"
            " or leave it out"
        )
    return response.values.astype(np.uint8), response.labels


def _group_levels(groups):
    missing = np.flatnonzero(groups.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"groups {groups.name!r} has missing values in {missing.size} of {len(groups)} rows, the first is row"
            f" {missing[0]}; every row needs a group"
        )
    levels = _levels(groups)
    if levels.counts.size < 2:
        raise ValueError(f"groups {groups.name!r} has one group only, {levels.values[0]!r}; leave groups out")
    return levels


def _levels(labels):
    """Levels that keep their labels, of any kind."""
    codes, values = pd.factorize(labels, sort=True)
    return Levels(np.asarray(values, object), codes, np.bincount(codes))
