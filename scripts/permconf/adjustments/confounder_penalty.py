"""A penalty on the association of scores and confounders, in the spirit of Li, Rakitsch & Borgwardt (2011)."""

from dataclasses import dataclass

import numpy as np

from permconf.adjustments import AdaptedLearner, Adjustment
from permconf.adjustments._confounder_basis import ConfounderBasis
from permconf.data.levels import Levels
from permconf.engine.scores import joined
from permconf.options import choice, number

GIVEN = ("nothing", "response")


@dataclass(frozen=True)
class ConfounderPenalty(Adjustment):
    """Logistic regression that also pays for what the confounders explain of its linear predictor s.

    The penalty is strength / 2 times the sum of squares of s explained by a regression on the confounders: a quadratic
    form of the coefficients, whose rank is the number of columns for the confounders. With `given` "response" scores
    and confounders are first centred within classes, so that only an association beyond that of response and
    confounder costs.
    """

    strength: float = 10.0
    given: str = "nothing"
    tasks = ("classification",)
    needs_levels = False
    penalises = True

    def __post_init__(self):
        number(self.strength, "strength of confounder_penalty", least=0)
        choice(self.given, "given of confounder_penalty", GIVEN)

    def adapted(self, learner, c_train):
        """The learner with the penalty."""
        return PenalisedLearner(learner, self.strength, self.given, ConfounderBasis.of(c_train).columns(c_train))


@dataclass(frozen=True)
class PenalisedLearner(AdaptedLearner):
    """A learner with the penalty strength / 2 |projection of scores on the columns Z|^2."""

    strength: float
    given: str
    Z: np.ndarray

    def scores(self, X_train, Y_train, X_test, keys):
        """Scores of the penalised fits. Given the response the penalty differs between responses, else it is shared."""
        if self.given == "nothing":
            root = self.root(X_train, Levels.single(len(X_train)))
            return self.learner.penalised_scores(X_train, Y_train, root, X_test, keys)
        parts = []
        for k in range(keys.size):
            root, one = self.root(X_train, Levels.of(Y_train[:, k])), slice(k, k + 1)
            parts.append(self.learner.penalised_scores(X_train, Y_train[:, one], root, X_test, keys[one]))
        return joined(parts)

    def root(self, X, classes):
        """R such that |R b|^2 is strength times the sum of squares of X b that Z explains, both centred in classes."""
        Q, lengths, _ = np.linalg.svd(_centred(self.Z, classes), full_matrices=False)
        explaining = Q[:, lengths > 1e-8 * np.sqrt(len(X))]
        return np.sqrt(self.strength) * explaining.T @ _centred(X, classes)


def _centred(columns, classes):
    return columns - np.stack([classes.fitted(column) for column in np.asarray(columns).T], axis=1)


ADJUSTMENT = ConfounderPenalty
