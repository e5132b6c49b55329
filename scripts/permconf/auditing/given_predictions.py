"""The audit of predictions that were made elsewhere: nothing is fitted."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit
from permconf.auditing.metric_answers import make_metrics, metric_answer
from permconf.auditing.scored_rows import BOOTSTRAP, PERMUTATIONS, ScoredRows, bootstrap_samples
from permconf.auditing.words import described_data
from permconf.data.columns import check_aligned, column_of, frame_of, is_list_of_names
from permconf.data.table import NO_FEATURES, read_table
from permconf.data.values import plain_values
from permconf.engine.contracts import labelled
from permconf.engine.evaluate import metric_of
from permconf.engine.plugin_results import check_defined
from permconf.engine.scores import given_scores
from permconf.inference.links import Rows
from permconf.options import whole_number

NO_FITS = "Nothing was fitted: there is no test of response learning and no corrected metric."


def audit_predictions(
    data: Any,
    *,
    scores: Any,
    response: Any,
    confounders: Any,
    metric: Any = "auc",
    population: Any = "independent",
    groups: Any = None,
    seed: int = 0,
) -> Audit:
    """Do predictions made elsewhere carry the confounders, and how good are they where confounders do not help?

    Rows must be test rows: the learner may not have seen them. `scores` is a column of `data`, a list of columns with
    one for each class in sorted order, or an array. Of two classes larger scores stand for the second one; they are
    probabilities, or positive where it is predicted. The other arguments are as in `audit`. Results that need fits are
    NaN.

    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = 0.6 * site + rng.uniform(size=200) > 0.8
    >>> table = pd.DataFrame({"score": rng.normal(ill + site), "site": site, "ill": ill})
    >>> from permconf import audit_predictions
    >>> a = audit_predictions(table, scores="score", response="ill", confounders="site")
    >>> a.sign, a.prediction_p < 0.05, a.response_p
    ('inflates', True, nan)
    """
    seed, frame = whole_number(seed, "seed", least=0), frame_of(data)
    metrics = make_metrics(metric, column_of(frame, response, "response"))
    task = next(iter(metrics.values())).task
    columns = {"response": response, "confounders": confounders, "features": NO_FEATURES, "groups": groups}
    sample = read_table(frame, **columns, task=task)
    values, labels = _given_values(frame, scores), sample.response.labels
    given = given_scores(values, labels, len(sample))
    order = np.argsort(values.reshape(len(sample), -1)[:, -1], kind="stable")  # sorted scores need no sorting later
    sample, given = sample.take(order), given._replace(values=given.values[order])
    scored = ScoredRows(sample, [np.arange(len(sample))], [given])
    answers, notes = [], []
    for name, one in metrics.items():
        one = labelled(one, labels)
        (observed,) = check_defined(np.array([metric_of(one, sample.response.values, given, name)]), name)
        answer, weight_notes = metric_answer(name, one, float(observed), scored, population, seed)
        answers.append(answer)
        notes += [note for note in weight_notes if note not in notes]
    samples = bootstrap_samples(len(sample))
    if samples < BOOTSTRAP:
        notes.append(f"With {len(sample)} rows, intervals rest on {samples} bootstrap samples instead of {BOOTSTRAP}.")
    groups_count = 0 if sample.subjects is None else sample.subjects.levels.counts.size
    return Audit(
        metrics=tuple(answers),
        **vars(scored.links(Rows.of(sample), seed)),
        **described_data(sample, population),
        features=(),
        learner="predictions made elsewhere",
        split="all rows are test rows",
        adjustment="none",
        counts={"rows": len(sample), "test": len(sample), "groups": groups_count},
        permutations=0,
        test_permutations=PERMUTATIONS,
        seed=seed,
        predictions=_predictions(sample, values[order]).iloc[np.argsort(order)].reset_index(drop=True),
        record_wise=None,
        sensitivity=None,
        notes=(*sample.notes, *notes, NO_FITS),
    )


def _given_values(frame, scores):
    """The values of a column, of a list of columns or of an array, with one row for each row of the data."""
    if is_list_of_names(frame, scores):
        return np.stack([column_of(frame, name, "scores").to_numpy() for name in scores], axis=1)
    if np.ndim(scores) < 2:
        return column_of(frame, scores, "scores").to_numpy()
    if isinstance(scores, pd.DataFrame):
        check_aligned(frame, scores, "scores")
    values = np.asarray(plain_values(scores))
    if values.ndim != 2 or len(values) != len(frame):
        raise ValueError(
            f"scores must have one row for each of {len(frame)} rows of the data, not shape {values.shape}"
        )
    return values


def _predictions(sample, values):
    columns = values.reshape(len(sample), -1).T
    names = ["score"] if len(columns) == 1 else [f"score {label}" for label in sample.response.labels]
    frame = pd.DataFrame({"row": sample.index, "fold": 0, "response": sample.response.given})
    return frame.assign(**dict(zip(names, columns, strict=True)))
