"""Estimates over data sets, each a pair: value and Monte Carlo standard error."""

import numpy as np

from permconf_study.study.rejection_rates import rejection_curve


def rejection_rate(p_values, alpha):
    """Share of p-values at or below the nominal level `alpha`."""
    curve = rejection_curve(p_values, [alpha])
    return float(curve["rate"][0]), float(curve["mcse"][0])


def mean(values):
    """Mean of the values."""
    values = np.asarray(values, float)
    if values.size < 2:
        return (float(values[0]) if values.size else np.nan), np.nan
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(values.size))


def sd(values):
    """Standard deviation of the values, with the standard error for a normal sample."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return spread, spread / np.sqrt(max(2 * (len(values) - 1), 1))


def median(values):
    """Median; its error is half the distance between the order statistics one binomial standard error away."""
    values = np.sort(np.asarray(values, float))
    n = values.size
    if n < 2:
        return (float(values[0]) if n else np.nan), np.nan
    low, high = np.clip(np.round((n - 1) / 2 + np.sqrt(n) / 2 * np.array([-1, 1])).astype(int), 0, n - 1)
    return float(np.median(values)), float(values[high] - values[low]) / 2
