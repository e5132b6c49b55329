"""Adjustments for confounding: a stage between folds and learner, judged by the same tests as any learner.

An adjustment has parts with one meaning each, and overrides those that it needs:

- `select(part, train, rng)`: numbers of rows of the sample `part`, also repeated ones; a model is fitted to the sample
  `train`. Made once, before the response is permuted, in the sets named by `selects`: "train", or "train" and "test".
- `transform(X_train, c_train, X_test, c_test)`: both matrices, changed by what is fitted to the training rows. Made
  once for each fold.
- `weights(Y, c, keys)`: weights (n, b) of the training rows, for each permuted response (column of Y); `weighs`
  says which kind they are.
- `adapted(learner, c)`: the learner as it is trained and predicts; by default with the weights.

Confounders are `permconf.data.confounders.Confounders`, samples `permconf.data.sample.Sample`.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf import registry
from permconf.data.confounders import Confounders
from permconf.data.features import rows_of
from permconf.data.sample import Sample
from permconf.engine.contracts import TASKS, Learner, class_count, fitted_scores
from permconf.engine.plugin_results import check_finite, checked_array, checked_weights
from permconf.engine.scores import joined


class Adjustment:
    """The interface of an adjustment; this one changes nothing."""

    selects: tuple[str, ...] = ()
    weighs = ""  # kind of weights: none, "fractions" or "counts" (integers)
    tasks: tuple[str, ...] = ("classification", "regression")
    keeps_confounder_tests = False  # whether tests that shuffle the confounder remain valid
    needs_levels = True  # whether it needs levels of the confounder, which a smooth one lacks
    penalises = False  # whether it needs a learner that takes a quadratic penalty (`penalised_scores`)

    def select(self, part: Sample, train: Sample, rng: np.random.Generator) -> np.ndarray:
        """Numbers of the rows of `part` that are used."""
        raise NotImplementedError(f"{type(self).__name__} selects no rows")

    def transform(self, X_train: np.ndarray, c_train: Confounders, X_test: np.ndarray, c_test: Confounders) -> tuple:
        """Both sets of features."""
        return X_train, X_test

    def weights(self, Y: np.ndarray, c: Confounders, keys: np.ndarray) -> np.ndarray:
        """Weights (n, b) of the training rows for b responses Y (n, b)."""
        raise NotImplementedError(f"{type(self).__name__} gives no weights")

    def adapted(self, learner: Learner, c: Confounders) -> Learner:
        """The learner as it is used, given the confounders of the training rows."""
        return WeightedLearner(learner, self, c) if self.weighs else learner


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
        instead = "use 'spline_residuals'" if name == "residuals" else "give it bins"
        raise ValueError(f"adjustment {name!r} needs levels of the confounder, which is smooth; {instead} instead")
    if adjustment.weighs == "fractions" and not takes_weights(learner):
        raise ValueError(f"adjustment {name!r} gives weights, which the learner does not take; try 'resampling'")
    if adjustment.penalises and not hasattr(learner, "penalised_scores"):
        raise ValueError(f"adjustment {name!r} needs learner 'logistic' or 'ridge_logistic'")


def adjustment_name(adjustment: Adjustment) -> str:
    """The name of an adjustment: that of its class, with underscores between words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(adjustment).__name__).lower()


def selected_rows(adjustment: Adjustment, part: Sample, train: Sample, rng: np.random.Generator) -> np.ndarray:
    """The rows of `part` that an adjustment selects, or a ValueError that names it if these are no rows."""
    rows = np.asarray(adjustment.select(part, train, rng))
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not rows.size or rows.min() < 0 or rows.max() >= len(part):
        raise ValueError(
            f"adjustment {adjustment_name(adjustment)!r} must select at least one of the rows 0 to {len(part) - 1}, by"
            " their numbers"
        )
    return rows


def transformed(adjustment: Adjustment, X: tuple, c_train: Confounders, c_test: Confounders) -> tuple[Any, Any]:
    """Features as an adjustment changes them; those of a DataFrame are changed as numbers and stay a DataFrame."""
    if type(adjustment).transform is Adjustment.transform:
        return X
    frame = X[0] if hasattr(X[0], "iloc") else None
    named = f"adjustment {adjustment_name(adjustment)!r}"
    for name in () if frame is None else frame.columns:
        if any(part[name].dtype.kind not in "biuf" for part in X):
            raise ValueError(f"{named} changes features and needs numbers, but {name!r} holds labels; encode it first")
    matrices = X if frame is None else tuple(part.to_numpy(float) for part in X)
    if any(np.isnan(part).any() for part in matrices):
        raise ValueError(f"{named} changes features and takes no missing values in them; impute them first")
    made = adjustment.transform(matrices[0], c_train, matrices[1], c_test)
    what = f"{named} gave features"
    if not isinstance(made, tuple) or len(made) != 2:
        raise ValueError(f"{what} that are not a pair of matrices, but {type(made).__name__}")
    checked = (check_finite(checked_array(part, of.shape, what), what) for part, of in zip(made, matrices, strict=True))
    made = tuple(np.ascontiguousarray(part) for part in checked)
    return made if frame is None else tuple(type(frame)(part, columns=frame.columns) for part in made)


def takes_weights(learner: Any) -> bool:
    return hasattr(learner, "weighted_scores") and getattr(learner, "takes_weights", True)


@dataclass(frozen=True)
class AdaptedLearner:
    """A learner inside another one, for the same tasks and with scores of the same kind."""

    learner: Any

    @property
    def tasks(self):
        return getattr(self.learner, "tasks", TASKS)

    @property
    def score_kind(self):
        """What the scores of the learner are; None if they say so themselves."""
        return getattr(self.learner, "score_kind", None)


@dataclass(frozen=True)
class WeightedLearner(AdaptedLearner):
    """A learner whose training rows are reweighted for each response."""

    adjustment: Adjustment
    c_train: Confounders

    def scores(self, X_train, Y_train, X_test, keys):
        """Scores of the weighted fits. If the learner accepts no weights, rows are repeated, one response at a time."""
        weights = checked_weights(self.adjustment.weights(Y_train, self.c_train, keys), Y_train.shape, self.adjustment)
        if takes_weights(self.learner):
            return self.learner.weighted_scores(X_train, Y_train, weights, X_test, keys)
        parts, classes = [], class_count(Y_train)
        for k in range(keys.size):
            rows, column = np.repeat(np.arange(len(X_train)), weights[:, k]), slice(k, k + 1)
            sets = rows_of(X_train, rows), Y_train[rows, column], X_test
            parts.append(fitted_scores(self.learner, *sets, keys[column], classes=classes))
        return joined(parts)
