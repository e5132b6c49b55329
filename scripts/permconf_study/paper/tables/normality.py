"""How far draws are from a normal distribution."""

import numpy as np
from scipy.special import ndtr


def normal_distance(draws, moments=None, *, at_midpoints=False):
    """Largest difference between the distribution functions of draws and of a normal with their (or given) moments.

    This is Kolmogorov's distance, in which the steps of a discrete metric count. `at_midpoints` compares at the middle
    of each step instead, the usual continuity correction.
    """
    return normal_distances(draws, moments)[at_midpoints]


def normal_distances(draws, moments=None):
    """Both distances of `normal_distance`: with the steps of a discrete metric, and at their midpoints."""
    centre, sd = moments or (draws.mean(), draws.std(ddof=1))
    values, counts = np.unique(draws.round(10), return_counts=True)
    above = np.cumsum(counts) / draws.size
    below = above - counts / draws.size
    normal = ndtr((values - centre) / sd)
    at_steps = max(np.abs(above - normal).max(), np.abs(below - normal).max())
    return float(at_steps), float(np.abs((above + below) / 2 - normal).max())
