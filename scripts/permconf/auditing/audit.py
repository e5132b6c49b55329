"""One call: from own data to the answer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit, MetricAnswer, RecordWise
from permconf.auditing.confounding import PERMUTATIONS, Rows, links
from permconf.auditing.engine import Engine, make_setup
from permconf.auditing.features import Encoding
from permconf.auditing.intervals import ScoredRows
from permconf.auditing.nulls import assessment, corrected_error, p_error, response_p
from permconf.auditing.predictions import predictions_table, scores_of_tested
from permconf.auditing.runner import checked_jobs
from permconf.auditing.table import Table, read_table
from permconf.auditing.words import described_adjustment, described_learner, described_population
from permconf.method.binning import confounder_levels
from permconf.method.contracts import Metric, make_metric
from permconf.method.mixed_confounders import MixedConfounders
from permconf.method.options import whole_number
from permconf.method.random_streams import Streams

SENSITIVITY = 199  # permutations of a sensitivity analysis, and of what a record-wise split would claim
BINS = (5, 10)


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
    standardised where scale matters (`permconf.auditing.features`). `metric` is a name, a scikit-learn scorer, a
    function of (y_true, y_score), or a list of them, which share the fits; the first is the headline.

    `test_size` gives a random hold-out set (a share, or a number of rows), `split` a training and test set (a column
    with "train" and "test", or a pair of row numbers), `cv` a number of folds or a splitter, and `repeats` further
    random splits, over which the metric is averaged. `groups` names the subject of each row: whole subjects are split,
    permuted and resampled. `permconf.auditing.plan` explains why the tests are valid for each of these.

    `population` and `adjustment` are as in `reweighted_metric` and `assess`. `permutations` are those of the response
    test and of the corrected metric; the tests of confounding have 9999 of their own. Results do not depend on
    `n_jobs`. `progress` shows a bar (default: on a terminal, for work of more than two seconds).
    """
    permutations = whole_number(permutations, "permutations", least=2)
    seed = whole_number(seed, "seed", least=0)
    streams, metrics = Streams(seed, "audit"), _metrics(metric)
    task = next(iter(metrics.values())).task
    table = read_table(data, response=response, confounders=confounders, features=features, groups=groups, task=task)
    split = data[split] if isinstance(split, str) and isinstance(data, pd.DataFrame) and split in data else split
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
    _check_features(setup.learner_name, table)
    return _answer(Engine.of(table, setup), population, permutations, seed)


def _metrics(metric: Any) -> dict[str, Metric]:
    """Metrics by name; they must be for the same kind of response."""
    specs = list(metric) if isinstance(metric, list | tuple) else [metric]
    if not specs:
        raise ValueError("metric is an empty list; give at least one, such as 'auc'")
    made = {spec if isinstance(spec, str) else getattr(spec, "__name__", "metric"): make_metric(spec) for spec in specs}
    tasks = {name: one.task for name, one in made.items()}
    if len(set(tasks.values())) > 1:
        raise ValueError(f"metrics are for different kinds of response: {tasks}; give those of one kind")
    return made


def _check_features(learner_name, table):
    if learner_name is not None:
        Encoding.of(learner_name).check(table.X)


# ---- the answer ------------------------------------------------------------------------------------------------------


def _answer(engine: Engine, population, permutations, seed) -> Audit:
    """All numbers of an audit."""
    table, plan, setup = engine.table, engine.plan, engine.setup
    tested = plan.tested
    scores = scores_of_tested(engine)
    scored = _scored_rows(engine)
    restricted = engine.permuted(table.mixed, "restricted")
    answers, flagged, notes = _metric_answers(engine, scored, restricted, population, permutations, seed)
    parts = None if plan.is_random else plan.parts
    everything = Rows(table.labels, table.confounders, table.group_codes, parts)
    groups = None if table.groups is None else table.group_codes[tested]
    of_tested = Rows(table.labels[tested], table.confounders.iloc[tested], groups, plan.fold_of_tested)
    found = links(everything, of_tested, scores, seed=seed)
    fixed_levels, fixed_rows = restricted.fixed
    counts = {
        "rows": len(table),
        "train": np.unique(np.concatenate([fold.train for fold in plan.folds])).size,
        "test": tested.size,
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
        record_wise=_record_wise(engine, seed, min(permutations, SENSITIVITY)),
        sensitivity=_sensitivity(engine, min(permutations, SENSITIVITY)),
        notes=(*table.notes, *_feature_notes(engine), *notes, *_notes_on_counts(counts)),
    )


def _scored_rows(engine):
    table, tested = engine.table, engine.plan.tested
    places = [np.searchsorted(tested, one.test) for one in engine.sets]
    groups = None if table.groups is None else table.group_codes[tested]
    return ScoredRows(table.y[tested], table.confounders.iloc[tested], groups, places, engine.scores)


