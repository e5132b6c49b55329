"""From permutation nulls to tests and corrected metrics (paper, Sections 2.1 to 2.4)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from permconf.data.confounders import confounder_columns, joined
from permconf.data.label_codes import labels_of
from permconf.data.levels import fixed_rows
from permconf.data.split import checked_split
from permconf.engine.adjustment import adjusted_learner, adjusted_split, check_adjustment, make_adjustment
from permconf.engine.contracts import Moments, check_task, labelled, make_learner, make_metric, metric_name
from permconf.engine.nulls import NULLS, observed_scores, observed_values, permutation_null, permuted_groups
from permconf.engine.plugin_results import check_defined
from permconf.errors import nearest
from permconf.options import whole_number
from permconf.permute.random_streams import Streams
from permconf.wording import p_text

ROUNDING = 1e-9  # differences that are smaller, relative to the size of the values, are due to rounding


@dataclass(frozen=True, repr=False, eq=False)
class Assessment:
    """What the permutation nulls say about one data set and metric.

    `restricted` and `standard` are the draws; `baseline_*` are the moments of the null without confounding, against
    which the confounding test and the correction are made. `corrected` is the "orange" correction, `corrected_quantile`
    the "purple" one (NaN without a standard null). `flagged` counts fits that were separated or did not converge,
    `fixed` the training and test rows in levels of the confounder where there is nothing to permute.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> c = rng.integers(0, 2, 120)
    >>> y = (0.6 * c + rng.uniform(size=120) > 0.8).astype(int)
    >>> X = rng.normal(size=(120, 2)) + (y + c)[:, None]
    >>> data = X[:60], y[:60], c[:60], X[60:], y[60:], c[60:]
    >>> from permconf import assess
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

    def __repr__(self) -> str:
        numbers = f"observed={self.observed:.4g}, corrected={self.corrected:.4g}"
        tests = f"response_p={p_text(self.response_p)}, confounding_p={p_text(self.confounding_p)}"
        sizes = f"n_train={self.n_train}, n_test={self.n_test}, n_permutations={self.n_permutations}"
        return f"Assessment({self.metric}: {numbers}, {tests}, {sizes})"


def permutation_p(observed, draws, *, direction=1):
    """Share of draws at least as good as `observed`, which itself counts as a draw, so that p is never zero.

    Values that differ by rounding are ties: a permutation that only reorders equal rows changes the order of a sum.
    Nothing is taken for worse that is not known to be, such as a draw that is not defined.
    """
    draws = np.asarray(draws)
    sizes = np.abs(draws[np.isfinite(draws)])
    rounding = ROUNDING * max(abs(observed), np.median(sizes) if sizes.size else 0.0)
    worse = int(np.count_nonzero(direction * draws < direction * observed - rounding))
    return (1 + len(draws) - worse) / (1 + len(draws))


def moments(draws):
    """Mean and standard deviation of the draws of a null."""
    return Moments(float(np.mean(draws)), float(np.std(draws, ddof=1)))


def confounding_test(restricted_mean, baseline, b, *, direction=1):
    """z and one-sided p of the mean of b restricted draws against N(mean, sd^2 / b) of the baseline (Section 2.3)."""
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
    if standard_draws is None:
        return np.nan
    below = np.mean(np.asarray(restricted_draws) <= observed)
    return float(np.quantile(standard_draws, below, method="inverted_cdf"))


def assess(
    X_train: ArrayLike,
    y_train: ArrayLike,
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
    seed: int,
) -> Assessment:
    """Test for response learning and for confounding learning, and correct the metric, on one training and test set.

    `c_train` and `c_test` are vectors or Series, or matrices or DataFrames with a column for each of several
    confounders. `confounder` says how they are analysed (see `permconf.data.confounders`): "levels", in bins
    such as `{"quantiles": 5}`, or "smooth" to preserve numeric ones without bins (`conditional_shuffle`); one for all
    of them, a list, or a mapping by name. `adjustment` says what is done about them before learning (see
    `permconf.adjustments`).
    `permutations` is a number or "test_size" (the paper's choice, on which the level of the confounding test rests).
    The baseline is analytic where the metric has one (AUC), else the standard permutation null, which is then computed
    whether or not `nulls` asks for it.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> c = rng.integers(0, 2, 120)
    >>> y = (0.6 * c + rng.uniform(size=120) > 0.8).astype(int)
    >>> X = rng.normal(size=(120, 2)) + (y + c)[:, None]
    >>> data = X[:60], y[:60], c[:60], X[60:], y[60:], c[60:]
    >>> from permconf import assess
    >>> a = assess(*data, learner="logistic", metric="auc", permutations=99, seed=1)
    >>> a.response_p < 0.05, a.corrected < a.observed
    (True, True)
    """
    metric_object, learner, streams = make_metric(metric, y=y_train), make_learner(learner), Streams(seed, "assess")
    arrays, given = (X_train, y_train, c_train, X_test, y_test, c_test), (c_train, c_test)
    check_task(learner, metric_object.task)
    split = checked_split(*arrays, task=metric_object.task, learner=learner, confounder=confounder)
    labels = labels_of(y_train, split.y_train)
    metric_object, learner = labelled(metric_object, labels), labelled(learner, labels)
    adjustment = make_adjustment(adjustment)
    check_adjustment(adjustment, learner, metric_object.task, levels=split.has_levels)
    split = adjusted_split(adjustment, split, streams.rng("adjustment"))
    name, learner = metric_name(metric), adjusted_learner(learner, adjustment, split.c_train)
    assessment = assess_split(
        split,
        learner=learner,
        metrics={name: metric_object},
        permutations=permutations,
        nulls=nulls,
        streams=streams,
    )[name]
    for note in _notes_on_bins(given, confounder, split, learner, streams):
        warnings.warn(note, stacklevel=2)
    if assessment.fixed:
        rows = assessment.n_train + assessment.n_test
        warnings.warn(
            f"{assessment.fixed} of {rows} rows are in levels of the confounder with one row or one response, where"
            " nothing can be permuted",
            stacklevel=2,
        )
    return assessment


