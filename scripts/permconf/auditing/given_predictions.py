"""The audit of predictions that were made elsewhere: nothing is fitted."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit
from permconf.auditing.confounding import PERMUTATIONS, Rows, links
from permconf.auditing.intervals import BOOTSTRAP, ScoredRows, bootstrap_samples
from permconf.auditing.metric_answers import make_metrics, metric_answer
from permconf.auditing.words import described_population
from permconf.data.columns import check_aligned, column_of, frame_of, is_list_of_names
from permconf.data.table import NO_FEATURES, read_table, response_column
from permconf.data.validation import plain_values
from permconf.engine.plugin_results import check_defined
from permconf.engine.scores import given_scores
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
    seed = whole_number(seed, "seed", least=0)
    metrics = make_metrics(metric, response_column(frame_of(data), response))
    task = next(iter(metrics.values())).task
    table = read_table(data, response=response, confounders=confounders, features=NO_FEATURES, groups=groups, task=task)
    values = _given_values(data, scores)
    given = given_scores(values, None if table.classes is None else np.array(table.classes), len(table))
    order = np.argsort(values.reshape(len(table), -1)[:, -1], kind="stable")  # sorted scores need no sorting later
    table, values, given = table.take(order), values[order], given._replace(values=given.values[order])
    rows = Rows(table.labels, table.confounders, table.group_codes, None)
    found = links(rows, rows, given.values[:, 0].reshape(len(table), -1), seed=seed)
    scored = ScoredRows(table.y, table.labels, table.confounders, table.group_codes, [table.rows], [given])
    answers, notes = [], []
    for name, one in metrics.items():
        observed = float(check_defined(one.values(table.y[:, None], given.needed(one.needs)), name)[0])
        answer, weight_notes = metric_answer(name, one, observed, scored, population, seed)
        answers.append(answer)
        notes += [note for note in weight_notes if note not in notes]
    samples = bootstrap_samples(len(table))
    if samples < BOOTSTRAP:
        notes.append(f"With {len(table)} rows, intervals rest on {samples} bootstrap samples instead of {BOOTSTRAP}.")
    groups_count = 0 if table.groups is None else table.groups.counts.size
    return Audit(
        metrics=tuple(answers),
        **vars(found),
        response=table.response_name,
        confounders=tuple(table.confounders.columns),
        features=(),
        groups=table.groups_name,
        kind=table.kind,
        classes=table.classes,
        learner="predictions made elsewhere",
        split="all rows are test rows",
        adjustment="none",
        population=described_population(population),
        counts={"rows": len(table), "test": len(table), "groups": groups_count},
        permutations=0,
        test_permutations=PERMUTATIONS,
        seed=seed,
        predictions=_predictions(table, values).iloc[np.argsort(order)].reset_index(drop=True),
        record_wise=None,
        sensitivity=None,
        notes=(*table.notes, *notes, NO_FITS),
    )


def _given_values(data, scores):
    """The values of a column, of a list of columns or of an array, with one row for each row of the data."""
    frame = frame_of(data)
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


def _predictions(table, values):
    columns = values.reshape(len(table), -1).T
    names = ["score"] if len(columns) == 1 else [f"score {label}" for label in table.classes]
    frame = pd.DataFrame({"row": table.index, "fold": 0, "response": table.labels})
    return frame.assign(**dict(zip(names, columns, strict=True)))
