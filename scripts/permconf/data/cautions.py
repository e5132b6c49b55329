"""Notes on columns of a table that make an audit mean something else: copies of the response, identifiers, twins."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.data.values import LARGEST, ROWS_PER_LEVEL
from permconf.wording import count

FEWEST_ROWS = 20  # of the smaller class, from which a perfect separation is no chance
COPY = 0.9999  # correlation with a numeric response from which a column is a copy


def notes_on_columns(
    X: pd.DataFrame, y: Response, confounders: Confounders, subjects: Subjects | None
) -> Iterator[str]:
    """Sentences about columns that look like the response or a row number, and about rows that occur twice."""
    for name in X.columns:
        values = pd.factorize(X[name])[0] if X[name].dtype.kind not in "biuf" else X[name].to_numpy()
        if determines(values, y, subjects):
            yield (
                f"Feature {name!r} alone predicts {y.name} perfectly. If it was made from {y.name} or recorded after"
                " it, leave it out."
            )
        elif _is_row_number(values):
            yield f"Feature {name!r} looks like an identifier: every row has its own whole number. Leave it out if so."
    for column in confounders.columns:
        if determines(column.values, y, subjects):
            yield f"Confounder {column.name!r} alone predicts {y.name} perfectly: these data cannot tell the two apart."
        elif column.levels is None and _is_row_number(np.asarray(column.given)):
            yield f"Confounder {column.name!r} looks like an identifier: every row has its own whole number."
        for one, other in _look_alikes(column.levels):
            yield (
                f"Confounder {column.name!r} has the levels {one!r} and {other!r}, which differ in case, blanks or"
                " leading zeros only; make them one if they mean the same."
            )
    if subjects is None and (twins := _twins(X)):
        yield (
            f"{count(twins, 'row')} {'has' if twins == 1 else 'have'} the same features as an earlier row. If they are"
            " the same subject, name it with groups."
        )


def _look_alikes(levels):
    """Pairs of labels that differ in case, blanks or leading zeros only."""
    alike: dict[str, str] = {}
    for label in () if levels is None else levels.tolist():
        if isinstance(label, str):
            first = alike.setdefault(re.sub(r"^0+(?=\d)", "", "".join(label.split()).casefold()), label)
            if first != label:
                yield first, label


def determines(values: np.ndarray, y: Response, subjects: Subjects | None = None) -> bool:
    """Whether values, of a column or its codes, determine the response: by a threshold, by few levels, or linearly.

    What a subject repeats counts once: else a number of its own would be a level.
    """
    if pd.isna(values).any():
        return False
    if subjects is not None:
        once = ~pd.DataFrame({"subject": subjects.codes, "value": values, "y": y.values}).duplicated().to_numpy()
        values, y = values[once], y.take(np.flatnonzero(once))
    if y.labels is None:
        numbers = values.astype(float)
        if np.abs(numbers).max() > LARGEST or np.ptp(numbers) < 1 / LARGEST:  # which is checked later
            return False
        return bool(abs(np.corrcoef(numbers, y.values)[0, 1]) > COPY)
    if np.bincount(y.values).min() < FEWEST_ROWS:
        return False
    if y.classes == 2 and values.dtype.kind in "biuf":
        low, high = values[y.values == 0], values[y.values == 1]
        if low.max() < high.min() or high.max() < low.min():
            return True
    codes, levels = pd.factorize(values)
    if len(levels) * ROWS_PER_LEVEL > len(values):
        return False
    return pd.DataFrame({"level": codes, "y": y.values}).drop_duplicates().shape[0] == len(levels)


def _is_row_number(values):
    """Whether whole numbers are all different and fill at least half of their range."""
    if values.dtype.kind not in "iu" or len(values) < FEWEST_ROWS or np.unique(values).size < len(values):
        return False
    return int(values.max()) - int(values.min()) < 2 * len(values)


def _twins(X):
    """Number of rows that repeat the features of another, where a feature has too many values for that to be chance."""
    many = any(X[name].dtype.kind == "f" and 2 * X[name].nunique() > len(X) for name in X.columns)
    return int(X.duplicated().sum()) if many else 0
