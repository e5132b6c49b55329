"""The answer for every metric of an audit."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import MetricAnswer
from permconf.auditing.engine import Engine
from permconf.auditing.intervals import ScoredRows
from permconf.auditing.nulls import assessment, corrected_error, is_constant, p_error
from permconf.data.response import response_of
from permconf.engine.contracts import Metric, labelled, make_metric, metric_name
from permconf.inference.assess import Assessment
from permconf.permute.permuted_response import PermutedResponse
from permconf.wording import count

NOTHING = (np.nan, np.nan)


def make_metrics(metric: Any, y: pd.Series) -> dict[str, Metric]:
    """Metrics of the response by name, from one or a list of them; they must be for the same kind of response."""
    specs = list(metric) if isinstance(metric, list | tuple) else [metric]
    if not specs:
        raise ValueError("metric is an empty list; give at least one, such as 'auc'")
    labels = response_of(y).labels
    made = {metric_name(spec): labelled(make_metric(spec, y=y), labels) for spec in specs}
    if len(made) < len(specs):
        raise ValueError(
            f"two metrics have the same name, among {[metric_name(spec) for spec in specs]}; leave one out"
        )
    if len({one.task for one in made.values()}) > 1:
        first, *others = made
        odd = next(name for name in others if made[name].task != made[first].task)
        raise ValueError(f"metric {first!r} is for {made[first].task}, {odd!r} for {made[odd].task}; give one kind")
    return made


def metric_answers(
    engine: Engine, scored: ScoredRows, restricted: PermutedResponse, population: Any, permutations: int, seed: int
) -> tuple[list[MetricAnswer], int, list[str]]:
    """The answer for every metric, the number of flagged fits, and notes on the weights."""
    metrics = engine.setup.metrics
    observed = {name: engine.observed(name) for name in metrics}
    analytic = {name: engine.analytic_baseline(name) for name in metrics}
    draws, free = engine.draws(restricted, "restricted", permutations), None
    if None in analytic.values():
        free = engine.draws(engine.permuted(None, "standard"), "standard", permutations)
    flagged = engine.flagged + draws.flagged + (free.flagged if free else 0)
    sizes = {"n_train": len(engine.sets[0].train), "n_test": engine.plan.tested.size, "fixed": restricted.fixed[1]}
    answers, notes = [], list(_notes_on_draws(engine, draws.values[next(iter(metrics))]))
    for name, metric in metrics.items():
        standard = free.values[name] if free and analytic[name] is None else None
        notes += _notes_on_sets(engine, name, metric)
        values = observed[name], draws.values[name], standard, analytic[name]
        found = assessment(name, metric, *values, **sizes, flagged=flagged)
        answer, weight_notes = metric_answer(name, metric, observed[name], scored, population, seed, found)
        answers.append(answer)
        notes += [note for note in weight_notes if note not in notes]
    return answers, flagged, notes


def _notes_on_draws(engine, draws):
    """A note if no permutation changes the metric."""
    if is_constant(draws):
        groups = engine.table.groups_name
        why = f"; features that are constant within {groups} cannot be tested so" if groups else ""
        yield f"No permutation changes the metric, so the response test cannot reject{why}."


def _notes_on_sets(engine, name, metric):
    """A note if the metric is not defined in some of the test sets."""
    pairs = zip(engine.sets, engine.scores, strict=True)
    y = engine.table.y
    values = [metric.values(y[one.test][:, None], scores.needed(metric.needs)) for one, scores in pairs]
    undefined = int((~np.isfinite(values)).sum())
    if undefined:
        yield (
            f"Metric {name!r} is not defined in {undefined:,} of {count(len(values), 'test set')}; it is the mean over"
            " the others. Choose fewer folds, or larger test sets."
        )


def metric_answer(
    name: str,
    metric: Metric,
    observed: float,
    scored: ScoredRows,
    population: Any,
    seed: int,
    found: Assessment | None = None,
) -> tuple[MetricAnswer, list[str]]:
    """The answer for one metric, and notes on its weights; without an assessment nothing was fitted."""
    weighted, notes = _reweighted(name, metric, scored, population, seed)
    answer = MetricAnswer(
        name=name,
        larger_is_better=metric.larger_is_better,
        observed=observed,
        observed_interval=scored.observed_interval(metric, scored.samples(name), seed),
        reweighted=weighted.value if weighted else np.nan,
        reweighted_interval=(weighted.low, weighted.high) if weighted else NOTHING,
        effective_size=weighted.effective_size if weighted else np.nan,
        corrected=found.corrected if found else np.nan,
        corrected_error=corrected_error(found) if found else np.nan,
        response_p=found.response_p if found else np.nan,
        response_error=p_error(found.response_p, len(found.restricted)) if found else np.nan,
        restricted=found.restricted if found else None,
        standard=found.standard if found else None,
        paper=found,
    )
    return answer, [f"{note[0].upper()}{note[1:]}." for note in notes]


def _reweighted(name, metric, scored, population, seed):
    """The reweighted metric, or None if there is none, and notes."""
    if metric.weighted is None:
        return None, (f"metric {name!r} takes no weights, so it is not reweighted",)
    try:
        weighted = scored.reweighted(metric, population, scored.samples(name), seed)
    except ValueError as error:
        if not isinstance(population, str) or population != "independent":  # what a user gave must be right
            raise
        return None, (f"there is no reweighted metric: {error}",)
    return weighted, weighted.notes
