"""From permutation nulls to tests and corrected metrics (paper, Sections 2.1 to 2.4)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from permconf.engine.contracts import Metric, Moments, make_metric
from permconf.engine.evaluate import NULLS, Draws, Evaluation, nulls, permuted, prepared
from permconf.engine.folds import paper_split
from permconf.inference.p_values import ROUNDING, permutation_p
from permconf.keywords import helpful
from permconf.options import choice, whole_number
from permconf.permute.random_streams import Streams
from permconf.results import Result, also
from permconf.wording import p_text

RESULTS = (  # of an assessment, as columns of a table of tests
    *("n_train", "n_test", "observed", "restricted_mean", "restricted_sd", "baseline_mean", "baseline_sd"),
    *("n_permutations", "response_p", "confounding_z", "confounding_p", "corrected", "corrected_quantile"),
    *("flagged", "fixed"),
)


@dataclass(frozen=True, repr=False, eq=False)
class Assessment(Result):
    """What the permutation nulls say about one data set and metric.

    `restricted` and `standard` are the draws; `baseline_*` are the moments of the null without confounding, against
    which the confounding test and the correction are made, by formula if `is_analytic`. `corrected` is the "orange"
    correction, `corrected_quantile` the "purple" one (NaN without a standard null). `flagged` counts fits that were
    separated or did not converge, `fixed` the training and test rows in levels of the confounder where there is nothing
    to permute. What is not defined is NaN, and `problem` says why in a sentence ("" if there is none).

    >>> from permconf import assess, example
    >>> table, X = example(120), ["marker", "volume"]
    >>> data = [part[name] for part in (table[:60], table[60:]) for name in (X, "ill", "site")]
    >>> a = assess(*data, permutations=99, seed=1)
    >>> a.metric, a.n_test, a.restricted.shape
    ('auc', 60, (99,))
    """

    metric: str
    n_train: int
    n_test: int
    observed: float
    restricted: np.ndarray
    standard: np.ndarray | None
    restricted_mean: float
    restricted_sd: float
    baseline_mean: float
    baseline_sd: float
    n_permutations: int
    response_p: float
    confounding_z: float
    confounding_p: float
    corrected: float
    corrected_quantile: float
    flagged: int
    fixed: int
    is_analytic: bool = False
    problem: str = ""

    null_distribution = also("restricted")
    statistic = also("observed")
    HINTS = {
        **dict.fromkeys(
            ("p", "pvalue", "p_value"), "its tests are response_p, and the paper's confounding_p (not for real data)"
        ),
        **dict.fromkeys(
            ("ci", "interval", "confidence_interval"), "audit gives intervals; here draws are in restricted"
        ),
        **dict.fromkeys(("plot", "show"), "audit(...).plot() draws the nulls; here draws are in restricted"),
        **dict.fromkeys(("score", "auc", "value"), "the metric is in observed and corrected"),
    }

    @classmethod
    def from_draws(
        cls,
        name: str,
        metric: Metric,
        observed: float,
        restricted: np.ndarray,
        *,
        standard: np.ndarray | None = None,
        analytic: Moments | None = None,
        size: int | None = None,
        **counts: Any,
    ) -> Assessment:
        """The one way from draws to the paper's numbers; it never raises, but sets `problem`.

        `size` is the number of draws whose mean is tested for confounding (default: all of them). `counts` are n_train,
        n_test, flagged and fixed. The baseline is the analytic one where there is one.
        """
        inner, free = (None if draws is None else draws[~np.isnan(draws)] for draws in (restricted, standard))
        null, baseline = _moments_or_nan(inner), analytic or _moments_or_nan(free)
        z, p = confounding_test(null.mean, baseline, size or len(restricted), direction=metric.direction)
        return cls(
            metric=name,
            observed=observed,
            restricted=restricted,
            standard=standard,
            restricted_mean=null.mean,
            restricted_sd=null.sd,
            baseline_mean=baseline.mean,
            baseline_sd=baseline.sd,
            n_permutations=len(restricted),
            response_p=permutation_p(observed, restricted, direction=metric.direction),
            confounding_z=z,
            confounding_p=p,
            corrected=float(corrected_metric(observed, null, baseline)),
            corrected_quantile=quantile_corrected_metric(observed, inner, free),
            is_analytic=analytic is not None,
            problem=_problem(name, observed, restricted, standard, null, baseline),
            **counts,
        )

    def withheld(self, problem: str) -> Assessment:
        """The same without what rests on a model of the response given the confounders, if that has a `problem`."""
        if not problem:
            return self
        return replace(self, response_p=np.nan, corrected=np.nan, corrected_quantile=np.nan, problem=problem)

    def checked(self) -> Assessment:
        if self.problem:
            raise ValueError(self.problem)
        return self

    def __repr__(self) -> str:
        numbers = f"observed={self.observed:.4g}, corrected={self.corrected:.4g}"
        tests = f"response_p={p_text(self.response_p)}, confounding_p={p_text(self.confounding_p)}"
        sizes = f"n_train={self.n_train}, n_test={self.n_test}, n_permutations={self.n_permutations}"
        return f"Assessment({self.metric}: {numbers}, {tests}, {sizes})"


def is_constant(draws: np.ndarray) -> bool:
    """Whether draws are equal up to rounding; False if none is defined."""
    defined = draws[~np.isnan(draws)]
    return bool(defined.size) and bool(np.ptp(defined) <= ROUNDING * np.max(np.abs(defined)))


def _moments_or_nan(draws):
    """Mean and standard deviation; NaN for that of draws that do not vary by more than rounding."""
    if draws is None or draws.size < 2:
        return Moments(np.nan, np.nan)
    found = moments(draws)
    return Moments(found.mean, np.nan) if is_constant(draws) else found


def _problem(name, observed, restricted, standard, null, baseline):
    for draws, what in ((np.append(restricted, observed), "responses"), (standard, "standard permutations")):
        if draws is not None and (undefined := int(np.isnan(draws).sum())):
            return f"metric {name!r} is not defined for {undefined} of {draws.size} {what}"
    if not (np.isfinite(baseline.mean) and baseline.sd > 0):
        return f"the null of {name} without confounding is not defined or does not vary"
    if np.isnan(null.sd):
        return f"the restricted null of {name} does not vary: permutations within the levels all score alike"
    return ""


def moments(draws):
    return Moments(float(np.mean(draws)), float(np.std(draws, ddof=1)))


def confounding_test(restricted_mean, baseline, b, *, direction=1):
    """z and one-sided p of the mean of b restricted draws against N(mean, sd^2 / b) of the baseline (Section 2.3).

    z is positive where the restricted null is better than the baseline.
    """
    z = direction * (restricted_mean - baseline.mean) * np.sqrt(b) / baseline.sd
    return float(z), float(ndtr(-z))


def corrected_metric(observed, restricted, baseline):
    """Value the metric would take without confounding (equation for m_c in Section 2.2, the "orange" correction).

    Matches the tail probability of `observed` under the restricted null to the baseline null, both taken as normal. For
    the AUC of Section 2.4, `baseline` is (1/2, sigma) with sigma the square root of the printed variance.
    """
    return (observed - restricted.mean) * baseline.sd / restricted.sd + baseline.mean


def quantile_corrected_metric(observed, restricted_draws, standard_draws):
    """The same by empirical quantiles (the "purple" correction), which cannot leave the range of the standard draws.

    NaN if there are no standard draws (None).
    """
    if standard_draws is None or not len(standard_draws) or not np.isfinite(observed):
        return np.nan
    below = np.mean(np.asarray(restricted_draws) <= observed)
    return float(np.quantile(standard_draws, below, method="inverted_cdf"))


def p_error(p: float, b: int) -> float:
    """Monte Carlo standard error of a p-value from b permutations."""
    return float(np.sqrt(p * (1 - p) / b))


def corrected_error(found: Assessment) -> float:
    """Monte Carlo standard error of the corrected metric, by the delta method from the draws behind its moments."""
    restricted = Moments(found.restricted_mean, found.restricted_sd)
    baseline = Moments(found.baseline_mean, found.baseline_sd)
    ratio, distance = baseline.sd / restricted.sd, (found.observed - restricted.mean) / restricted.sd
    draws = found.restricted[~np.isnan(found.restricted)]
    part = -ratio * (draws - restricted.mean) - distance * ratio * _sd_influence(draws, restricted)
    variance = np.var(part, ddof=1) / len(draws)
    if found.standard is not None and not found.is_analytic:
        free = found.standard[~np.isnan(found.standard)]
        part = free - baseline.mean + distance * _sd_influence(free, baseline)
        variance += np.var(part, ddof=1) / len(free)
    return float(np.sqrt(variance))


def _sd_influence(draws, of):
    """What each draw adds to the standard deviation, to first order."""
    return ((draws - of.mean) ** 2 - of.sd**2) / (2 * of.sd)


def assessments(
    evaluation: Evaluation,
    permutations: int | str,
    wanted: Sequence[str] = ("restricted",),
    *,
    size: int | None = None,
    blocks: dict | None = None,
) -> dict[str, Assessment]:
    """An `Assessment` of each metric, by name; all metrics share the same fits.

    The standard null is drawn if it is `wanted`, or if a metric has no analytic baseline. `blocks` are the restricted
    permutations, where they have been made.
    """
    e = evaluation
    b = whole_number(e.n_test if permutations == "test_size" else permutations, "permutations", least=2)
    for null in wanted:
        choice(null, "null", NULLS)
    analytic = {name: e.analytic_null(name) for name in e.metrics}
    blocks = permuted(e, "restricted") if blocks is None else blocks
    draws: dict[str, Draws] = {"restricted": nulls(e, "restricted", b, blocks)}
    if "standard" in wanted or None in analytic.values():
        draws["standard"] = nulls(e, "standard", b)
    counts: dict[str, Any] = {
        "n_train": e.n_train,
        "n_test": e.n_test,
        "flagged": e.flagged + sum(one.flagged for one in draws.values()),
        "fixed": sum(block.fixed[1] for block in blocks.values()),
    }
    return {
        name: Assessment.from_draws(
            *(name, metric, e.observed(name), draws["restricted"].values[name]),
            standard=draws["standard"].values[name] if "standard" in draws else None,
            analytic=analytic[name],
            size=size,
            **counts,
        )
        for name, metric in e.metrics.items()
    }


@helpful
def assess(
    X_train: ArrayLike,
    y_train: Any,
    c_train: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    c_test: ArrayLike,
    *,
    learner: Any = "logistic",
    metric: Any = "auc",
    permutations: int | str = "test_size",
    nulls: Sequence[str] = ("restricted",),
    confounder: Any = "levels",
    adjustment: Any = "none",
    positive: Any = None,
    seed: int,
) -> Assessment:
    """Test for response learning and for confounding learning, and correct the metric, on one training and test set.

    `c_train` and `c_test` are vectors or Series, or matrices or DataFrames with a column for each of several
    confounders. `confounder` says how they are analysed (see `permconf.data.confounders`): "levels", in bins
    such as `{"quantiles": 5}`, or "smooth" to preserve numeric ones without bins (`conditional_shuffle`); one for all
    of them, a list, or a mapping by name. `adjustment` says what is done about them before learning (see
    `permconf.engine.adjustment`). Of two classes larger scores stand for `positive` (default: see
    `permconf.data.response`). `permutations` is a number or "test_size" (the paper's choice, on which the type I error
    of the confounding test depends). The baseline is analytic where the metric has one (AUC), else the standard
    permutation null, which is then computed whether or not `nulls` includes it.

    >>> from permconf import assess, example
    >>> table, X = example(120), ["marker", "volume"]
    >>> data = [part[name] for part in (table[:60], table[60:]) for name in (X, "ill", "site")]
    >>> a = assess(*data, learner="logistic", metric="auc", permutations=99, seed=1)
    >>> a.response_p < 0.05, a.corrected < a.observed
    (True, True)
    """
    metric = make_metric(metric, y=y_train)
    train, test = (X_train, y_train, c_train), (X_test, y_test, c_test)
    sample, folds = paper_split(train, test, task=metric.task, treatment=confounder, positive=positive)
    options = {"learner": learner, "metrics": {metric.name: metric}, "adjustment": adjustment}
    evaluation = prepared(sample, folds, **options, streams=Streams(seed, "assess"))
    assessment = assessments(evaluation, permutations, nulls)[metric.name].checked()
    for note in _notes(evaluation, assessment):
        warnings.warn(note, stacklevel=2)
    return assessment


def _notes(evaluation, assessment):
    """Sentences on bins that leave confounding behind, and on rows that cannot be permuted."""
    if any(column.unbinned is not None for column in evaluation.sample.confounders.columns):
        from permconf.inference.within_bins import within_bins_test_of  # studies have no use for it, nor for pandas

        test, scores = evaluation.part("test"), evaluation.scores[0].values[:, 0]
        S = scores.reshape(len(scores), -1)
        yield from within_bins_test_of(S, test.response, test.confounders, evaluation.streams).notes
    if assessment.fixed:
        yield (
            f"{assessment.fixed} of {assessment.n_train + assessment.n_test} rows are in levels of the confounder with"
            " one row or one response, where nothing can be permuted"
        )
