"""Two binary confounders that act on the response (logistic) and on Gaussian features (linear)."""

import numpy as np

from permconf.generators import Generator, changed, times
from permconf.generators.bernoulli_gaussian import gaussian_features


def sample(rng, *, n, gamma1, gamma2, beta, theta1, theta2, rho, features=10):
    """n independent rows; the confounders are independent fair coins, returned as two columns.

    The log-odds of Y = 1 are +-gamma1 +- gamma2, with a plus where the confounder is 1; the features have mean
    beta Y + theta1 C1 + theta2 C2.
    """
    c = rng.integers(0, 2, size=(int(n), 2))
    odds = (2 * c - 1) @ np.array([gamma1, gamma2])
    y = (rng.random(len(c)) < 1 / (1 + np.exp(-odds))).astype(np.uint8)
    effect = c @ np.array([theta1, theta2], float)
    return gaussian_features(y, effect, beta, 1.0, rho, int(features), rng), y, c


# Log-odds of 0: both classes are equally frequent, as with any gamma.
GENERATOR = Generator(sample, worlds={"unconfounded": changed(sample, times(0, "gamma1", "gamma2"))})
