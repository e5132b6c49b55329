"""Performance of estimators over data sets, each measure with its Monte Carlo standard error.

Formulas are those of Morris, White and Crowther (2019, Statistics in Medicine 38, 2074-2102), of the errors: the
estimate of a data set less its truth, which may differ between data sets. The error of the root mean squared error is
that of the jackknife.
"""

from typing import NamedTuple

import numpy as np

from permconf_study.study.estimates import mean, sd
from permconf_study.study.rejection_rates import binomial_band, rejection_curve

TIE = 1e-12  # p-values are multiples of 1 / (1 + permutations), up to rounding
NORMAL = 1.959963984540054  # 97.5 % quantile


class Measured(NamedTuple):
    """A measure with its Monte Carlo standard error and 95 % interval, and the data sets behind it."""

    value: float
    mcse: float
    low: float
    high: float
    n_datasets: int


def rejection_rates(p_values, alphas):
    """Rejection rates at nominal levels, with exact intervals."""
    curve = rejection_curve(p_values, np.add(alphas, TIE))
    rows = zip(*(curve[name].tolist() for name in ("rate", "mcse", "low", "high", "n_datasets")), strict=True)
    return [Measured(*row) for row in rows]


def average(values):
    """Mean of values."""
    return _with_interval(mean(values), len(values))


def accuracy(estimates, truths):
    """Bias, empirical standard error and root mean squared error of estimates, and how often they exceed the truth."""
    errors = np.asarray(estimates, float) - np.asarray(truths, float)
    n = errors.size
    return {
        "bias": _with_interval(mean(errors), n),
        "empirical_se": _with_interval(sd(errors), n),
        "rmse": _with_interval(rmse(errors), n),
        "above": share(errors > 0),
    }


def rmse(errors):
    """Root mean squared error, with the standard error of the jackknife."""
    squares = np.square(errors)
    n = squares.size
    if n < 2:
        return (float(np.sqrt(squares.mean())) if n else np.nan), np.nan
    without = np.sqrt(np.maximum(squares.sum() - squares, 0) / (n - 1))
    return float(np.sqrt(squares.mean())), float(np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2)))


def kept(values, possible, chance):
    """Ratio of the means above chance of values and of what is possible, with its error by the delta method."""
    pairs = np.column_stack([values, possible]) - chance
    if len(pairs) < 2:
        return _with_interval((np.nan, np.nan), len(pairs))
    above, whole = pairs.mean(axis=0)
    ratio = above / whole
    error = np.std(pairs[:, 0] - ratio * pairs[:, 1], ddof=1) / np.sqrt(len(pairs)) / whole
    return _with_interval((float(ratio), float(error)), len(pairs))


def intervals(low, high, truths):
    """Coverage and mean width of confidence intervals, by name."""
    low, high, truths = (np.asarray(values, float) for values in (low, high, truths))
    return {"coverage": share((low <= truths) & (truths <= high)), "width": average(high - low)}


def share(found):
    """Share of data sets in which something was found, with an exact interval."""
    number, n = int(np.sum(found)), len(found)
    share = number / n if n else np.nan
    error = np.sqrt(share * (1 - share) / n) if n else np.nan
    low, high = map(float, binomial_band(number, n))
    return Measured(share, float(error), low, high, n)


def _with_interval(estimate, n):
    value, error = estimate
    return Measured(value, error, value - NORMAL * error, value + NORMAL * error, n)
