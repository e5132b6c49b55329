"""Inverse probability weights from a model of the response given confounders of any kind: propensity scores."""

from dataclasses import dataclass

import numpy as np

from permconf.adjustments import Adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.adjustments.resampling import drawn_counts
from permconf.engine.contracts import fitted_scores, make_learner
from permconf.options import number
from permconf.reweight.weights import largest_weight


@dataclass(frozen=True)
class PropensityWeighting(Adjustment):
    """Row weights p(y) / p(y | c), where p(y | c) is a logistic regression with splines of numeric confounders.

    `penalty` is that of its coefficients. Large weights are truncated (see `permconf.reweight.weights`), and those of
    a class sum to its number of rows. With `resample` training rows are drawn in proportion to the weights, for
    learners that take none. The model is fitted again for every permuted response, all of them together.
    """

    penalty: float = 0.1
    resample: bool = False
    tasks = ("classification",)
    needs_levels = False

    def __post_init__(self):
        number(self.penalty, "penalty of propensity_weighting", least=0, exclusive=True)

    @property
    def weighs(self):  # type: ignore[override]
        """Whether weights are fractions or counts of draws."""
        return "counts" if self.resample else "fractions"

    def weights(self, Y, c, keys):
        """Weights (n, b), or how often each row was drawn."""
        weights = propensity_weights(Y, ConfounderBasis.of(c).columns(c), keys, self.penalty)
        if not self.resample:
            return weights
        return drawn_counts(np.ascontiguousarray(np.cumsum(weights, axis=0).T), keys)


def propensity_weights(Y, Z, keys, penalty):
    """Weights (n, b) of responses Y (n, b) given columns Z of the confounders."""
    if not Z.shape[1]:
        return np.ones(Y.shape)
    model = fitted_scores(make_learner({"name": "logistic", "penalty": penalty}), Z, Y, Z, keys)
    probabilities = model.needed("probabilities")
    if probabilities.ndim == 2:
        probabilities = np.stack([1 - probabilities, probabilities], axis=2)
    own = np.take_along_axis(probabilities, Y[:, :, None].astype(np.int64), axis=2)[:, :, 0]
    weights = np.zeros(Y.shape)
    for k in range(probabilities.shape[2]):
        of_class = k == Y
        size = of_class.sum(axis=0)
        ratios = np.where(of_class, np.minimum(size / len(Y) / own, largest_weight(size)), 0.0)
        weights += ratios * size / np.maximum(ratios.sum(axis=0), 1e-300)
    return weights


ADJUSTMENT = PropensityWeighting