def _notes_on_bins(given, binning, split, learner, streams):
    """Sentences on confounders that the predictions are associated with within their bins."""
    columns = confounder_columns(joined(*given), binning)
    if all(column.unbinned is None for column in columns) or len(split.y_test) != len(given[1]):
        return ()
    from permconf.inference.within_bins import checked_bins  # studies have no use for it, nor for pandas

    scores = observed_scores(split, learner, streams).values[:, 0]
    columns = [column.rows(slice(len(given[0]), None)) for column in columns]
    return checked_bins(scores.reshape(len(scores), -1), split.y_test, columns, streams).notes


def assess_split(split, *, learner, metrics, permutations, nulls, streams):
    """One `Assessment` per metric, by name; all metrics share the same fits."""
    b = whole_number(len(split.y_test) if permutations == "test_size" else permutations, "permutations", least=2)
    for null in nulls:
        if null not in NULLS:
            raise ValueError(f"unknown null {null!r}{nearest(null, NULLS)}")
    if split.y_train.dtype == np.uint8 and split.y_train.size and np.all(split.y_train == split.y_train[0]):
        raise ValueError("the training set has one class only, so there is nothing to learn")
    observed = observed_values(split, learner, metrics, streams)
    baselines = {name: _analytic_baseline(metric, split) for name, metric in metrics.items()}
    needed = {"restricted", *nulls} | ({"standard"} if None in baselines.values() else set())
    draws = {null: permutation_null(split, null, learner, metrics, streams, b) for null in NULLS if null in needed}
    flagged = observed.flagged + sum(d.flagged for d in draws.values())
    return {
        name: _assessment(name, metric, split, float(observed.values[name][0]), draws, baselines[name], flagged)
        for name, metric in metrics.items()
    }


def _analytic_baseline(metric, split):
    """The null without confounding by formula, which holds for independent rows; None if there is none."""
    return None if metric.analytic_null is None or split.has_groups else metric.analytic_null(split.y_test)


def _assessment(name, metric, split, observed, draws, baseline, flagged):
    restricted_draws = draws["restricted"].values[name]
    standard_draws = draws["standard"].values[name] if "standard" in draws else None
    check_defined(np.append(restricted_draws, observed), name)
    if standard_draws is not None:
        check_defined(standard_draws, name, "standard permutations")
    restricted = moments(restricted_draws)
    baseline = baseline or moments(standard_draws)
    if not (np.isfinite(baseline.mean) and baseline.sd > 0):
        raise ValueError(f"the null of {name} without confounding is not defined or does not vary")
    if np.ptp(restricted_draws) == 0:
        raise ValueError(f"the restricted null of {name} does not vary: permutations within the levels all score alike")
    z, p = confounding_test(restricted.mean, baseline, len(restricted_draws), direction=metric.direction)
    return Assessment(
        metric=name,
        n_train=len(split.y_train),
        n_test=len(split.y_test),
        observed=observed,
        restricted=restricted_draws,
        standard=standard_draws,
        restricted_mean=restricted.mean,
        restricted_sd=restricted.sd,
        baseline_mean=baseline.mean,
        baseline_sd=baseline.sd,
        n_permutations=len(restricted_draws),
        response_p=permutation_p(observed, restricted_draws, direction=metric.direction),
        confounding_z=z,
        confounding_p=p,
        corrected=corrected_metric(observed, restricted, baseline),
        corrected_quantile=quantile_corrected_metric(observed, restricted_draws, standard_draws),
        flagged=flagged,
        fixed=_fixed(split),
    )


def _fixed(split):
    """Training and test rows that no permutation within levels changes."""
    if split.has_groups:
        return sum(permuted_groups(split, part, "restricted").fixed[1] for part in ("train", "test"))
    levels = (split.c_train, split.c_test) if split.has_levels else (split.c_train.codes, split.c_test.codes)
    return fixed_rows(split.y_train, levels[0]) + fixed_rows(split.y_test, levels[1])
