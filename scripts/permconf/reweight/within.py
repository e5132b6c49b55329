"""The AUC of pairs of a case and a control with the same confounders.

Levels are compared exactly, and count like overlap weights: by cases times controls over rows. Numeric confounders are
taken out of the scores, as in the covariate-adjusted ROC curve (Janes & Pepe 2009): a score becomes its distance from
what the larger class has at these confounders, in units of the spread there. Scores enter by their ranks, so that the
value depends on their order alone.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.engine.contracts import Metric
from permconf.permute.response_model import Design, fit_numbers
from permconf.reweight.pooling import Sets, pooled_metric


def within_levels(
    metric: Metric, name: str, y: np.ndarray, c: Confounders, sets: Sets
) -> Callable[[np.ndarray], np.ndarray]:
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
    from scipy.stats import rankdata  # takes a third of a second

    rows = np.concatenate([places for places, _ in sets])
    scores = np.concatenate([scores.needed(needs)[:, 0] for _, scores in sets])
    normal, y = ndtri((rankdata(scores) - 0.5) / len(scores)), response.values[rows]
    design, reference = design.take(rows), (y == np.argmax(np.bincount(y))).astype(float)
    distance = normal - fit_numbers(normal, design, weights=reference).mean
    size = np.log(np.abs(distance) + max(0.1 * np.std(distance), 1e-9))  # equal scores have no distance
    distance /= np.exp(fit_numbers(size, design, weights=reference).mean)
    parts = np.split(distance, np.cumsum([len(places) for places, _ in sets])[:-1])
    return [
        (places, one._replace(values=part[:, None], kind="value", probabilities=None))
        for (places, one), part in zip(sets, parts, strict=True)
    ]
