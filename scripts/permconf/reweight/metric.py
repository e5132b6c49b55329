"""The metric of predictions where confounder and response are not associated as in the test set, in three senses.

Nothing is retrained: values are those of the predictions at hand, with test rows weighted so that response and
confounders are independent, or have the joint distribution of a population of interest (`reweighted_metric`), or so
that people count for whom every class is plausible (`overlap_metric`), or of pairs with the same confounders
(`within_metric`). Intervals come from the bootstrap.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.features import Features
from permconf.data.response import Response
from permconf.data.sample import Sample, Subjects
from permconf.data.values import check_row_order
from permconf.engine.contracts import Metric, labelled, make_metric
from permconf.engine.plugin_results import check_defined, checked_values
from permconf.engine.scores import Scores, given_scores
from permconf.keywords import helpful
from permconf.options import whole_number
from permconf.results import Result, also
from permconf.reweight.bootstrap import (
    STUCK,
    BootstrapRows,
    bootstrap_interval,
    effective_size,
    is_stuck,
    reason_against,
)
from permconf.reweight.estimates import COVERAGE, Estimate, estimates
from permconf.reweight.weights import CellWeights, row_weights


@dataclass(frozen=True, eq=False)
class ReweightedMetric(Result):
    """A metric of weighted test rows, with a confidence interval.

    `effective_size` is (sum w)^2 / sum w^2 for the row weights w (`weights`, which sum to the number of rows);
    `observed` is the metric without weights. `notes` are sentences about what makes the value unreliable. Where the
    weights do not carry it, value, low and high are NaN, and `reason` says why. `balance` is the AUC that the
    confounders alone keep in the weighted rows: one half if the weights work.

    >>> from permconf import example, reweighted_metric
    >>> table = example()
    >>> found = reweighted_metric(table["ill"], table["marker"], table["site"])
    >>> found.low < found.value < found.high, found.effective_size < 200
    (True, True)
    """

    metric: str
    value: float
    low: float
    high: float
    effective_size: float
    observed: float
    weights: np.ndarray = field(repr=False)
    notes: tuple[str, ...]
    balance: float = 0.5
    reason: str = ""

    confidence_interval = also("low", "high")
    HINTS = {
        **dict.fromkeys(("ci", "interval", "intervals"), "the interval is from low to high, or confidence_interval"),
        **dict.fromkeys(("p", "pvalue", "p_value", "statistic"), "it is an estimate with an interval, not a test"),
        **dict.fromkeys(("plot", "show"), "audit_predictions(...).plot() draws it beside the observed value"),
        "reweighted": "it is called value",
    }


@helpful
def reweighted_metric(
    y: Any,
    scores: Any,
    confounders: Any,
    *,
    metric: Any = "auc",
    population: "str | Mapping" = "independent",
    interval: float = 0.95,
    groups: Any = None,
    confounder: Any = "auto",
    positive: Any = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> ReweightedMetric:
    """The metric of predictions `scores` of the response `y` where confounders and response are independent.

    `confounders` is a vector, a matrix with a column for each, a Series or a DataFrame, analysed as `confounder` says
    (see `permconf.data.confounders`). `population` is "independent" (with the margins of the sample) or a mapping of
    cells (y, c) to shares, with a tuple for c if there are several confounders. `interval` is the coverage of the
    bootstrap interval; where rows belong to `groups`, such as subjects, whole groups are resampled.

    For two classes scores that are all between 0 and 1 are probabilities of the class `positive` (by default as in
    `permconf.data.response`), which is predicted above 1/2; other scores predict it if they are positive. For several
    classes they are predicted classes, or a column of scores (or probabilities) for each. `log_loss` and `brier` need
    probabilities. The `Scores` of a learner say what they are.

    >>> from permconf import example, reweighted_metric
    >>> table = example()
    >>> found = reweighted_metric(table["ill"], table["marker"], table["site"], metric="auc")
    >>> found.value < found.observed
    True
    """
    return _public("reweighted", **locals())


@helpful
def overlap_metric(
    y: Any,
    scores: Any,
    confounders: Any,
    *,
    metric: Any = "auc",
    interval: float = 0.95,
    groups: Any = None,
    confounder: Any = "auto",
    positive: Any = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> ReweightedMetric:
    """The metric among people for whom, given their confounders, every class is plausible (see `reweighted_metric`).

    A row's weight is one minus the probability of its class (Li, Morgan & Zaslavsky 2018): response and confounders
    are independent in the weighted rows, no weight is large, and levels without a class are left out. It is available
    where `reweighted_metric` is not, but describes other people.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(60, 10, 300)
    >>> ill = (rng.logistic(size=300) < (age - 60) / 3).astype(int)
    >>> from permconf import overlap_metric
    >>> found = overlap_metric(ill, age + rng.normal(size=300), age)  # the scores know the age only
    >>> found.observed > 0.9, found.low < 0.5 < found.high
    (True, True)
    """
    return _public("overlap", **locals())


@helpful
def within_metric(
    y: Any,
    scores: Any,
    confounders: Any,
    *,
    metric: Any = "auc",
    interval: float = 0.95,
    groups: Any = None,
    confounder: Any = "auto",
    positive: Any = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> ReweightedMetric:
    """The AUC of pairs of a case and a control with the same confounders (arguments: see `reweighted_metric`).

    `permconf.reweight.targets` defines it.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 400)
    >>> ill = (0.6 * site + rng.uniform(size=400) > 0.8).astype(int)
    >>> from permconf import within_metric
    >>> found = within_metric(ill, rng.normal(ill + 2 * site), site)  # within a site, an AUC of .76
    >>> found.low < 0.76 < found.high < found.observed
    True
    """
    return _public("within", **locals())


def _public(target, y, scores, confounders, *, metric, groups, confounder, positive, seed, **options):
    """One of the values of `estimates`, from what a user gave; `options` are interval, bootstrap and population."""
    one = make_metric(metric, y=y)
    name = one.name
    if one.weighted is None:
        raise ValueError(f"metric {name!r} has no weighted version")
    check_options(**options)
    check_row_order(y=y, scores=scores, confounders=confounders, groups=groups)
    response = Response.of(y, one.task, positive=positive).varying()
    given, m = given_scores(scores, response.labels, len(response)), len(response)
    _needed(given, one, name)
    c, subjects = Confounders.of(confounders, confounder, rows=m), Subjects.of(groups, rows=m)
    sample = Sample(Features.of(np.empty((m, 0))), response, c, subjects)
    sets = [(np.arange(m), given)]
    found = estimates(labelled(one, response.labels), name, sample, sets, seed=seed, levels=False, **options)
    chosen, weights = getattr(found, target), found.weights.get(target, np.full(m, np.nan))
    if not chosen.reason:
        check_defined(np.array([chosen.value]), name)
    return ReweightedMetric(
        name,
        *(chosen.value, chosen.low, chosen.high, chosen.size, found.observed.value),
        weights=weights * (m / weights.sum()),
        notes=(*_note_on_cut(given, response, one), *found.notes),
        balance=found.balance if target == "reweighted" else 0.5,
        reason=chosen.reason,
    )


# ---- as studies have it ----------------------------------------------------------------------------------------------


def reweighted_predictions(
    scores: Scores, metric: Metric, response: Response, c: Confounders, subjects: Subjects | None, **options: Any
) -> Estimate:
    """The reweighted metric as in studies: whatever its balance, with the freedom of all rows in the interval."""
    metric_of = _of_weights(scores, metric, response)
    return reweighted([metric_of], response.present(), c, subjects, metric=metric, **options)[0]


def carried_metric(scores: Scores, metric: Metric, response: Response, confounders: Confounders) -> float:
    """The reweighted metric of classes without its interval; NaN where the weights do not carry it."""
    weighting, once = row_weights(response.present(), confounders), np.ones((len(response), 1))
    weights = weighting.weights(once)
    cells = confounders.strata.codes if isinstance(weighting, CellWeights) else None
    limits = BootstrapRows.of(len(response), None).limits(weights[:, 0], response.values, cells)
    if reason_against(limits, weighting.balance(weights[:, 0])):
        return np.nan
    return float(check_defined(_of_weights(scores, metric, response)(weights), metric.name)[0])


def _of_weights(scores, metric, response):
    """A metric of predictions as a function of weights (m, b); scores have a column for classes without rows, too."""
    weighted = labelled(metric, response.present().labels).weighted
    predicted = _needed(scores, metric, metric.name)[:, 0]
    return lambda weights: checked_values(weighted(response.values, predicted, weights), weights.shape[1], metric.name)


def reweighted(metrics_of, response, confounders, subjects, *, metric, bootstrap, streams) -> list[Estimate]:
    """A metric of weighted rows, given as functions of weights (m, b), one for each prediction, for independence.

    Predictions of the same rows share their weights, which are made once.
    """
    rows, weighting = BootstrapRows.of(len(response), subjects), row_weights(response, confounders)
    once = np.ones((len(response), 1))
    weights = weighting.weights(once)
    size, keys = effective_size(weights[:, 0]), streams.keys("bootstrap", bootstrap)
    limits = {"freedom": min(size, rows.units.counts.size) - 1, "rows": len(response)}

    def several(counts):
        drawn = weighting.weights(counts)
        return np.stack([metric_of(drawn) for metric_of in metrics_of], axis=1)

    found = []
    for metric_of, draws in zip(metrics_of, rows.draws(several, keys).T, strict=True):
        value, _ = (float(check_defined(metric_of(w), metric.name)[0]) for w in (weights, once))  # both must be defined
        if is_stuck(metric, value, draws):
            raise ValueError(STUCK)
        low, high = bootstrap_interval(value, draws, COVERAGE, metric.link, **limits)
        found.append(Estimate(value, low, high, size))
    return found


@helpful
def training_weights(
    y: Any,
    confounders: Any,
    *,
    population: "str | Mapping" = "independent",
    groups: Any = None,
    confounder: Any = "auto",
    seed: int = 0,
) -> np.ndarray:
    """Weights of training rows of classes `y`, as if confounders and response were independent (or as in `population`).

    A learner trained with them and judged by `reweighted_metric` estimates what training and test without confounding
    would give. They sum to the number of rows. Nothing is drawn at random, so `seed` and `groups` change nothing.

    >>> from permconf import training_weights
    >>> training_weights(["ill", "ill", "well", "ill", "well", "well"], ["a", "a", "a", "b", "b", "b"])
    array([0.75, 0.75, 1.5 , 1.5 , 0.75, 0.75])
    """
    whole_number(seed, "seed", least=0)
    check_row_order(y=y, confounders=confounders, groups=groups)
    response = Response.of(y, "classification").varying()
    c = Confounders.of(confounders, confounder, rows=len(response))
    return row_weights(response, c, population).weights(np.ones((len(response), 1)))[:, 0]


def check_options(interval, bootstrap, population="independent"):
    if np.ndim(interval) or np.asarray(interval).dtype.kind not in "iuf" or not 0 < interval < 1:
        raise ValueError(f"interval must be between 0 and 1, not {interval!r}")
    whole_number(bootstrap, "bootstrap", least=2)
    if not isinstance(population, str | Mapping | list):
        kind = type(population).__name__
        raise ValueError(f"population must be 'independent' or a mapping of cells (y, c) to shares, not {kind}")


def _needed(scores, metric, name):
    try:
        return scores.needed(metric.needs)
    except ValueError:
        low, high = scores.values.min(), scores.values.max()
        raise ValueError(
            f"{name} needs probabilities, but scores are between {low:.4g} and {high:.4g}"
            " or do not sum to one over the classes"
        ) from None


def _note_on_cut(scores, response, metric):
    """A note where numbers are taken for probabilities and it matters."""
    if metric.needs != "scores" or scores.kind != "probability" or scores.values.ndim == 3:
        return ()
    if np.isin(scores.values, (0.0, 1.0)).all():
        return ()
    label = response.labels.tolist()[1]
    return (f"scores are between 0 and 1, so they were taken for probabilities: {label!r} is predicted above 1/2",)
