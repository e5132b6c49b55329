"""The audit of predictions that were made elsewhere: nothing is fitted."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit
from permconf.auditing.metric_answers import make_metrics, metric_answers, problem_of_model
from permconf.auditing.scored_rows import BOOTSTRAP, PERMUTATIONS, ScoredRows, bootstrap_samples
from permconf.auditing.words import described_data, note_on_guess, tests_of
from permconf.data.columns import check_aligned, column_of, frame_of, is_list_of_names
from permconf.data.levels import Levels
from permconf.data.sample import Sample
from permconf.data.table import NO_FEATURES, read_table, response_column
from permconf.data.values import plain_values
from permconf.engine.contracts import labelled
from permconf.engine.scores import Scores, checked_scores, given_scores, is_named_after
from permconf.inference.links import Rows
from permconf.keywords import helpful
from permconf.options import whole_number
from permconf.reweight.thinning import resampled_rows

NO_FITS = "Nothing was fitted: there is no test of response learning and no corrected metric."


@helpful
def audit_predictions(
    data: Any,
    *,
    scores: Any,
    response: Any,
    confounders: Any,
    positive: Any = None,
    metric: Any = "auc",
    population: Any = "independent",
    groups: Any = None,
    folds: Any = None,
    seed: int = 0,
) -> Audit:
    """Do predictions made elsewhere carry the confounders, and how good are they where confounders do not help?

    Rows must be test rows: the learner must not have seen them. `scores` is a column of `data`, a list of columns with
    one for each class, or an array. Columns that are named after the classes ("ill", "p_ill", "score ill") are matched
    by name, others are in sorted order. Of two classes larger scores stand for the positive one (or, where it is not
    given, for the one that the column is named after); they are probabilities, or positive where it is predicted.
    `folds` has the fold of each row, where scores come from several models, as in a cross-validation: scores of
    different models are not compared, and the metric is the mean over folds. The other arguments are as in `audit`.
    Results that need fits are NaN.

    >>> from permconf import audit_predictions, example
    >>> a = audit_predictions(example(), scores="marker", response="ill", confounders="site")
    >>> a.sign, a.prediction_p < 0.05, a.response_p
    ('inflates', True, nan)
    """
    seed, frame = whole_number(seed, "seed", least=0), frame_of(data)
    column = response_column(frame, response)
    metrics = make_metrics(metric, column)
    task = next(iter(metrics.values())).task
    columns = {"response": response, "confounders": confounders, "features": NO_FEATURES, "groups": groups}
    positive = _named_class(scores, column) if positive is None else positive
    sample = read_table(frame, **columns, positive=positive, task=task)
    made, labels = _given_values(frame, scores), sample.response.labels
    given, values = given_scores(made, labels, len(sample)), checked_scores(made, labels, len(sample))
    order = np.argsort(values.reshape(len(sample), -1)[:, -1], kind="stable")  # sorted scores need no sorting later
    sample = sample.take(order)
    scored = _scored(sample, given._replace(values=given.values[order]), _fold_codes(frame, folds, order))
    metrics = {name: labelled(one, labels) for name, one in metrics.items()}
    by_set = {name: scored.by_set(one, name) for name, one in metrics.items()}
    answers, notes = metric_answers(metrics, by_set, scored, population, seed, problem_of_model(sample, seed), {})
    samples = bootstrap_samples(resampled_rows(sample))
    if samples < BOOTSTRAP:
        notes.append(f"With {len(sample)} rows, intervals rest on {samples} bootstrap samples instead of {BOOTSTRAP}.")
    groups_count = 0 if sample.subjects is None else sample.subjects.levels.counts.size
    return Audit(
        metrics=tuple(answers),
        **tests_of(scored.links(Rows.of(sample), seed), sample),
        **described_data(sample, population),
        features=(),
        learner="predictions made elsewhere",
        split="all rows are test rows" + ("" if scored.folds is None else f", in {len(scored.sets)} folds"),
        adjustment="none",
        counts={"rows": len(sample), "test": len(sample), "groups": groups_count},
        permutations=0,
        test_permutations=PERMUTATIONS,
        seed=seed,
        predictions=scored.table(values[order].reshape(len(sample), -1)).iloc[np.argsort(order)].reset_index(drop=True),
        record_wise=None,
        sensitivity=None,
        notes=(*sample.notes, *note_on_guess(scored, made_elsewhere=True), *notes, NO_FITS),
    )


def _given_values(frame, scores):
    """The values of a column, of a list of columns or of an array, with one row for each row of the data.

    Columns with names are a DataFrame.
    """
    if is_list_of_names(frame, scores):
        return pd.DataFrame({str(name): column_of(frame, name, "scores") for name in scores})
    if np.ndim(scores) < 2:
        return column_of(frame, scores, "scores").to_numpy()
    values = plain_values(scores)
    if isinstance(values, pd.DataFrame):
        check_aligned(frame, values, "scores")
        return values
    values = np.asarray(values)
    if values.ndim != 2 or len(values) != len(frame):
        raise ValueError(
            f"scores must have one row for each of {len(frame)} rows of the data, not shape {values.shape}"
        )
    return values


def _named_class(scores, column):
    """The class that the one column of scores is named after, if there are two and it is named after one of them."""
    name = scores if isinstance(scores, str) else getattr(scores, "name", None)
    classes = column.dropna().unique().tolist()
    found = [label for label in classes if name is not None and is_named_after(name, label)]
    return found[0] if len(classes) == 2 and len(found) == 1 else None


def _fold_codes(frame, folds, order):
    """The fold of every row as a number, in the order of the scores; None without folds."""
    if folds is None:
        return None
    codes, found = pd.factorize(column_of(frame, folds, "folds"), sort=True)
    if (codes < 0).any():
        raise ValueError(f"folds are missing in {(codes < 0).sum()} of {len(codes)} rows; every row needs one")
    return codes[order] if len(found) > 1 else None


def _scored(sample: Sample, given: Scores, folds: np.ndarray | None) -> ScoredRows:
    """The rows of every fold with their scores; all rows are one test set without folds."""
    if folds is None:
        return ScoredRows(sample, [(np.arange(len(sample)), given)])
    levels = Levels.of(folds)
    places = np.split(levels.order, levels.starts[1:-1])
    return ScoredRows(sample, [(rows, given._replace(values=given.values[rows])) for rows in places], folds)
