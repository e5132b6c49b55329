"""Adjustments for confounding: a stage between the split and the learner, judged by the same tests as any learner.

An adjustment may change the training and test sets once (`adjusted`), before any response is permuted; and it may give
every training row a weight (`weights`), anew for each permuted response, since weights depend on it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf import registry
from permconf.method.contracts import Learner, Scores
from permconf.method.split import Split


class Adjustment:
    """What the method requires of an adjustment; this one changes nothing."""

    weighs = ""  # the weights it gives: none, "fractions" or "counts" (whole numbers)
    tasks: tuple[str, ...] = ("classification", "regression")
    keeps_confounder_tests = False  # whether tests that shuffle the confounder stay valid after it
    needs_levels = True  # whether it can be made only for a confounder of levels, not for a smooth one

    def adjusted(self, split: Split, rng: np.random.Generator) -> Split:
        """The sets on which everything else is done."""
        return split

    def weights(self, Y: np.ndarray, c: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Weights (n, b) of the training rows for b responses Y (n, b)."""
        raise NotImplementedError(f"{type(self).__name__} gives no weights")


def make_adjustment(spec: Any) -> Adjustment:
    """An adjustment from its name, a mapping with its name and options, or an adjustment itself."""
    return spec if isinstance(spec, Adjustment) else registry.made("adjustments", *registry.name_and_options(spec))


def check_adjustment(adjustment: Adjustment, learner: Learner, task: str, *, levels: bool = True) -> None:
    """Raise ValueError if an adjustment cannot be made for this task, before this learner or without levels."""
    name = type(adjustment).__name__.lower()
    if task not in adjustment.tasks:
        raise ValueError(f"adjustment {name!r} is for {' and '.join(adjustment.tasks)}, not for {task}")
    if adjustment.needs_levels and not levels:
        raise ValueError(f"adjustment {name!r} needs levels of the confounder, which is smooth; give it bins instead")
    if adjustment.weighs == "fractions" and not takes_weights(learner):
        raise ValueError(f"adjustment {name!r} gives weights, which the learner does not take; try 'resampling'")


def takes_weights(learner):
    """Whether a learner can weigh its training rows itself."""
    return hasattr(learner, "weighted_scores") and getattr(learner, "takes_weights", True)


def adjusted_learner(learner: Learner, adjustment: Adjustment, c_train: Any) -> Learner:
    """The learner as the null engine sees it: with the weights of the adjustment, if it gives any."""
    return WeightedLearner(learner, adjustment, c_train) if adjustment.weighs else learner


@dataclass(frozen=True)
class WeightedLearner:
    """A learner whose training rows are weighted anew for each response."""

    learner: Any
    adjustment: Adjustment
    c_train: np.ndarray

    def scores(self, X_train, Y_train, X_test, keys):
        """Scores of the weighted fits. Where a learner takes no weights, rows are repeated, one response at a time."""
        weights = self.adjustment.weights(Y_train, self.c_train, keys)
        if takes_weights(self.learner):
            return self.learner.weighted_scores(X_train, Y_train, weights, X_test, keys)
        return self._repeated(X_train, Y_train, weights, X_test, keys)

    def _repeated(self, X_train, Y_train, counts, X_test, keys):
        values, flagged = np.empty((len(X_test), keys.size)), np.zeros(keys.size, bool)
        for k in range(keys.size):
            rows, column = np.repeat(np.arange(len(X_train)), counts[:, k]), slice(k, k + 1)
            scores = self.learner.scores(X_train[rows], Y_train[rows, column], X_test, keys[column])
            if isinstance(scores, Scores):
                scores, flagged[column] = scores
            values[:, column] = scores
        return Scores(values, flagged)
