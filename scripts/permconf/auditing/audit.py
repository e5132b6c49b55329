"""One call: from own data to the answer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit
from permconf.auditing.metric_answers import make_metrics, metric_answers, notes_on_fits, problem_of_model
from permconf.auditing.robustness import other_splits, record_wise
from permconf.auditing.scored_rows import PERMUTATIONS, ScoredRows, defined_somewhere
from permconf.auditing.words import (
    described_adjustment,
    described_data,
    described_learner,
    note_on_guess,
    notes_on_counts,
    tests_of,
)
from permconf.data.columns import column_of, frame_of
from permconf.data.encoding import Encoding
from permconf.data.sample import Sample
from permconf.data.table import read_table, response_column
from permconf.engine.contracts import make_learner
from permconf.engine.evaluate import Evaluation, evaluate, permuted
from permconf.engine.folds import planned
from permconf.engine.runner import Runner, checked_jobs
from permconf.inference.assess import assessments
from permconf.inference.links import Rows
from permconf.keywords import helpful
from permconf.options import whole_number
from permconf.permute.random_streams import Streams


@dataclass(frozen=True)
class Setup:
    """What an audit does with a sample: the options of `evaluate`, and those of its folds."""

    options: dict[str, Any]
    plan: dict[str, Any]

    def evaluated(self, sample: Sample, streams: Streams) -> Evaluation:
        """The learner, evaluated on training and test sets of the sample."""
        evaluation = evaluate(sample, planned(sample, **self.plan, streams=streams), streams=streams, **self.options)
        for name, values in evaluation.by_fold.items():
            defined_somewhere(values, name)
        return evaluation


@helpful
def audit(
    data: Any,
    *,
    response: Any,
    confounders: Any,
    features: Any = None,
    positive: Any = None,
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
    of columns; or a matrix of features, with arrays for the other columns. Of two classes `positive` is the one that
    larger scores stand for; by default the last in sorted order, unless its label is that of a reference group, such as
    control, healthy or no (`permconf.data.response`).

    `confounders` may be a mapping of names to how they are treated: "levels", "smooth", {"quantiles": 5}, {"width": 4}
    or {"breaks": [...]}. By default labels, two values, whole numbers with at most ten distinct values and those that
    look like codes (`permconf.data.codes`) are levels, and other numbers are smooth: they need no bins. The mapping may
    also state a role ("cause", "mediator" or "consequence" of the response), which data cannot reveal, and that missing
    values are a level: {"age": {"role": "cause"}, "ward": {"treatment": "levels", "missing": "level"}}.

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

    >>> from permconf import audit, example
    >>> a = audit(example(), response="ill", confounders="site", permutations=99)
    >>> a.sign, a.confounding_p < 0.05, a.reweighted < a.observed
    ('inflates', True, True)
    """
    permutations = whole_number(permutations, "permutations", least=2)
    seed = whole_number(seed, "seed", least=0)
    splits = whole_number(sensitivity, "sensitivity", least=0)
    columns = {"response": response, "positive": positive, "confounders": confounders, "features": features}
    fits = {"learner": learner, "metric": metric, "adjustment": adjustment, "n_jobs": n_jobs, "progress": progress}
    plan = {"test_size": test_size, "cv": cv, "repeats": repeats, "split": split, "groups": groups}
    sample, setup = prepared(data, **columns, **fits, **plan)
    evaluation = setup.evaluated(sample, Streams(seed, "audit"))
    blocks = permuted(evaluation, "restricted")
    restricted = blocks["response"].checked(within_subjects=sample.subjects is not None)
    problem = untested = problem_of_model(evaluation.sample, seed)
    if len(evaluation.sample.confounders.names) > 1:
        untested = problem_of_model(evaluation.sample, seed, quadrants=True)
    found = {
        name: one.withheld(untested)
        for name, one in assessments(evaluation, permutations, size=evaluation.n_test, blocks=blocks).items()
    }
    scored = ScoredRows.of(evaluation)
    by_fold, metrics = evaluation.by_fold, evaluation.metrics
    answers, notes = metric_answers(metrics, by_fold, scored, population, seed, problem, found)
    elsewhere = list(other_splits(setup, sample, evaluation, splits, seed))
    counts = _counts(evaluation, restricted, found[answers[0].name].flagged, len(sample))
    return Audit(
        metrics=tuple(answers),
        **tests_of(scored.links(everything(evaluation), seed), evaluation.sample),
        **described_data(evaluation.sample, population),
        features=tuple(evaluation.sample.features.X.columns),
        learner=described_learner(learner),
        split=evaluation.folds.words,
        adjustment=described_adjustment(evaluation.adjustment),
        counts=counts,
        permutations=permutations,
        test_permutations=PERMUTATIONS,
        seed=seed,
        predictions=scored.table(),
        record_wise=record_wise(setup, sample, evaluation, permutations, seed),
        sensitivity=pd.DataFrame(elsewhere) if elsewhere else None,
        notes=(
            *sample.notes,
            *note_on_guess(scored),
            *_notes_on_features(evaluation, learner),
            *notes_on_fits(evaluation, found[answers[0].name].restricted, untested),
            *notes,
            *notes_on_counts(counts),
        ),
    )


def prepared(
    data: Any, *, learner: Any, metric: Any, adjustment: Any, n_jobs: Any, progress: Any, **options: Any
) -> tuple[Sample, Setup]:
    """The sample of an audit and what is done with it, from its options."""
    frame, plan = frame_of(data), {name: options.pop(name) for name in ("test_size", "cv", "repeats")}
    metrics, split = make_metrics(metric, response_column(frame, options["response"])), options["split"]
    sample = read_table(frame, **options, task=next(iter(metrics.values())).task)
    split = column_of(frame, split, "split") if isinstance(split, str | pd.Series) else split
    run = Runner(checked_jobs(n_jobs), processes=hasattr(learner, "fit"), progress=progress)
    return sample, Setup(
        {"learner": learner, "metrics": metrics, "adjustment": adjustment, "run": run}, plan | {"split": split}
    )


def everything(evaluation: Evaluation) -> Rows:
    """The rows of the test of association, within the parts of a split that may depend on the response."""
    return Rows.of(evaluation.sample, None if evaluation.folds.is_random else evaluation.folds.parts)


def _notes_on_features(evaluation, learner):
    learner = make_learner(learner)
    if getattr(learner, "takes_frames", False):
        return ()
    return Encoding.of(learner).notes(evaluation.sample.features.X, evaluation.folds)


def _counts(evaluation, restricted, flagged, rows):
    """How many rows, sets, groups and levels there are (see `Audit`)."""
    sample, folds = evaluation.sample, evaluation.folds
    fixed_levels, fixed_rows = restricted.fixed
    return {
        "rows": len(sample),
        "train": np.unique(np.concatenate([fold.train for fold in folds.folds])).size,
        "test": evaluation.n_test,
        "features": sample.features.X.shape[1],
        "dropped": rows - np.unique(evaluation.rows).size,
        "folds": len(folds.folds) // max(1, folds.repeats),
        "repeats": max(1, folds.repeats),
        "groups": 0 if sample.subjects is None else sample.subjects.levels.counts.size,
        "levels": sample.confounders.strata.counts.size,
        "fixed_levels": fixed_levels,
        "fixed_rows": fixed_rows,
        "flagged": flagged,
    }
