"""How far draws are from a normal distribution."""

import numpy as np
from scipy.special import ndtr


def normal_distances(draws, moments=None):
    """Largest difference between the distribution functions of draws and of a normal with their (or given) moments.

    First Kolmogorov's distance, in which the steps of a discrete metric count, then that at the middle of each step,
    the usual continuity correction.
    """
    centre, sd = moments or (draws.mean(), draws.std(ddof=1))
    values, counts = np.unique(draws.round(10), return_counts=True)
    above = np.cumsum(counts) / draws.size
    below = above - counts / draws.size
    normal = ndtr((values - centre) / sd)
    at_steps = max(np.abs(above - normal).max(), np.abs(below - normal).max())
    return float(at_steps), float(np.abs((above + below) / 2 - normal).max())
