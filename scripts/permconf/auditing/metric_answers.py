"""The answer for every metric of an audit."""

from typing import Any

import numpy as np

from permconf.auditing.answer import MetricAnswer
from permconf.auditing.phrases import joined
from permconf.auditing.scored_rows import ScoredRows
from permconf.data.sample import Sample
from permconf.engine.contracts import Metric, make_metric, metric_name
from permconf.engine.evaluate import Evaluation, mean_over_sets
from permconf.inference.assess import Assessment, corrected_error, is_constant, p_error
from permconf.permute.misfit import misfit
from permconf.permute.random_streams import Streams
from permconf.reweight.estimates import Estimate, Estimates
from permconf.wording import count


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


def problem_of_model(sample: Sample, seed: int) -> str:
    """What the model of the response given the confounders misses, in a sentence; "" if nothing was found."""
    return misfit(sample.response, sample.confounders, sample.subjects, Streams(seed, "misfit").rng("signs")).problem


def metric_answers(
    evaluation: Evaluation,
    scored: ScoredRows,
    found: dict[str, Assessment],
    population: Any,
    seed: int,
    problem: str = "",
) -> tuple[list[MetricAnswer], list[str]]:
    """The answer for every metric, and notes; `problem` is that of the model of the response given the confounders."""
    answers, notes = [], list(_notes_on_draws(evaluation, next(iter(found.values())).restricted))
    if problem:
        notes.append(f"There is no response test: {problem}.")
    for name, metric in evaluation.metrics.items():
        if found[name].problem not in ("", problem) and not is_constant(found[name].restricted):
            notes.append(f"{found[name].problem[0].upper()}{found[name].problem[1:]}.")
        answer, weight_notes = metric_answer(
            name, metric, evaluation.by_fold[name], scored, population, seed, found[name], problem
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


def _notes_on_sets(values, name):
    """A note if the metric is not defined in some of the test sets."""
    undefined = int(np.isnan(values).sum())
    if undefined:
        yield (
            f"Metric {name!r} is not defined in {undefined:,} of {count(len(values), 'test set')}; it is the mean over"
            " the others. Choose fewer folds, or larger test sets."
        )


def metric_answer(
    name: str,
    metric: Metric,
    by_set: np.ndarray,
    scored: ScoredRows,
    population: Any,
    seed: int,
    found: Assessment | None = None,
    problem: str = "",
) -> tuple[MetricAnswer, list[str]]:
    """The answer for one metric from its values in test sets, and notes; without an assessment nothing was fitted."""
    weighs = metric.weighted is not None
    values = scored.estimates(metric, name, population, problem, seed) if weighs else _without_weights(name)
    answer = MetricAnswer(
        name=name,
        larger_is_better=metric.larger_is_better,
        observed=float(mean_over_sets(by_set)),
        observed_interval=scored.observed_interval(metric, name, seed),
        estimates=values,
        corrected=found.corrected if found else np.nan,
        corrected_error=corrected_error(found) if found and np.isfinite(found.corrected) else np.nan,
        response_p=found.response_p if found else np.nan,
        response_error=p_error(found.response_p, len(found.restricted)) if found else np.nan,
        restricted=found.restricted if found else None,
        standard=found.standard if found and not found.is_analytic else None,
        paper=found,
    )
    notes = list(values.notes)
    if values.left_out:
        notes.append(f"the overlap value leaves out levels without one of the classes: {joined(values.left_out)}")
    return answer, [*_notes_on_sets(by_set, name), *(f"{note[0].upper()}{note[1:]}." for note in notes)]


def _without_weights(name):
    """What there is of a metric that takes no weights."""
    nothing, note = Estimate(reason=f"metric {name!r} takes no weights"), "takes no weights, so it is not reweighted"
    values = dict.fromkeys(("observed", "reweighted", "overlap", "within", "difference"), nothing)
    rest = {"against": "", "balance": np.nan, "support": None, "by_level": None, "left_out": (), "weights": {}}
    return Estimates(**values, **rest, notes=(f"metric {name!r} {note}",))
