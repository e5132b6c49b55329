"""A table of one's own as a sample: features, response, confounders and subjects by the names of their columns."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from permconf.data.cautions import notes_on_columns
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
from permconf.data.confounders import Confounders
from permconf.data.features import Features
from permconf.data.response import Response
from permconf.data.sample import Sample, Subjects
from permconf.data.stated import Stated

NO_FEATURES = object()


def read_table(
    data: Any,
    *,
    response: Any,
    confounders: Any,
    features: Any,
    groups: Any,
    task: str,
    split: Any = None,
    positive: Any = None,
) -> Sample:
    """A sample of a DataFrame with names, or of a matrix of features with arrays for the other columns.

    `features` are names of columns, None for all that have no other role, or NO_FEATURES. Series and DataFrames have
    the role of the column of their name.
    """
    frame = frame_of(data)
    column = response_column(frame, response)
    y = table_response(column, task, positive)
    group_column = None if groups is None else column_of(frame, groups, "groups")
    analysed, names = _confounders(frame, confounders)
    responses, vectors = names_of(frame, response), (response, groups, confounders, split)
    if responses and responses[0] in analysed.names:
        raise ValueError(f"confounder {y.name!r} is the response; leave it out of the confounders")
    others = [*names_of(frame, groups), *names, *names_of(frame, split)]
    X, notes = _features(frame, features, responses, others)
    if same := [name for name in X if X[name].equals(column)]:
        raise ValueError(f"feature {same[0]!r} has the values of the response; leave it out, or give it as response")
    if features is None:
        notes += tuple(
            f"Column {name!r} is no feature, because other values with its name were given; rename them if it is one."
            for spec in vectors
            for name in namesakes(frame, spec)
        )
    read = frame.attrs.get("missing", {})
    notes += tuple(f"{read[name]!r} in confounder {name!r} was read as missing." for name in names if name in read)
    subjects = None if group_column is None else Subjects.of(group_column, name=str(group_column.name))
    if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered and y.classes > 2:
        notes += (
            f"The order of the classes of {y.name} is not used. To use it, give numbers and a metric for numbers, such"
            " as correlation, or two classes.",
        )
    notes += (*analysed.notes, *notes_on_columns(X, y, analysed, subjects))
    return Sample(Features(X.reset_index(drop=True), is_table=True), y, analysed, subjects, frame.index, notes)


def response_column(frame: pd.DataFrame, response: Any) -> pd.Series:
    """The column of the response; a time with an event, as survival analysis has it, is refused."""
    fields = getattr(getattr(response, "dtype", None), "names", None)
    two = isinstance(response, list | tuple) and len(response) == 2 and not is_name(frame, response)
    if fields or (two and is_list_of_names(frame, response)):
        raise ValueError(
            "a response of a time and an event cannot be audited; give two classes, such as an event within five years"
            " among those followed so long"
        )
    return column_of(frame, response, "response")


def table_response(column: pd.Series, task: str | None = None, positive: Any = None) -> Response:
    """The response of a table: several values, and of a class more than one row."""
    title = f"response {str(column.name)!r}"
    y = Response.of(column, task, name=title, positive=positive).varying()
    if y.labels is not None and task and (counts := np.bincount(y.values)).min() < 2:
        raise ValueError(
            f"class {y.labels.tolist()[counts.argmin()]!r} of {title} has a single row; give more rows of it, or leave"
            " it out"
        )
    return Response(y.values, y.labels, str(column.name))


# ---- features --------------------------------------------------------------------------------------------------------


def _features(frame, features, responses, others):
    """The features, and a note if a column with another role is among them."""
    if features is NO_FEATURES:
        return frame[[]], ()
    if features is None:
        names = [name for name in frame.columns if name not in (*responses, *others)]
        if not names:
            raise ValueError("no column is left as a feature; give at least one besides response and confounders")
        return _checked_features(frame, names), ()
    given = [features] if is_name(frame, features) or not isinstance(features, Iterable) else list(features)
    if not given:
        raise ValueError("features is an empty list; leave it out to use all other columns")
    names = list(dict.fromkeys(checked_name(frame, name, "features") for name in given))
    if responses and responses[0] in names:
        raise ValueError(f"the response {responses[0]!r} is among the features; leave it out of them")
    notes = [
        f"Column {name!r} is also a feature: the learner may read it directly." for name in others if name in names
    ]
    return _checked_features(frame, names), tuple(notes)


def _checked_features(frame, names):
    for name in names:
        checked_values(frame[name], "features")
    return frame[names]


# ---- confounders -----------------------------------------------------------------------------------------------------


def _confounders(frame, confounders):
    """The confounders as they are analysed, and the names of those that are columns of the data."""
    listed = isinstance(confounders, Mapping) or is_list_of_names(frame, confounders)
    names = [str(name) for name in confounders] if listed else names_of(frame, confounders)
    if names and not isinstance(confounders, pd.Series | pd.DataFrame):
        raw = _table_of({name: column_of(frame, name, "confounders") for name in names}, frame)
    else:
        if isinstance(confounders, list | tuple | Mapping) and not len(confounders):
            raise ValueError("confounders are empty; give the name of at least one column")
        if isinstance(confounders, pd.Series | pd.DataFrame):
            check_aligned(frame, confounders, "confounders")
        raw = confounders
    if not isinstance(confounders, Mapping):
        return Confounders.of(raw, rows=len(frame)).varying(), names
    stated = {str(name): Stated.of(spec) for name, spec in confounders.items()}
    filled = {name: one.filled(raw[name]) for name, one in stated.items()}
    made = Confounders.of(
        _table_of({name: column for name, (column, _) in filled.items()}, frame),
        [treatment for _, treatment in filled.values()],
        rows=len(frame),
    )
    return made.varying().with_roles({name: one.role for name, one in stated.items()}), names


def _table_of(columns, frame):
    """Columns as a table with the attributes of a frame, such as what its file has for missing values."""
    table = pd.DataFrame(columns)
    table.attrs = frame.attrs
    return table
