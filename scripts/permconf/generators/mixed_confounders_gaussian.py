"""A continuous and a binary confounder, such as age and sex, that act on response (logistic) and features (linear)."""

import numpy as np

from permconf.generators import Generator, changed, times
from permconf.generators.bernoulli_gaussian import gaussian_features


def sample(rng, *, n, gamma1, gamma2, beta, theta1, theta2, rho, features=10):
    """n independent rows; C1 ~ N(0, 1) and C2, a fair coin, are returned as two columns.

    The log-odds of Y = 1 are gamma1 C1 +- gamma2, with a plus where C2 is 1; the features have mean
    beta Y + theta1 C1 + theta2 C2.
    """
    c = np.column_stack([rng.standard_normal(int(n)), rng.integers(0, 2, size=int(n))])
    odds = gamma1 * c[:, 0] + gamma2 * (2 * c[:, 1] - 1)
    y = (rng.random(len(c)) < 1 / (1 + np.exp(-odds))).astype(np.uint8)
    return gaussian_features(y, c @ np.array([theta1, theta2], float), beta, 1.0, rho, int(features), rng), y, c


# Log-odds of 0: both classes are equally frequent, as with any gamma.
GENERATOR = Generator(sample, worlds={"unconfounded": changed(sample, times(0, "gamma1", "gamma2"))})
