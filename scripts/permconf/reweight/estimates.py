"""Four values of one metric, each about other people, with intervals, and the difference of two of them.

- observed: the rows as they are;
- reweighted: the same people, if response and confounders were independent;
- overlap: people for whom every class is plausible, if response and confounders were independent among them;
- within: pairs of a case and a control with the same confounders (AUC only), among the people of the overlap value.

A value that the data do not carry is not given: `Estimate.reason` says why. The same resampled rows give all values, so
what they share cancels in the difference. No value depends on a random number (`error` is 0); intervals do.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permconf.data.sample import Sample
from permconf.engine.contracts import Metric
from permconf.permute.random_streams import Streams
from permconf.results import Result, also
from permconf.reweight.bootstrap import (
    OVERLAP_LIMIT,
    STUCK,
    UNSTABLE,
    BootstrapRows,
    bootstrap_interval,
    effective_size,
    is_stuck,
    is_unstable,
    metric_interval,
    reason_against,
)
from permconf.reweight.pooling import Sets
from permconf.reweight.targets import TARGETS, Targets
from permconf.reweight.thinning import thinned
from permconf.reweight.weights import CellWeights, NumberWeights
from permconf.reweight.who import by_level, support
from permconf.wording import count

if TYPE_CHECKING:
    import pandas as pd  # takes a third of a second

COVERAGE = 0.95
EQUIVALENCE = 0.90  # coverage of the interval of a difference that two one-sided tests at 5 % ask for


@dataclass(frozen=True)
class Estimate(Result):
    """A value with its 95 % interval; NaN, with the reason, where the data do not carry it.

    `size` is the effective number of rows behind it. A difference has a 90 % interval too.
    """

    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    size: float = np.nan
    error: float = 0.0
    reason: str = ""
    low90: float = np.nan
    high90: float = np.nan

    confidence_interval = also("low", "high")


@dataclass(frozen=True, eq=False)
class Estimates:
    """The values of one metric; `difference` is observed minus `against`, the reweighted or else the overlap value.

    `balance` is the AUC that an index of the confounders keeps after reweighting: one half where weights work; beyond
    `BALANCE_LIMIT` from it the value is withheld. `support` has the range or the levels of each confounder that carry
    90 % of the overlap weight, `by_level` the metric in each level, `left_out` the levels without a class. `weights`
    (m,) are those of the reweighted and of the overlap value.
    """

    observed: Estimate
    reweighted: Estimate
    overlap: Estimate
    within: Estimate
    difference: Estimate
    against: str
    balance: float
    support: "pd.DataFrame"
    by_level: "pd.DataFrame"
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    weights: dict[str, np.ndarray]


def estimates(
    metric: Metric,
    name: str,
    sample: Sample,
    sets: Sets,
    *,
    population: Any = "independent",
    problem: str = "",
    seed: int,
    bootstrap: int,
    interval: float = COVERAGE,
    levels: bool = True,
) -> Estimates:
    """All values of a metric for the rows of `sample`; `sets` are places among them and their scores, as in folds.

    `problem` says what a model of the response given the confounders misses: where it is not empty, values that rest on
    that model are withheld. Without `levels` there is no `by_level`.
    """
    targets = Targets.of(metric, name, sample, sets, population=population, problem=problem)
    once = np.ones((len(sample), 1))
    made = targets.weights(once)
    weights = {target: w[:, 0] for target, w in made.items()}
    weights["observed"], weights["within"] = once[:, 0], weights.get("overlap", once[:, 0])
    balance = targets.reweighted.balance(weights["reweighted"]) if targets.reweighted else np.nan
    limits = _limits(targets, sample, weights, balance)
    values = dict(zip(TARGETS, targets.values(once, made)[0], strict=True))
    some, some_sets, factor = thinned(sample, sets, seed)
    limits = {target: replace(one, wider=one.wider * factor) for target, one in limits.items()}
    drawn = targets
    if some is not sample:
        drawn = Targets.of(metric, name, some, some_sets, population=population)
        drawn.reasons.update(targets.reasons)
    keys = Streams(seed, "reweighting").keys("bootstrap", bootstrap)
    draws = BootstrapRows.of(len(some), some.subjects).draws(drawn.values, keys)
    by_target = dict(zip(TARGETS, draws.T, strict=True))
    for target in TARGETS[1:]:
        if target not in targets.reasons and is_unstable(by_target[target]):
            targets.reasons[target] = UNSTABLE
        if target not in targets.reasons and is_stuck(metric, values[target], by_target[target]):
            targets.reasons[target] = STUCK

    def estimate(target):
        if reason := targets.reasons.get(target, ""):
            return Estimate(reason=reason)
        options = {"rows": len(sample), **limits[target].of_interval}
        low, high = metric_interval(metric, values[target], by_target[target], interval, **options)
        return Estimate(float(values[target]), low, high, effective_size(weights[target]))

    against = "overlap" if "reweighted" in targets.reasons and "overlap" not in targets.reasons else "reweighted"
    lone = targets.overlap.lone if isinstance(targets.overlap, CellWeights) else {}
    scale = {"link": metric.link, "rows": len(sample)}
    difference = _difference(targets.reasons.get(against, ""), against, values, by_target, limits, interval, **scale)
    has_overlap = targets.overlap is not None and weights["overlap"].sum() > 0
    return Estimates(
        **{target: estimate(target) for target in TARGETS},
        difference=difference,
        against=against,
        balance=balance,
        support=support(sample.confounders, weights["overlap"] if has_overlap else once[:, 0]),
        by_level=by_level(metric, name, sample, sets if levels else [], seed, interval),
        left_out=tuple(f"{level} ({count(rows, 'row')})" for level, rows in lone.items()),
        notes=() if targets.reweighted is None else (*targets.reweighted.notes, *_notes_on_draws(draws)),
        weights=weights,
    )


def _limits(targets, sample, weights, balance):
    """What limits the interval of each value; values that weights do not carry get a reason."""
    rows = BootstrapRows.of(len(sample), sample.subjects)
    codes = None if sample.response.labels is None else sample.response.values
    known = [target for target in TARGETS if target in weights]
    limits = {target: rows.limits(weights[target], codes, targets.cells(target, sample)) for target in known}
    explained = targets.reweighted.explained if isinstance(targets.reweighted, NumberWeights) else 0.0
    kept = targets.overlap.balance(weights["overlap"]) if targets.overlap else 0.5
    checks: dict[str, tuple[float, ...]] = {"reweighted": (balance, explained)}
    checks |= dict.fromkeys(("overlap", "within"), (kept, 0.0, OVERLAP_LIMIT, 0.0))
    for target, given in checks.items():
        open_yet = target in limits and target not in targets.reasons
        if open_yet and (reason := reason_against(limits[target], *given)):
            targets.reasons[target] = reason
    return limits


def _difference(reason, against, values, draws, limits, interval, **scale):
    """Observed minus another value, with intervals from the differences of the same samples.

    They are as skew as those of the other value, which varies most: `scale` is its link and the number of rows.
    """
    if reason:
        return Estimate(reason=reason)
    other, value = float(values[against]), float(values["observed"] - values[against])
    moved, options = draws["observed"] - draws[against], limits[against].of_interval

    def ends(coverage):
        low, high = bootstrap_interval(value, moved, coverage, "identity", rows=1, **options)
        bottom, top = bootstrap_interval(other, draws[against], coverage, **scale, **options)
        flat = bootstrap_interval(other, draws[against], coverage, "identity", rows=1, **options)[1] - other
        skew = ((top - other) / flat, (other - bottom) / flat) if flat > 0 else (1.0, 1.0)
        return value - (value - low) * skew[0], value + (high - value) * skew[1]

    (low, high), (low90, high90) = ends(interval), ends(EQUIVALENCE)
    return Estimate(value, low, high, low90=low90, high90=high90)


def _notes_on_draws(draws):
    """A note if a value was not defined in many bootstrap samples."""
    lost = int(np.isnan(draws[:, 1]).sum())
    if len(draws) / 20 < lost < len(draws):
        return (f"{lost} of {len(draws)} bootstrap samples lack a cell and were left out",)
    return ()
