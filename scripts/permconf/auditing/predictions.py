"""The predictions of an audit: as a table for the reader, and as scores for the prediction test."""

import numpy as np
import pandas as pd

from permconf.auditing.confounding import Links, Rows, links
from permconf.auditing.intervals import ScoredRows
from permconf.data.levels import Levels
from permconf.inference.ranks import normalised_ranks


def scores_of_tested(engine) -> np.ndarray:
    """Scores of the tested rows for the prediction test, which ranks them within folds.

    Rows that are tested several times get the mean of their ranks among the rows of the same class in a test set:
    scores of different models are not comparable, ranks are.
    """
    several = sum(one.test.size for one in engine.sets) > engine.plan.tested.size
    return _mean_scores(engine, _ranks if several else lambda values, _: values)


def _mean_scores(engine, made):
    """Scores (rows, columns) of the tested rows, after `made`, averaged over the sets in which a row is tested."""
    tested, columns = engine.plan.tested, [_as_columns(scores) for scores in engine.scores]
    total, times = np.zeros((tested.size, columns[0].shape[1])), np.zeros((tested.size, 1))
    for one, values in zip(engine.sets, columns, strict=True):
        places = np.searchsorted(tested, one.test)
        total[places] += made(values, engine.table.y[one.test])
        times[places] += 1
    return total / times


def scored_rows(engine) -> ScoredRows:
    """The tested rows with the scores of each test set, for intervals and weights."""
    table, tested = engine.table, engine.plan.tested
    places = [np.searchsorted(tested, one.test) for one in engine.sets]
    groups = None if table.groups is None else table.group_codes[tested]
    return ScoredRows(
        table.y[tested], table.labels[tested], table.confounders.iloc[tested], groups, places, engine.scores
    )


def links_of(engine, seed) -> Links:
    """The tests of confounding: of association on all rows, of predictions on the tested rows."""
    table, plan = engine.table, engine.plan
    everything = Rows(table.labels, table.confounders, table.group_codes, None if plan.is_random else plan.parts)
    groups = None if table.groups is None else table.group_codes[plan.tested]
    tested = Rows(table.labels[plan.tested], table.confounders.iloc[plan.tested], groups, plan.fold_of_tested)
    return links(everything, tested, scores_of_tested(engine), seed=seed)


def _as_columns(scores):
    return scores.values[:, 0].reshape(len(scores.values), -1)


def _ranks(values, y):
    levels = Levels.of(y) if y.dtype == np.uint8 else Levels.single(len(y))
    return np.stack([normalised_ranks(column, levels) for column in values.T], axis=1)


def predictions_table(engine) -> pd.DataFrame:
    """A row for each tested row: its label, fold, response and score (mean over the sets in which it is tested)."""
    table, plan = engine.table, engine.plan
    scores, tested = _mean_scores(engine, lambda values, _: values), plan.tested
    names = ["score"] if scores.shape[1] == 1 else [f"score {label}" for label in table.classes]
    fold = np.zeros(tested.size, np.int64) if plan.fold_of_tested is None else plan.fold_of_tested
    frame = pd.DataFrame({"row": table.index[tested], "fold": fold, "response": table.labels[tested]})
    return frame.assign(**dict(zip(names, scores.T, strict=True)))
