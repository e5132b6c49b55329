"""Rejection rates over nominal levels: power under the alternative, type I error under the null (paper, Fig. 8)."""

import numpy as np

TESTS = ("response", "confounding", "algorithm2", "conditional", "prediction", "association", "combined", "grouped")


def rejection_curve(p_values, alphas, *, confidence=0.95):
    """Share of p-values at or below each alpha, with Monte Carlo standard error and a Clopper-Pearson band.

    Returns a mapping of columns: alpha, rate, mcse, low, high, n_datasets. Missing p-values are ignored.
    """
    p_values = np.asarray(p_values, float)
    p_values = np.sort(p_values[~np.isnan(p_values)])
    alphas = np.asarray(alphas, float)
    return _curve(np.searchsorted(p_values, alphas, side="right"), p_values.size, alphas, confidence)


def _curve(rejected, n, alphas, confidence=0.95):
    rate = rejected / n if n else np.full(alphas.size, np.nan)
    low, high = binomial_band(rejected, n, confidence=confidence)
    mcse = np.sqrt(rate * (1 - rate) / n) if n else np.full(alphas.size, np.nan)
    sizes = np.full(alphas.size, n)
    return {"alpha": alphas, "rate": rate, "mcse": mcse, "low": low, "high": high, "n_datasets": sizes}


def binomial_band(successes, n, *, confidence=0.95):
    """Clopper-Pearson interval for a proportion."""
    from scipy.special import betaincinv  # takes a third of a second, and names of tests are needed before a run

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


class RejectionCounts:
    """Rejections of every test and metric at nominal levels, counted table by table."""

    def __init__(self, alphas):
        self.alphas = np.asarray(alphas, float)
        self._counts = {}

    def add(self, tests):
        """Count the p-values in a table of tests (an Arrow table)."""
        metrics = np.array(tests["metric"].to_pylist())
        for metric in dict.fromkeys(metrics):
            for test in (test for test in TESTS if f"{test}_p" in tests.column_names):
                p_values = tests[f"{test}_p"].to_numpy()[metrics == metric]
                p_values = np.sort(p_values[~np.isnan(p_values)])
                rejected, n = self._counts.get((metric, test), (0, 0))
                rejected = rejected + np.searchsorted(p_values, self.alphas, side="right")
                self._counts[metric, test] = rejected, n + p_values.size

    def curves(self):
        """Rejection curves as a mapping of columns, stacked."""
        parts = []
        for (metric, test), (rejected, n) in self._counts.items():
            names = {"test": np.full(self.alphas.size, test)}, {"metric": np.full(self.alphas.size, metric)}
            parts.append(names[0] | _curve(rejected, n, self.alphas) | names[1])
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def scenario_curves(tests, alphas):
    """Rejection curves of every test and metric in one table of tests (an Arrow table), stacked."""
    counts = RejectionCounts(alphas)
    counts.add(tests)
    return counts.curves()
