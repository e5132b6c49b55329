"""Own data as a checked table: features, response, confounders and groups, by name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from permconf.data.columns import (
    check_aligned,
    checked_name,
    checked_values,
    column_of,
    frame_of,
    is_list_of_names,
    is_name,
    names_of,
    namesakes,
)
from permconf.data.confounders import confounder_columns, varying
from permconf.data.features import LARGEST
from permconf.data.levels import Levels
from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.response import response_of

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
    analysed, names = _confounders(frame, confounders)
    responses, vectors = names_of(frame, response), (response, groups, confounders, split)
    if responses and responses[0] in analysed:
        raise ValueError(f"confounder {y.name!r} is the response; leave it out of the confounders")
    others = [*names_of(frame, groups), *names, *names_of(frame, split)]
    X, notes = _features(frame, features, responses, others)
    if same := [name for name in X if X[name].equals(y)]:
        raise ValueError(f"feature {same[0]!r} has the values of the response; leave it out, or give it as response")
    if features is None:
        notes += tuple(
            f"Column {name!r} is no feature, because other values with its name were given; rename them if it is one."
            for spec in vectors
            for name in namesakes(frame, spec)
        )
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
    given = [features] if is_name(frame, features) or not isinstance(features, Iterable) else list(features)
    if not given:
        raise ValueError("features is an empty list; leave it out to use all other columns")
    names = list(dict.fromkeys(checked_name(frame, name, "features") for name in given))
    if responses and responses[0] in names:
        raise ValueError(f"the response {responses[0]!r} is among the features; leave it out of them")
    notes = [
        f"Column {name!r} is also a feature: the learner may read it directly." for name in others if name in names
    ]
    return _checked_features(frame[names]), tuple(notes)


def _checked_features(X):
    for name in X:
        checked_values(X[name], "features")
    return X


# ---- confounders -----------------------------------------------------------------------------------------------------


def _confounders(frame, confounders):
    """The confounders as they are analysed, and the names of those that are columns of the data.

    Their kind is settled here, from all rows: numbers are numeric, all else are categories, in every test.
    """
    treatments = confounders if isinstance(confounders, Mapping) else {}
    listed = isinstance(confounders, Mapping) or is_list_of_names(frame, confounders)
    names = [str(name) for name in confounders] if listed else names_of(frame, confounders)
    if names and not isinstance(confounders, pd.Series | pd.DataFrame):
        raw = pd.DataFrame({name: column_of(frame, name, "confounders") for name in names})
    else:
        raw = _aligned(frame, confounders)
    binning = list(treatments.values()) if treatments else "smooth"
    columns = varying(confounder_columns(raw, binning, rows=len(frame)))
    return pd.DataFrame({column.name: _analysed(column) for column in columns}), names


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
