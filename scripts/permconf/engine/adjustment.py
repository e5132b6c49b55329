"""Adjustments for confounding: a stage between the split and the learner, judged by the same tests as any learner.

An adjustment may change the training and test sets once (`adjusted`), before the response is permuted. It may also
weight the training rows (`weights`); weights depend on the response, so they are recomputed for each permutation. Or it
may change how the learner is trained or predicts (`adapted`).
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf import registry
from permconf.data.features import rows_of
from permconf.data.split import Split, check_rows
from permconf.engine.contracts import TASKS, Learner, fitted_scores
from permconf.engine.plugin_results import check_finite, checked_weights, plugin_name
from permconf.engine.scores import joined


class Adjustment:
    """The interface of an adjustment; this one changes nothing."""

    weighs = ""  # kind of weights: none, "fractions" or "counts" (integers)
    tasks: tuple[str, ...] = ("classification", "regression")
    keeps_confounder_tests = False  # whether tests that shuffle the confounder remain valid
    needs_levels = True  # whether it needs levels of the confounder, which a smooth one lacks
    penalises = False  # whether it needs a learner that takes a quadratic penalty (`penalised_scores`)

    def adjusted(self, split: Split, rng: np.random.Generator) -> Split:
        """The sets used in all further steps."""
        return split

    def weights(self, Y: np.ndarray, c: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Weights (n, b) of the training rows for b responses Y (n, b)."""
        raise NotImplementedError(f"{type(self).__name__} gives no weights")

    def adapted(self, learner: Learner, c_train: Any) -> Learner:
        """The learner as it is used, given the confounders of the training rows: with the weights, if there are any."""
        return WeightedLearner(learner, self, c_train) if self.weighs else learner


def make_adjustment(spec: Any) -> Adjustment:
    """An adjustment from its name, a mapping with its name and options, or an adjustment itself."""
    if isinstance(spec, Adjustment):
        return spec
    return registry.made("adjustments", *registry.name_and_options("adjustments", spec))


def check_adjustment(adjustment: Adjustment, learner: Learner, task: str, *, levels: bool = True) -> None:
    """Raise ValueError if an adjustment cannot be made for this task, before this learner or without levels."""
    name = adjustment_name(adjustment)
    if task not in adjustment.tasks:
        raise ValueError(f"adjustment {name!r} is for {' and '.join(adjustment.tasks)}, not for {task}")
    if adjustment.needs_levels and not levels:
        raise ValueError(f"adjustment {name!r} needs levels of the confounder, which is smooth; give it bins instead")
    if adjustment.weighs == "fractions" and not takes_weights(learner):
        raise ValueError(f"adjustment {name!r} gives weights, which the learner does not take; try 'resampling'")
    if adjustment.penalises and not hasattr(learner, "penalised_scores"):
        raise ValueError(f"adjustment {name!r} needs learner 'logistic' or 'ridge_logistic'")


def adjustment_name(adjustment: Adjustment) -> str:
    """The name of an adjustment: that of its class, with underscores between words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(adjustment).__name__).lower()


def adjusted_split(adjustment: Adjustment, split: Split, rng: np.random.Generator) -> Split:
    """The sets after the adjustment, or a ValueError that names it if they are not a training and a test set."""
    adjusted, what = adjustment.adjusted(split, rng), f"adjustment {plugin_name(adjustment)} gave"
    if not isinstance(adjusted, Split):
        raise ValueError(f"{what} {type(adjusted).__name__} where a Split is needed")
    for part in ("train", "test"):
        _check_arrays(adjusted, split, part, what)
    try:
        check_rows(adjusted)
    except ValueError as error:
        raise ValueError(f"{what} sets that do not fit together: {error}") from error
    for part in ("train", "test"):
        if not len(getattr(adjusted, f"y_{part}")) and len(getattr(split, f"y_{part}")):
            raise ValueError(f"{what} a {part} set without rows")
    return adjusted


def _check_arrays(adjusted, split, part, what):
    """Raise ValueError unless response and confounder are of the same kind as before, and features finite numbers."""
    for name in (f"y_{part}", f"c_{part}"):
        new, old = getattr(adjusted, name), getattr(split, name)
        if isinstance(old, np.ndarray) and not (isinstance(new, np.ndarray) and _kind(new) == _kind(old)):
            raise ValueError(f"{what} {name} that is not a vector of {old.dtype}")
    new, old = getattr(adjusted, f"X_{part}"), getattr(split, f"X_{part}")
    if new is not old and isinstance(old, np.ndarray):
        if not (isinstance(new, np.ndarray) and new.ndim == 2 and new.dtype.kind in "biuf"):
            raise ValueError(f"{what} X_{part} that is not a matrix of numbers")
        check_finite(new, f"{what} X_{part} with numbers")


def _kind(array):
    return array.ndim, array.dtype


def takes_weights(learner):
    """Whether a learner accepts weights of its training rows."""
    return hasattr(learner, "weighted_scores") and getattr(learner, "takes_weights", True)


def adjusted_learner(learner: Learner, adjustment: Adjustment, c_train: Any) -> Learner:
    """The learner as the adjustment has it trained."""
    return adjustment.adapted(learner, c_train)


@dataclass(frozen=True)
class WeightedLearner:
    """A learner whose training rows are reweighted for each response."""

    learner: Any
    adjustment: Adjustment
    c_train: np.ndarray

    @property
    def tasks(self):
        """What the learner is for."""
        return getattr(self.learner, "tasks", TASKS)

    @property
    def score_kind(self):
        """What the scores of the learner are; None if they say so themselves."""
        return getattr(self.learner, "score_kind", None)

    def scores(self, X_train, Y_train, X_test, keys):
        """Scores of the weighted fits. If the learner accepts no weights, rows are repeated, one response at a time."""
        weights = checked_weights(self.adjustment.weights(Y_train, self.c_train, keys), Y_train.shape, self.adjustment)
        if takes_weights(self.learner):
            return self.learner.weighted_scores(X_train, Y_train, weights, X_test, keys)
        return self._repeated(X_train, Y_train, weights, X_test, keys)

    def _repeated(self, X_train, Y_train, counts, X_test, keys):
        parts = []
        for k in range(keys.size):
            rows, column = np.repeat(np.arange(len(X_train)), counts[:, k]), slice(k, k + 1)
            parts.append(
                fitted_scores(self.learner, rows_of(X_train, rows), Y_train[rows, column], X_test, keys[column])
            )
        return joined(parts)
