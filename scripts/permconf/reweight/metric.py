"""The metric of a learner as trained, where confounder and response are associated otherwise than in the test set.

Nothing is trained again: the value is that of the predictions at hand, with test rows weighted so that response and
confounders are independent, or have the joint distribution of a population of interest (`permconf.reweight.weights`).
The interval comes from the bootstrap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from scipy.special import expit, logit, stdtrit

from permconf.data.confounders import check_row_order
from permconf.data.levels import Levels
from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.split import sorted_classes
from permconf.data.validation import complete_vector, plain_values
from permconf.engine.contracts import labelled, make_metric, metric_name
from permconf.engine.plugin_results import check_defined, checked_values
from permconf.engine.scores import given_scores
from permconf.options import whole_number
from permconf.permute.random_bits import below, random_bits
from permconf.permute.random_streams import Streams
from permconf.reweight.weights import effective_size, row_weights

_BLOCK_VALUES = 2**22


@dataclass(frozen=True, eq=False)
class ReweightedMetric:
    """A metric of weighted test rows, with a confidence interval.

    `effective_size` is (sum w)^2 / sum w^2 for the row weights w (`weights`, which sum to the number of rows);
    `observed` is the metric without weights. `notes` are sentences about what makes the value unreliable.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = (0.6 * site + rng.uniform(size=200) > 0.8).astype(int)
    >>> scores = rng.normal(ill + site)
    >>> from permconf import reweighted_metric
    >>> found = reweighted_metric(ill, scores, site)
    >>> found.low < found.value < found.high, found.effective_size < 200
    (True, True)
    """

    metric: str
    value: float
    low: float
    high: float
    effective_size: float
    observed: float
    weights: np.ndarray
    notes: tuple[str, ...]


def reweighted_metric(
    y: Any,
    scores: Any,
    confounders: Any,
    *,
    metric: Any = "auc",
    population: "str | Mapping" = "independent",
    interval: float = 0.95,
    groups: Any = None,
    confounder: Any = "smooth",
    bootstrap: int = 1000,
    seed: int = 0,
) -> ReweightedMetric:
    """The metric of predictions `scores` of the response `y` where confounders and response are independent.

    `confounders` is a vector, a matrix with a column for each, a Series or a DataFrame, analysed as `confounder` says
    (see `permconf.data.confounders`). `population` is "independent"
    (with the margins of the sample) or a mapping of cells (y, c) to shares, with a tuple for c if there are several
    confounders. `interval` is the coverage of the bootstrap interval; where rows belong to `groups`, such as subjects,
    whole groups are resampled.

    For two classes scores that are all between 0 and 1 are probabilities of the second class, which is predicted above
    1/2; other scores predict it if they are positive. For several classes they are predicted classes, or a column of
    scores (or probabilities) for each. `log_loss` and `brier` need probabilities. The `Scores` of a learner say what
    they are.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = (0.6 * site + rng.uniform(size=200) > 0.8).astype(int)
    >>> scores = rng.normal(ill + site)
    >>> from permconf import reweighted_metric
    >>> found = reweighted_metric(ill, scores, site, metric="auc")
    >>> found.value < found.observed
    True
    """
    options = {"metric": metric, "population": population, "interval": interval, "groups": groups}
    several = reweighted_metrics(
        y, [scores], confounders, confounder=confounder, bootstrap=bootstrap, seed=seed, **options
    )
    return several[0]


def reweighted_metrics(
    y,
    several_scores,
    confounders,
    *,
    metric,
    bootstrap,
    seed,
    population="independent",
    interval=0.95,
    groups=None,
    confounder="smooth",
) -> list[ReweightedMetric]:
    """`reweighted_metric` of several predictions of the same rows, whose weights are made once."""
    metric_object, name = make_metric(metric, y=y), metric_name(metric)
    _check_options(interval, bootstrap)
    if metric_object.weighted is None:
        raise ValueError(f"metric {name!r} has no weighted version")
    streams = Streams(seed, "reweighting")
    for scores in several_scores:
        check_row_order(y=y, scores=scores, confounders=confounders, groups=groups)
    sample = Sample.of(y, confounders, confounder, groups, classes=metric_object.task == "classification")
    weighted = labelled(metric_object, sample.labels).weighted
    several = [given_scores(plain_values(scores), sample.labels, len(sample.y)) for scores in several_scores]
    predicted = [_needed(given, metric_object, name)[:, 0] for given in several]
    weighting = sample.weighting(population, streams)

    def metrics(weights):
        return [checked_values(weighted(sample.y, p, weights), weights.shape[1], name) for p in predicted]

    once = np.ones((len(sample.y), 1))
    weights = weighting.weights(once)
    values, size = [float(check_defined(v, name)[0]) for v in metrics(weights)], effective_size(weights[:, 0])
    keys = streams.keys("bootstrap", bootstrap)
    blocks = [metrics(weighting.weights(counts)) for counts in sample.resampled(keys)]
    limits = {"freedom": min(size, sample.units.counts.size) - 1, "rows": len(sample.y)}
    found = []
    for k, (given, value, plain) in enumerate(zip(several, values, metrics(once), strict=True)):
        draws = np.concatenate([block[k] for block in blocks])
        low, high = bootstrap_interval(value, draws, interval, metric_object.link, **limits)
        observed = float(check_defined(plain, name)[0])
        notes = (*_note_on_cut(given, sample, metric_object), *weighting.notes, *_notes_on_draws(draws))
        found.append(ReweightedMetric(name, value, low, high, size, observed, weights[:, 0], notes))
    return found


def training_weights(
    y: Any,
    confounders: Any,
    *,
    population: "str | Mapping" = "independent",
    groups: Any = None,
    confounder: Any = "smooth",
    seed: int = 0,
) -> np.ndarray:
    """Weights of training rows of classes `y`, as if confounders and response were independent (or as in `population`).

    A learner trained with them and judged by `reweighted_metric` estimates what training and test without confounding
    would give. They sum to the number of rows.

    >>> from permconf import training_weights
    >>> training_weights(["ill", "ill", "well", "ill", "well", "well"], ["a", "a", "a", "b", "b", "b"])
    array([0.75, 0.75, 1.5 , 1.5 , 0.75, 0.75])
    """
    sample = Sample.of(y, confounders, confounder, groups, classes=True)
    weighting = sample.weighting(population, Streams(seed, "reweighting"))
    return weighting.weights(np.ones((len(sample.y), 1)))[:, 0]


def _check_options(interval, bootstrap):
    if np.ndim(interval) or np.asarray(interval).dtype.kind not in "iuf" or not 0 < interval < 1:
        raise ValueError(f"interval must be between 0 and 1, not {interval!r}")
    whole_number(bootstrap, "bootstrap", least=2)


# ---- the sample ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Response (class codes or numbers), confounders, and the units that the bootstrap draws: rows, or groups."""

    y: np.ndarray
    labels: np.ndarray | None  # of the classes, None for numbers
    confounders: MixedConfounders
    units: Levels

    @classmethod
    def of(cls, y, confounders, confounder, groups, *, classes):
        """A checked sample."""
        check_row_order(y=y, confounders=confounders, groups=groups)
        y = complete_vector(y, "y")
        confounders = MixedConfounders.of(confounders, confounder, rows=len(y))
        groups = np.arange(len(y)) if groups is None else complete_vector(groups, "groups")
        if len(groups) != len(y):
            raise ValueError(f"y has {len(y)} rows, groups has {len(groups)}")
        units = Levels.of(groups)
        if units.counts.size < 2:
            raise ValueError("all rows are in one group, so there is nothing to resample")
        if classes:
            labels, codes = sorted_classes(y)
            if not 2 <= labels.size <= 255:
                raise ValueError(f"y must have 2 to 255 classes for this metric, not {labels.size}")
            return cls(codes.astype(np.uint8), labels, confounders, units)
        if y.dtype.kind not in "biuf" or not np.isfinite(y.astype(float)).all():
            raise ValueError("y must be made of finite numbers for this metric")
        return cls(y.astype(float), None, confounders, units)

    def weighting(self, population, streams):
        """The weights of rows, for `population`."""
        if not isinstance(population, str | Mapping | list):
            kind = type(population).__name__
            raise ValueError(f"population must be 'independent' or a mapping of cells (y, c) to shares, not a {kind}")
        labels = None if self.labels is None else self.labels.tolist()
        return row_weights(self.y, labels, self.confounders, self.units, population, streams.rng("folds"))

    def resampled(self, keys):
        """How often each row was drawn (m, b), for one block of keys after the other; whole groups are drawn."""
        columns = max(1, _BLOCK_VALUES // len(self.y))
        for first in range(0, keys.size, columns):
            yield drawn_units(self.units.counts.size, keys[first : first + columns])[self.units.codes]


def _needed(scores, metric, name):
    try:
        return scores.needed(metric.needs)
    except ValueError:
        low, high = scores.values.min(), scores.values.max()
        raise ValueError(
            f"{name} needs probabilities, but scores are between {low:.4g} and {high:.4g}"
            " or do not sum to one over the classes"
        ) from None


def _note_on_cut(scores, sample, metric):
    """A note where numbers are taken for probabilities and it matters."""
    if metric.needs != "scores" or scores.kind != "probability" or scores.values.ndim == 3:
        return ()
    if np.isin(scores.values, (0.0, 1.0)).all():
        return ()
    label = sample.labels[1].item()
    return (f"scores are between 0 and 1, so they were taken for probabilities: {label!r} is predicted above 1/2",)


@njit(cache=True, nogil=True)
def drawn_units(units, keys):
    """Counts (units, b) of as many draws with replacement as there are units, one column per key."""
    counts = np.zeros((units, keys.size))
    for k in range(keys.size):
        for i in range(units):
            counts[below(random_bits(keys[k], i), units), k] += 1.0
    return counts


# ---- the interval ----------------------------------------------------------------------------------------------------


def bootstrap_interval(value, draws, coverage, link, *, freedom, rows):
    """Value plus and minus t times the bootstrap standard error, on the scale of `link`, which keeps it in its range.

    Links are "logit" for shares, "log" for what is positive, "fisher" for correlations, else "identity". t has
    `freedom` degrees of freedom: small samples need more than the normal quantile.
    """
    forwards, backwards = _LINKS[link]
    draws = draws[np.isfinite(draws)]
    if draws.size < 2 or not np.isfinite(value):
        return np.nan, np.nan
    spread = np.std(forwards(draws, rows), ddof=1)
    reach = stdtrit(max(freedom, 1.0), (1 + coverage) / 2) * spread
    centre = forwards(np.array(value), rows)
    low, high = backwards(centre - reach), backwards(centre + reach)
    return float(min(low, value)), float(max(high, value))


_LINKS = {
    "identity": (lambda v, _: v, lambda v: v),
    "logit": (lambda v, rows: logit(np.clip(v, 0.5 / rows, 1 - 0.5 / rows)), expit),
    "log": (lambda v, _: np.log(np.maximum(v, 1e-300)), np.exp),
    "fisher": (lambda v, rows: np.arctanh(np.clip(v, -1 + 0.5 / rows, 1 - 0.5 / rows)), np.tanh),
}


def _notes_on_draws(draws):
    """A note if the metric was not defined in many bootstrap samples."""
    lost = int(np.sum(~np.isfinite(draws)))
    return (
        (f"{lost} of {draws.size} bootstrap samples lack a cell and were left out",) if lost > draws.size / 20 else ()
    )
