"""What learners, metrics, adjustments and generators return, checked at run time: an error names the one that erred.

Kernels read scores without looking at their shape, and a comparison with NaN is false, so that what is not checked here
becomes a wrong p-value rather than an error.
"""

from typing import Any

import numpy as np

from permconf.engine.scores import Scores


def plugin_name(plugin: Any) -> str:
    """The name of a plug-in, or of the learner or estimator that it wraps."""
    plugin = getattr(plugin, "learner", plugin)
    return str(getattr(plugin, "name", type(getattr(plugin, "estimator", plugin)).__name__))


def checked_array(values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """`values` as real numbers of this shape; `what` begins the sentence of an error, "learner L gave scores"."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} whose rows have different lengths") from error
    if array.shape != shape:
        raise ValueError(f"{what} of shape {array.shape} where {shape} is needed")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{what} of type {array.dtype} where real numbers are needed")
    return array.astype(np.float64, copy=False)


def check_finite(array: np.ndarray, what: str) -> np.ndarray:
    """`array`, or a ValueError if a number is missing or infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum()):  # a single pass without another array; finite if all numbers are, but for overflow
            return array
    bad = int(np.count_nonzero(~np.isfinite(array)))
    if bad:
        raise ValueError(f"{what} of which {bad} of {array.size} are missing or infinite")
    return array


def checked_scores(scores: Any, shape: tuple[int, ...], learner: Any, what: str = "scores") -> np.ndarray:
    """Scores (m, b), or fixed scores (m,), of a learner."""
    what = f"learner {plugin_name(learner)} gave {what}"
    return check_finite(checked_array(scores, shape, what), what)


def checked_fits(scores: Scores, m: int, b: int, classes: int, learner: Any) -> Scores:
    """`Scores` of a learner: (m, b), or (m, b, K) if there are K > 2 classes."""
    shape = (m, b, classes) if classes > 2 and np.ndim(scores.values) == 3 else (m, b)
    values, probabilities = checked_scores(scores.values, shape, learner), scores.probabilities
    if probabilities is not None:
        probabilities = checked_scores(probabilities, shape, learner, "probabilities")
    flags = checked_array(scores.flagged, (b,), f"learner {plugin_name(learner)} gave flags")
    return Scores(values, flags.astype(bool), scores.kind, probabilities)


def checked_values(values: Any, b: int, name: str) -> np.ndarray:
    """Values (b,) of a metric, NaN where it is not defined or infinite."""
    array = checked_array(values, (b,), f"metric {name!r} gave values")
    return np.where(np.isinf(array), np.nan, array)


def check_defined(values: np.ndarray, name: str) -> np.ndarray:
    """`values` of a metric, or a ValueError if any is not defined."""
    undefined = int(np.count_nonzero(~np.isfinite(values)))
    if undefined:
        raise ValueError(f"metric {name!r} is not defined for {undefined} of {values.size} responses")
    return values


def checked_weights(weights: Any, shape: tuple[int, ...], adjustment: Any) -> np.ndarray:
    """Weights (n, b) of training rows; counts stay whole numbers."""
    what = f"adjustment {plugin_name(adjustment)} gave weights"
    numbers = check_finite(checked_array(weights, shape, what), what)
    if numbers.size and numbers.min() < 0:
        raise ValueError(f"{what} of which some are negative")
    return np.asarray(weights)
