"""The metric of a learner as trained, where confounder and response are associated otherwise than in the test set.

Nothing is trained again: the value is that of the predictions at hand, with test rows weighted so that response and
confounders are independent, or have the joint distribution of a population of interest (`permconf.reweight.weights`).
The interval comes from the bootstrap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from scipy.special import expit, logit, stdtrit

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.data.values import check_row_order, plain_values
from permconf.engine.contracts import Metric, labelled, make_metric, metric_name
from permconf.engine.plugin_results import check_defined, checked_values
from permconf.engine.scores import Scores, given_scores
from permconf.keywords import helpful
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
    (see `permconf.data.confounders`). `population` is "independent"
    (with the margins of the sample) or a mapping of cells (y, c) to shares, with a tuple for c if there are several
    confounders. `interval` is the coverage of the bootstrap interval; where rows belong to `groups`, such as subjects,
    whole groups are resampled.

    For two classes scores that are all between 0 and 1 are probabilities of the class `positive` (by default as in
    `permconf.data.response`), which is predicted above 1/2; other scores predict it if they are positive. For several
    classes they are predicted classes, or a column of scores (or probabilities) for each. `log_loss` and `brier` need
    probabilities. The `Scores` of a learner say what they are.

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
    streams, metric_object, name = Streams(seed, "reweighting"), make_metric(metric, y=y), metric_name(metric)
    if metric_object.weighted is None:
        raise ValueError(f"metric {name!r} has no weighted version")
    check_row_order(y=y, scores=scores, confounders=confounders, groups=groups)
    response = Response.of(y, metric_object.task, positive=positive).varying()
    predictions = given_scores(plain_values(scores), response.labels, len(response))
    return reweighted_predictions(
        predictions,
        metric_object,
        response,
        Confounders.of(confounders, confounder, rows=len(response)),
        Subjects.of(groups, rows=len(response)),
        name=name,
        population=population,
        interval=interval,
        bootstrap=bootstrap,
        streams=streams,
    )


def reweighted_predictions(
    scores: Scores,
    metric: Metric,
    response: Response,
    confounders: Confounders,
    subjects: Subjects | None,
    *,
    name: str,
    **options: Any,
) -> ReweightedMetric:
    """`reweighted_metric` of what has been checked."""
    y, response = response.values, response.present()  # scores have a column for classes without rows, too
    weighted, predicted = labelled(metric, response.labels).weighted, _needed(scores, metric, name)[:, 0]

    def metric_of(weights):
        return checked_values(weighted(y, predicted, weights), weights.shape[1], name)

    (found,) = reweighted([metric_of], response, confounders, subjects, name=name, link=metric.link, **options)
    return replace(found, notes=(*_note_on_cut(scores, response, metric), *found.notes))


def reweighted(
    metrics_of: Sequence[Callable[[np.ndarray], np.ndarray]],
    response: Response,
    confounders: Confounders,
    subjects: Subjects | None,
    *,
    name: str,
    link: str,
    population: "str | Mapping" = "independent",
    interval: float = 0.95,
    bootstrap: int,
    streams: Streams,
) -> list[ReweightedMetric]:
    """Metrics of weighted rows, each given as a function of weights (m, b), for the weights of `population`.

    Several predictions of the same rows share their weights, which are made once.
    """
    _check_options(interval, bootstrap, population)
    rows = BootstrapRows.of(len(response), subjects)
    weighting = row_weights(response, confounders, rows.units, population, streams.rng("folds"))
    once = np.ones((len(response), 1))
    weights = weighting.weights(once)
    size, keys = effective_size(weights[:, 0]), streams.keys("bootstrap", bootstrap)
    limits = {"freedom": min(size, rows.units.counts.size) - 1, "rows": len(response)}

    def several(counts):
        drawn = weighting.weights(counts)
        return np.stack([metric_of(drawn) for metric_of in metrics_of], axis=1)

    found = []
    for metric_of, draws in zip(metrics_of, rows.draws(several, keys).T, strict=True):
        value, observed = (float(check_defined(metric_of(w), name)[0]) for w in (weights, once))
        low, high = bootstrap_interval(value, draws, interval, link, **limits)
        notes = (*weighting.notes, *_notes_on_draws(draws))
        found.append(ReweightedMetric(name, value, low, high, size, observed, weights[:, 0], notes))
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
    would give. They sum to the number of rows.

    >>> from permconf import training_weights
    >>> training_weights(["ill", "ill", "well", "ill", "well", "well"], ["a", "a", "a", "b", "b", "b"])
    array([0.75, 0.75, 1.5 , 1.5 , 0.75, 0.75])
    """
    check_row_order(y=y, confounders=confounders, groups=groups)
    response = Response.of(y, "classification").varying()
    c = Confounders.of(confounders, confounder, rows=len(response))
    units = BootstrapRows.of(len(response), Subjects.of(groups, rows=len(response))).units
    weighting = row_weights(response, c, units, population, Streams(seed, "reweighting").rng("folds"))
    return weighting.weights(np.ones((len(response), 1)))[:, 0]


def _check_options(interval, bootstrap, population):
    if np.ndim(interval) or np.asarray(interval).dtype.kind not in "iuf" or not 0 < interval < 1:
        raise ValueError(f"interval must be between 0 and 1, not {interval!r}")
    whole_number(bootstrap, "bootstrap", least=2)
    if not isinstance(population, str | Mapping | list):
        kind = type(population).__name__
        raise ValueError(f"population must be 'independent' or a mapping of cells (y, c) to shares, not a {kind}")


# ---- the bootstrap ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BootstrapRows:
    """The units that the bootstrap draws: rows, or subjects."""

    units: Levels

    @classmethod
    def of(cls, rows: int, subjects: Subjects | None) -> "BootstrapRows":
        """Single rows where there are no subjects."""
        ones = np.arange(rows)
        return cls(Levels(ones, ones, np.ones(rows, np.int64)) if subjects is None else subjects.levels)

    def draws(self, metric_of: Callable[[np.ndarray], np.ndarray], keys: np.ndarray) -> np.ndarray:
        """A metric, as a function of how often each row was drawn (m, b), for every key; in blocks of keys."""
        columns = max(1, _BLOCK_VALUES // len(self.units.codes))
        blocks = [keys[first : first + columns] for first in range(0, keys.size, columns)]
        return np.concatenate([metric_of(drawn_units(self.units.counts.size, k)[self.units.codes]) for k in blocks])


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
