"""One call: from own data to the answer."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit
from permconf.auditing.confounding import PERMUTATIONS
from permconf.auditing.engine import Engine, make_setup
from permconf.auditing.metric_answers import make_metrics, metric_answers
from permconf.auditing.predictions import links_of, predictions_table, scored_rows
from permconf.auditing.robustness import other_splits, other_treatments, record_wise
from permconf.auditing.words import described_adjustment, described_learner, described_population, notes_on_counts
from permconf.data.columns import column_of, frame_of
from permconf.data.encoding import Encoding
from permconf.data.table import read_table, response_column
from permconf.engine.runner import checked_jobs
from permconf.options import whole_number
from permconf.permute.random_streams import Streams


def audit(
    data: Any,
    *,
    response: Any,
    confounders: Any,
    features: Any = None,
    learner: Any = "logistic",
    metric: Any = "auc",
    test_size: float = 0.5,
    cv: Any = None,
    repeats: int = 1,
    split: Any = None,
    groups: Any = None,
    population: Any = "independent",
    adjustment: Any = "none",
    permutations: int = 999,
    sensitivity: int = 0,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | None = None,
) -> Audit:
    """Does a learner read the confounders, and how well does it predict the response without them?

    `data` is a DataFrame, with `response`, `confounders`, `features` (default: all other columns) and `groups` as names
    of columns; or a matrix of features, with arrays for the other columns. `confounders` may be a mapping of names to
    how they are treated: "levels", "smooth", {"quantiles": 5}, {"width": 4} or {"breaks": [...]}. By default labels,
    two values and whole numbers with at most ten distinct values are levels, and other numbers are smooth: they need
    no bins.

    `learner` is the name of a built-in learner, a mapping with its name and options, or any scikit-learn estimator or
    Pipeline, which gets the features as a DataFrame. For built-in learners labels become indicators, and features are
    standardised where scale matters (`permconf.data.encoding`). `metric` is a name, a scikit-learn scorer, a
    function of (y_true, y_score), or a list of them, which share the fits; the first is the headline.

    `test_size` gives a random hold-out set (a share, or a number of rows), `split` a training and test set (a column
    with "train" and "test", or a pair of row numbers), `cv` a number of folds or a splitter, and `repeats` further
    random splits, over which the metric is averaged. `groups` names the subject of each row: whole subjects are split,
    permuted and resampled. `permconf.engine.folds` explains why the tests are valid for each of these.

    `population` and `adjustment` are as in `reweighted_metric` and `assess`. `permutations` are those of the response
    test and of the corrected metric; the tests of confounding have 9999 of their own. `sensitivity` is a number of
    further random splits, one fit each, that show how much the answer depends on the split. Results do not depend on
    `n_jobs`. `progress` shows a bar (default: on a terminal, for work of more than two seconds).

    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = 0.6 * site + rng.uniform(size=200) > 0.8
    >>> table = pd.DataFrame({"x": rng.normal(ill + site), "site": site, "ill": ill})
    >>> from permconf import audit
    >>> a = audit(table, response="ill", confounders="site", permutations=99)
    >>> a.sign, a.confounding_p < 0.05, a.reweighted < a.observed
    ('inflates', True, True)
    """
    permutations = whole_number(permutations, "permutations", least=2)
    seed = whole_number(seed, "seed", least=0)
    splits = whole_number(sensitivity, "sensitivity", least=0)
    frame = frame_of(data)
    streams, metrics = Streams(seed, "audit"), make_metrics(metric, response_column(frame, response))
    columns = {"response": response, "confounders": confounders, "features": features, "groups": groups, "split": split}
    table = read_table(frame, **columns, task=next(iter(metrics.values())).task)
    split = column_of(frame, split, "split") if isinstance(split, str | pd.Series) else split
    plan = {"test_size": test_size, "cv": cv, "repeats": repeats, "split": split}
    setup = make_setup(
        learner=learner,
        adjustment=adjustment,
        metrics=metrics,
        plan=plan,
        streams=streams,
        n_jobs=checked_jobs(n_jobs),
        progress=progress,
    )
    if setup.learner_name is not None:
        Encoding.of(setup.learner_name).check(table.X)
    engine = Engine.of(table, setup)
    restricted = engine.permuted(engine.table.mixed, "restricted")
    elsewhere = [*other_treatments(engine, permutations), *other_splits(table, engine, splits, seed)]
    sensitivity_table = pd.DataFrame(elsewhere) if elsewhere else None
    return _answer(engine, restricted, population, permutations, seed, sensitivity_table)


def _answer(engine: Engine, restricted, population, permutations, seed, sensitivity) -> Audit:
    """All numbers of an audit."""
    table, plan, setup = engine.table, engine.plan, engine.setup
    scored = scored_rows(engine)
    answers, flagged, notes = metric_answers(engine, scored, restricted, population, permutations, seed)
    found = links_of(engine, seed)
    counts = _counts(engine, restricted, flagged)
    name = setup.learner_name
    feature_notes = () if name is None else Encoding.of(name).notes(table.X, plan)
    return Audit(
        metrics=tuple(answers),
        **vars(found),
        response=table.response_name,
        confounders=tuple(table.confounders.columns),
        features=tuple(table.X.columns),
        groups=table.groups_name,
        kind=table.kind,
        classes=table.classes,
        learner=described_learner(setup.learner),
        split=plan.words,
        adjustment=described_adjustment(setup.adjustment),
        population=described_population(population),
        counts=counts,
        permutations=permutations,
        test_permutations=PERMUTATIONS,
        seed=seed,
        predictions=predictions_table(engine),
        record_wise=record_wise(engine, permutations, seed),
        sensitivity=sensitivity,
        notes=(*table.notes, *feature_notes, *notes, *notes_on_counts(counts)),
    )


def _counts(engine, restricted, flagged):
    """How many rows, sets, groups and levels there are (see `Audit`)."""
    table, plan = engine.table, engine.plan
    fixed_levels, fixed_rows = restricted.fixed
    return {
        "rows": len(table),
        "train": np.unique(np.concatenate([fold.train for fold in plan.folds])).size,
        "test": plan.tested.size,
        "features": table.X.shape[1],
        "dropped": engine.dropped,
        "folds": sum(fold.repeat == 0 for fold in plan.folds),
        "repeats": 1 + max(fold.repeat for fold in plan.folds),
        "groups": 0 if table.groups is None else table.groups.counts.size,
        "levels": np.unique(table.mixed.codes).size,
        "fixed_levels": fixed_levels,
        "fixed_rows": fixed_rows,
        "flagged": flagged,
    }
