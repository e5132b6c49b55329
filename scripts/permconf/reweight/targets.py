"""What the values of one metric are made of: weights by target, and functions of how often each row was drawn.

The AUC of pairs of a case and a control with the same confounders: levels are compared exactly, and count like overlap
weights, by cases times controls over rows. Numeric confounders are taken out of the scores, as in the
covariate-adjusted ROC curve (Janes & Pepe 2009): a score becomes its distance from what the larger class has at these
confounders, in units of the spread there. Scores enter by their ranks in their own test set, so that the value depends
on their order there alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.data.sample import Sample
from permconf.engine.contracts import Metric
from permconf.permute.crosses import share_below
from permconf.permute.response_model import Design, fit_numbers
from permconf.reweight.pooling import Sets, pooled_metric
from permconf.reweight.weights import CellWeights, ModelWeights, NumberWeights, RowWeights, class_weights, row_weights

TARGETS = ("observed", "reweighted", "overlap", "within")
Values = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Targets:
    """The metric as a function of weights (m, b), the AUC within confounders, and the weights, or why there are none.

    Pairs within numeric confounders take the overlap weights, those within levels (`exact`) how often rows were drawn.
    """

    metric_of: Values
    within_of: Values | None
    exact: bool
    reweighted: RowWeights | None
    overlap: CellWeights | ModelWeights | None
    reasons: dict[str, str]

    @classmethod
    def of(
        cls, metric: Metric, name: str, sample: Sample, sets: Sets, *, population: Any, problem: str = ""
    ) -> "Targets":
        """From rows and scores; `problem` says what is wrong with a model of the response given the confounders."""
        response, c = sample.response.present(), sample.confounders
        if metric.weighted is None:
            reasons = dict.fromkeys(TARGETS[1:], f"metric {name!r} takes no weights")
            return cls(pooled_metric(metric, name, sample.response.values, sets), None, True, None, None, reasons)
        reweighted, overlap, reasons = _weights(response, c, population)
        for target, one in (("reweighted", reweighted), ("overlap", overlap)):
            if problem and isinstance(one, ModelWeights | NumberWeights):
                reasons[target] = problem
        within_of = None
        if metric.pooled != "pairs":
            reasons["within"] = "only an AUC is made of pairs of rows"
        elif c.has_levels:
            within_of = within_levels(metric, name, sample.response.values, c, sets)
        elif response.classes > 2 or overlap is None:
            reasons["within"] = reasons.get("overlap", "pairs with the same numeric confounders need two classes")
        else:
            assert isinstance(overlap, ModelWeights)
            adjusted = adjusted_sets(sample.response, overlap.model.design, sets, metric.needs)
            within_of = pooled_metric(metric, name, sample.response.values, adjusted)
        metric_of = pooled_metric(metric, name, sample.response.values, sets)
        return cls(metric_of, within_of, c.has_levels, reweighted, overlap, reasons)

    def cells(self, target: str, sample: Sample) -> np.ndarray | None:
        """The cell of every row, for a target whose weights are those of cells."""
        counted = isinstance(self.overlap, CellWeights) and target != "observed"
        return sample.confounders.strata.codes if counted else None

    def weights(self, counts: np.ndarray) -> dict[str, np.ndarray]:
        """Weights (m, b) by target."""
        model = self.overlap
        if isinstance(model, ModelWeights) and id(model) == id(self.reweighted):  # one model for both
            odds = model.odds(counts)
            return {"reweighted": model.weights(counts, odds), "overlap": model.overlap(counts, odds)}
        made = {} if self.reweighted is None else {"reweighted": self.reweighted.weights(counts)}
        return made if self.overlap is None else made | {"overlap": self.overlap.overlap(counts)}

    def values(self, counts: np.ndarray, weights: dict[str, np.ndarray] | None = None) -> np.ndarray:
        """Values (b, 4) of TARGETS; NaN for those that have a reason."""
        weights, nothing = self.weights(counts) if weights is None else weights, np.full(counts.shape[1], np.nan)
        found = {"observed": self.metric_of(counts)}
        for target in ("reweighted", "overlap"):
            found[target] = nothing if target in self.reasons else self.metric_of(weights[target])
        if self.within_of is not None and "within" not in self.reasons:
            found["within"] = self.within_of(counts if self.exact else weights["overlap"])
        return np.stack([found.get(target, nothing) for target in TARGETS], axis=1)


def _weights(response: Response, c: Confounders, population: Any):
    """Weights for `population` and for overlap, which classes may share, and why one is missing."""
    reasons: dict[str, str] = {}
    overlap = reweighted = None
    if response.labels is None:
        reasons["overlap"] = "people for whom every class is plausible need classes, not numbers"
    else:
        try:
            overlap = class_weights(response, c)
        except ValueError as error:
            reasons["overlap"] = str(error)
    independent = isinstance(population, str) and population == "independent"
    try:
        reweighted = overlap.checked() if overlap is not None and independent else row_weights(response, c, population)
    except ValueError as error:
        if not independent:  # what a user gave must be right
            raise
        reasons["reweighted"] = str(error)
    return reweighted, overlap, reasons


def within_levels(metric: Metric, name: str, y: np.ndarray, c: Confounders, sets: Sets) -> Values:
    """The AUC within levels as a function of how often rows (m, b) were drawn."""
    codes, counts = c.strata.codes, c.strata.counts
    parts = []
    for rows, scores in sets:
        for level in np.unique(codes[rows]):
            here = np.flatnonzero(codes[rows] == level)
            parts.append((rows[here], scores.take(here)))
    weighted, each = pooled_metric(metric, name, y, parts), 1 / np.sqrt(counts[codes])[:, None]
    return lambda drawn: weighted(drawn * each)


def adjusted_sets(response: Response, design: Design, sets: Sets, needs: str) -> Sets:
    """The sets with scores without what the confounders explain of them in the larger class."""
    rows = np.concatenate([places for places, _ in sets])
    normal = np.concatenate([ndtri(share_below(scores.needed(needs)[:, 0])) for _, scores in sets])
    y = response.values[rows]
    design, reference = design.take(rows), (y == np.argmax(np.bincount(y))).astype(float)
    distance = normal - fit_numbers(normal, design, weights=reference).mean
    size = np.log(np.abs(distance) + max(0.1 * np.std(distance), 1e-9))  # equal scores have no distance
    distance /= np.exp(fit_numbers(size, design, weights=reference).mean)
    parts = np.split(distance, np.cumsum([len(places) for places, _ in sets])[:-1])
    return [
        (places, one._replace(values=part[:, None], kind="value", probabilities=None))
        for (places, one), part in zip(sets, parts, strict=True)
    ]
