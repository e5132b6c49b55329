"""Rejection rates over nominal levels: power under the alternative, type I error under the null (paper, Fig. 8)."""

import numpy as np
from scipy.special import betaincinv

TESTS = ("response", "confounding", "algorithm2", "conditional", "prediction", "association", "combined")


def rejection_curve(p_values, alphas, *, confidence=0.95):
    """Share of p-values at or below each alpha, with Monte Carlo standard error and a Clopper-Pearson band.

    Returns a mapping of columns: alpha, rate, mcse, low, high, n_datasets. Missing p-values are ignored.
    """
    p_values = np.asarray(p_values, float)
    p_values = np.sort(p_values[~np.isnan(p_values)])
    n = p_values.size
    alphas = np.asarray(alphas, float)
    rejected = np.searchsorted(p_values, alphas, side="right")
    rate = rejected / n if n else np.full(alphas.size, np.nan)
    low, high = binomial_band(rejected, n, confidence=confidence)
    mcse = np.sqrt(rate * (1 - rate) / n) if n else np.full(alphas.size, np.nan)
    sizes = np.full(alphas.size, n)
    return {"alpha": alphas, "rate": rate, "mcse": mcse, "low": low, "high": high, "n_datasets": sizes}


def binomial_band(successes, n, *, confidence=0.95):
    """Clopper-Pearson interval for a proportion."""
    successes = np.asarray(successes)
    tail = (1 - confidence) / 2
    if n == 0:
        return np.zeros(successes.shape), np.ones(successes.shape)
    low = np.where(successes == 0, 0.0, betaincinv(np.maximum(successes, 1), n - successes + 1, tail))
    high = np.where(successes == n, 1.0, betaincinv(successes + 1, np.maximum(n - successes, 1), 1 - tail))
    return low, high


def alpha_grid(steps):
    """Nominal levels 0, 1/steps, ..., 1."""
    return np.arange(steps + 1) / steps


def scenario_curves(tests, alphas):
    """Rejection curves of every test and metric in a table of tests (an Arrow table), stacked."""
    metrics = np.array(tests["metric"].to_pylist())
    made = [test for test in TESTS if f"{test}_p" in tests.column_names]
    parts = []
    for metric in dict.fromkeys(metrics):
        for test in made:
            curve = rejection_curve(tests[f"{test}_p"].to_numpy()[metrics == metric], alphas)
            parts.append({"test": np.full(len(alphas), test), **curve, "metric": np.full(len(alphas), metric)})
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
