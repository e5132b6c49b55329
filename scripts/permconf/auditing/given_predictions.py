"""The audit of predictions that were made elsewhere: nothing is fitted."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit
from permconf.auditing.confounding import PERMUTATIONS, Rows, links
from permconf.auditing.evaluation import needed
from permconf.auditing.intervals import BOOTSTRAP, ScoredRows, bootstrap_samples
from permconf.auditing.metric_answers import make_metrics, metric_answer
from permconf.auditing.table import column_of, frame_of, read_table
from permconf.auditing.words import described_population
from permconf.method.contracts import Scores
from permconf.method.options import whole_number

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
    metrics = make_metrics(metric)
    task = next(iter(metrics.values())).task
    table = read_table(data, response=response, confounders=confounders, features=(), groups=groups, task=task)
    given = _given_scores(data, scores, table)
    rows = Rows(table.labels, table.confounders, table.group_codes, None)
    found = links(rows, rows, given.values[:, 0].reshape(len(table), -1), seed=seed)
    scored = ScoredRows(table.y, table.confounders, table.group_codes, [table.rows], [given])
    answers, notes = [], []
    for name, one in metrics.items():
        observed = float(one.values(table.y[:, None], needed(given, one))[0])
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
        predictions=pd.DataFrame({"row": table.index, "fold": 0, "response": table.labels}),
        record_wise=None,
        sensitivity=None,
        notes=(*table.notes, *notes, NO_FITS),
    )


def _given_scores(data, scores, table):
    """Scores of one response from a column, a list of columns or an array."""
    frame = frame_of(data)
    if isinstance(scores, list) and scores and all(isinstance(name, str) for name in scores):
        values = np.stack([column_of(frame, name, "scores").to_numpy() for name in scores], axis=1)
    elif isinstance(scores, str) or np.ndim(scores) == 1:
        values = column_of(frame, scores, "scores").to_numpy()
    else:
        values = np.asarray(scores)
    return Scores(np.asarray(values, float)[:, None], np.zeros(1, bool))
