"""The predictions of an audit: as a table for the reader, and as scores for the prediction test."""

import numpy as np
import pandas as pd

from permconf.method.levels import Levels
from permconf.method.rank_test import normalised_ranks


def scores_of_tested(engine) -> np.ndarray:
    """Scores of the tested rows for the prediction test, which ranks them within folds.

    Rows that are tested several times get the mean of their ranks among the rows of the same class in a test set:
    scores of different models are not comparable, ranks are.
    """
    tested, y = engine.plan.tested, engine.table.y
    several = sum(one.test.size for one in engine.sets) > tested.size
    columns = [_as_columns(scores) for scores in engine.scores]
    total, times = np.zeros((tested.size, columns[0].shape[1])), np.zeros(tested.size)
    for one, values in zip(engine.sets, columns, strict=True):
        places = np.searchsorted(tested, one.test)
        total[places] += _ranks(values, y[one.test]) if several else values
        times[places] += 1
    return total / times[:, None]


def _as_columns(scores):
    return scores.values[:, 0].reshape(len(scores.values), -1)


def _ranks(values, y):
    levels = Levels.of(y) if y.dtype == np.uint8 else Levels.single(len(y))
    return np.stack([normalised_ranks(column, levels) for column in values.T], axis=1)


def predictions_table(engine) -> pd.DataFrame:
    """A row for each tested row: its label, fold, response and score (mean over the sets in which it is tested)."""
    table, plan = engine.table, engine.plan
    tested = plan.tested
    columns = [_as_columns(scores) for scores in engine.scores]
    total, times = np.zeros((tested.size, columns[0].shape[1])), np.zeros(tested.size)
    for one, values in zip(engine.sets, columns, strict=True):
        places = np.searchsorted(tested, one.test)
        total[places] += values
        times[places] += 1
    names = ["score"] if total.shape[1] == 1 else [f"score {label}" for label in table.classes]
    fold = np.zeros(tested.size, np.int64) if plan.fold_of_tested is None else plan.fold_of_tested
    frame = pd.DataFrame({"row": table.index[tested], "fold": fold, "response": table.labels[tested]})
    return frame.assign(**dict(zip(names, (total / times[:, None]).T, strict=True)))
