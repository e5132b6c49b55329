"""P-values of permutation tests: of one statistic, of several, and of several that are adjusted for each other."""

import numpy as np

ROUNDING = 1e-9  # differences that are smaller, relative to the size of the values, are due to rounding


def permutation_p(observed, draws, *, direction=1):
    """Share of draws at least as good as `observed`, which itself counts as a draw, so that p is never zero.

    Values that differ by rounding are ties: a permutation that only reorders equal rows changes the order of a sum.
    Undefined draws count as at least as good, so p is never too small.
    """
    draws = np.asarray(draws)
    sizes = np.abs(draws[np.isfinite(draws)])
    rounding = ROUNDING * max(abs(observed), np.median(sizes) if sizes.size else 0.0)
    worse = int(np.count_nonzero(direction * draws < direction * observed - rounding))
    return (1 + len(draws) - worse) / (1 + len(draws))


def permutation_ps(observed, draws):
    """The p-value of every column of draws."""
    return np.array([permutation_p(one, column) for one, column in zip(observed, draws.T, strict=True)])


def step_down_ps(observed, draws):
    """p-values adjusted by step-down maxT: each statistic against the largest draw of those not larger than itself."""
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(draws[:, order[::-1]], axis=1)[:, ::-1]
    p = np.empty(len(observed))
    p[order] = np.maximum.accumulate(permutation_ps(observed[order], largest))
    return p
