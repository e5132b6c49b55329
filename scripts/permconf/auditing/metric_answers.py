"""The answer for every metric of an audit."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from permconf.auditing.answer import MetricAnswer
from permconf.auditing.phrases import decimals, joined
from permconf.auditing.phrases import metric_name as in_words
from permconf.auditing.phrases import value as written
from permconf.auditing.scored_rows import ScoredRows
from permconf.data.sample import Sample
from permconf.engine.contracts import Metric, make_metric, metric_name
from permconf.engine.evaluate import Evaluation, mean_over_sets
from permconf.inference.assess import Assessment, corrected_error, is_constant, p_error
from permconf.permute.misfit import misfit
from permconf.permute.random_streams import Streams
from permconf.reweight.estimates import Estimate, Estimates
from permconf.wording import count

_COUNTED = {"rows": "rows", "pairs": "pairs of a case and a control", "cases": "cases", "weight": "rows"}


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


def problem_of_model(sample: Sample, seed: int, *, quadrants: bool = False) -> str:
    """What the model of the response given the confounders misses, in a sentence; "" if nothing was found.

    It is that of weights or, with `quadrants`, that of the response test.
    """
    rng = Streams(seed, "misfit").rng("signs")
    return misfit(sample.response, sample.confounders, sample.subjects, rng, quadrants=quadrants).problem


def metric_answers(
    metrics: dict[str, Metric],
    by_set: dict[str, np.ndarray],
    scored: ScoredRows,
    population: Any,
    seed: int,
    problem: str,
    found: dict[str, Assessment],
) -> tuple[list[MetricAnswer], list[str]]:
    """The answer for every metric from its values in test sets, and notes; without assessments nothing was fitted.

    `problem` is that of the model of the response given the confounders that weights rest on.
    """
    answers, notes = [], []
    for name, metric in metrics.items():
        weighs = metric.weighted is not None
        values = scored.estimates(metric, name, population, problem, seed) if weighs else _without_weights(name)
        observed = float(mean_over_sets(by_set[name])), scored.observed_interval(metric, name, seed)
        answers.append(MetricAnswer(name, metric.larger_is_better, *observed, values, **_tested(found.get(name))))
        if name in found and (undefined := found[name].problem) and not is_constant(found[name].restricted):
            notes += [_sentence(undefined)] if np.isfinite(found[name].response_p) else []  # else it is withheld
        new = [*_notes_on_sets(by_set[name], name), *map(_sentence, values.notes)]
        if weighs:
            new += _note_on_counting(metric, name, *observed, values.observed.value)
        if values.left_out and not values.overlap.reason:
            new.append(f"The overlap value leaves out levels without one of the classes: {joined(values.left_out)}.")
        notes += [note for note in new if note not in notes]
    return answers, notes


def notes_on_fits(evaluation: Evaluation, draws: np.ndarray, problem: str) -> Iterator[str]:
    """Notes if no permutation changes the metric, or there is no response test."""
    if is_constant(draws):
        subjects = evaluation.sample.subjects
        why = f"; features that are constant within {subjects.name} cannot be tested so" if subjects else ""
        yield f"No permutation changes the metric, so the response test cannot reject{why}."
    if problem:
        yield f"There is no response test: {problem}."


def _sentence(note):
    return f"{note[0].upper()}{note[1:]}."


def _notes_on_sets(values, name):
    """A note if the metric is not defined in some of the test sets."""
    undefined = int(np.isnan(values).sum())
    if undefined:
        yield (
            f"Metric {name!r} is not defined in {undefined:,} of {count(len(values), 'test set')}; it is the mean over"
            " the others. Choose fewer folds, or larger test sets."
        )


def _note_on_counting(metric, name, mean, interval, counted):
    """A note if test sets that do not count the same give another value, of which the difference is taken.

    Each set says as much of the mean, the usual value of a cross-validation; weights need sets that count by what they
    hold (`permconf.reweight.pooling`), and a difference needs both values counted alike.
    """
    low, high = interval
    if abs(counted - mean) > (high - low) / 20:
        places = decimals(low, high) + 1
        yield (
            f"The observed {in_words(name)} of {written(mean, places)} is the mean over test sets. Counted by"
            f" {_COUNTED[metric.pooled]}, as in the other values, it is {written(counted, places)}; the difference is"
            " from this."
        )


def _tested(found):
    """The fields of an answer that rest on the nulls, if there are any."""
    if found is None:
        return {}
    return {
        "corrected": found.corrected,
        "corrected_error": corrected_error(found) if np.isfinite(found.corrected) else np.nan,
        "response_p": found.response_p,
        "response_error": p_error(found.response_p, len(found.restricted)),
        "restricted": found.restricted,
        "standard": None if found.is_analytic else found.standard,
        "paper": found,
    }


def _without_weights(name):
    """What there is of a metric that takes no weights."""
    nothing, note = Estimate(reason=f"metric {name!r} takes no weights"), "takes no weights, so it is not reweighted"
    values: Any = dict.fromkeys(("observed", "reweighted", "overlap", "within", "difference"), nothing)
    rest: Any = {"against": "", "balance": np.nan, "support": None, "by_level": None, "left_out": (), "weights": {}}
    return Estimates(**values, **rest, notes=(f"metric {name!r} {note}",))
