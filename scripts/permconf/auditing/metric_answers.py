"""The answer for every metric of an audit."""

from typing import Any

import numpy as np

from permconf.auditing.answer import MetricAnswer
from permconf.auditing.scored_rows import ScoredRows
from permconf.engine.contracts import Metric, make_metric, metric_name
from permconf.engine.evaluate import Evaluation
from permconf.inference.assess import Assessment, corrected_error, is_constant, p_error
from permconf.wording import count

NOTHING = (np.nan, np.nan)


def make_metrics(metric: Any, y: Any) -> dict[str, Metric]:
    """Metrics of the response by name, from one or a list of them; they must be for the same kind of response."""
    specs = list(metric) if isinstance(metric, list | tuple) else [metric]
    if not specs:
        raise ValueError("metric is an empty list; give at least one, such as 'auc'")
    made = {metric_name(spec): make_metric(spec, y=y) for spec in specs}
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
    evaluation: Evaluation, scored: ScoredRows, found: dict[str, Assessment], population: Any, seed: int
) -> tuple[list[MetricAnswer], list[str]]:
    """The answer for every metric, and notes."""
    answers, notes = [], list(_notes_on_draws(evaluation, next(iter(found.values())).restricted))
    for name, metric in evaluation.metrics.items():
        notes += _notes_on_sets(evaluation, name)
        if found[name].problem and not is_constant(found[name].restricted):
            notes.append(f"{found[name].problem[0].upper()}{found[name].problem[1:]}.")
        answer, weight_notes = metric_answer(
            name, metric, evaluation.observed(name), scored, population, seed, found[name]
        )
        answers.append(answer)
        notes += [note for note in weight_notes if note not in notes]
    return answers, notes


def _notes_on_draws(evaluation, draws):
    """A note if no permutation changes the metric."""
    if is_constant(draws):
        subjects = evaluation.sample.subjects
        why = f"; features that are constant within {subjects.name} cannot be tested so" if subjects else ""
        yield f"No permutation changes the metric, so the response test cannot reject{why}."


def _notes_on_sets(evaluation, name):
    """A note if the metric is not defined in some of the test sets."""
    values = evaluation.by_fold[name]
    undefined = int(np.isnan(values).sum())
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
        observed_interval=scored.observed_interval(metric, name, seed),
        reweighted=weighted.value if weighted else np.nan,
        reweighted_interval=(weighted.low, weighted.high) if weighted else NOTHING,
        effective_size=weighted.effective_size if weighted else np.nan,
        corrected=found.corrected if found else np.nan,
        corrected_error=corrected_error(found) if found else np.nan,
        response_p=found.response_p if found else np.nan,
        response_error=p_error(found.response_p, len(found.restricted)) if found else np.nan,
        restricted=found.restricted if found else None,
        standard=found.standard if found and not found.is_analytic else None,
        paper=found,
    )
    return answer, [f"{note[0].upper()}{note[1:]}." for note in notes]


def _reweighted(name, metric, scored, population, seed):
    """The reweighted metric, or None if there is none, and notes."""
    if metric.weighted is None:
        return None, (f"metric {name!r} takes no weights, so it is not reweighted",)
    try:
        weighted = scored.reweighted(metric, name, population, seed)
    except ValueError as error:
        if not isinstance(population, str) or population != "independent":  # what a user gave must be right
            raise
        return None, (f"there is no reweighted metric: {error}",)
    if weighted.reason:
        return None, (f"there is no reweighted metric: {weighted.reason}",)
    return weighted, weighted.notes