def _metric_answers(engine, scored, restricted, population, permutations, seed):
    """The answer for every metric, the number of flagged fits, and notes on the weights."""
    metrics = engine.setup.metrics
    observed = {name: engine.observed(name) for name in metrics}
    analytic = {name: engine.analytic_baseline(name) for name in metrics}
    draws = engine.draws(restricted, "restricted", permutations)
    free = None
    if None in analytic.values():
        free = engine.draws(engine.permuted(None, "standard"), "standard", permutations)
    flagged = engine.flagged + draws.flagged + (free.flagged if free else 0)
    sizes = {"n_train": len(engine.sets[0].train), "n_test": engine.plan.tested.size}
    answers, notes = [], []
    for name, metric in metrics.items():
        standard = free.values[name] if free and analytic[name] is None else None
        found = assessment(
            name,
            metric,
            observed[name],
            draws.values[name],
            standard,
            analytic[name],
            **sizes,
            flagged=flagged,
            fixed=restricted.fixed[1],
        )
        answer, weight_notes = _metric_answer(metric, found, scored, population, seed)
        answers.append(answer)
        notes += [note for note in weight_notes if note not in notes]
    return answers, flagged, notes


def _metric_answer(metric, found, scored, population, seed):
    weighted, notes = None, [f"{found.metric} takes no weights, so there is no reweighted metric."]
    if metric.weighted is not None:
        weighted = scored.reweighted(metric, population, seed)
        notes = [f"{note[0].upper()}{note[1:]}." for note in weighted.notes]
    answer = MetricAnswer(
        name=found.metric,
        larger_is_better=metric.larger_is_better,
        observed=found.observed,
        observed_interval=scored.observed_interval(metric, seed),
        reweighted=weighted.value if weighted else np.nan,
        reweighted_interval=(weighted.low, weighted.high) if weighted else (np.nan, np.nan),
        effective_size=weighted.effective_size if weighted else np.nan,
        corrected=found.corrected,
        corrected_error=corrected_error(found),
        response_p=found.response_p,
        response_error=p_error(found.response_p, len(found.restricted)),
        restricted=found.restricted,
        standard=found.standard,
        paper=found,
    )
    return answer, notes


# ---- what else a reader needs ----------------------------------------------------------------------------------------


def _record_wise(engine, seed, permutations):
    """What a split that ignores groups would have claimed; None without groups, or where the split is given."""
    table, setup = engine.table, engine.setup
    if table.groups is None or not engine.plan.is_random:
        return None
    naive = Engine.of(replace(table, groups=None), setup)
    name = next(iter(setup.metrics))
    observed = naive.observed(name)
    draws = naive.draws(naive.permuted(table.mixed, "restricted"), "restricted", permutations)
    p = response_p(observed, draws.values[name], setup.metrics[name].direction)
    return RecordWise(observed, _scored_rows(naive).observed_interval(setup.metrics[name], seed), p)


def _sensitivity(engine, permutations):
    """The response test with bins of equal size instead of smooth confounders; None if there are no such."""
    table, name = engine.table, next(iter(engine.setup.metrics))
    if table.has_levels:
        return None
    observed, rows = engine.observed(name), []
    for bins in BINS:
        permuted = engine.permuted(_binned(table, bins), "restricted")
        draws = engine.draws(permuted, "restricted", permutations).values[name]
        p = response_p(observed, draws, engine.setup.metrics[name].direction)
        rows.append((f"{bins} bins of equal size", p, p_error(p, permutations), permuted.fixed[1]))
    return pd.DataFrame(rows, columns=["treatment", "response_p", "response_error", "fixed_rows"])


def _binned(table: Table, bins):
    """Numeric confounders in bins, others as they are."""
    mixed = table.mixed
    columns = {"levels": mixed.codes}
    columns |= {n: confounder_levels(v, {"quantiles": bins}) for n, v in zip(mixed.names, mixed.numeric.T, strict=True)}
    return MixedConfounders.of_columns(columns, [False] * len(columns))


def _feature_notes(engine):
    name = engine.setup.learner_name
    return () if name is None else Encoding.of(name).notes(engine.table.X, engine.plan)


def _notes_on_counts(counts: Mapping[str, int]):
    """Sentences about rows that cannot be permuted, and fits that were flagged."""
    if counts["fixed_rows"]:
        yield (
            f"{counts['fixed_rows']} of {counts['rows']} rows are in levels of the confounders with one row or one"
            " response, where nothing can be permuted."
        )
    if counts["flagged"]:
        yield f"{counts['flagged']} fits were separated or did not converge; their results are used."
    if counts["dropped"]:
        yield f"{counts['dropped']} rows are in no training or test set."
