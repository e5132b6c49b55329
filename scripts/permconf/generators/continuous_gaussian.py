"""A continuous confounder that acts on the response (logistic) and on Gaussian features, linearly or by its square."""

import numpy as np

from permconf.generators import Generator, changed, times
from permconf.generators.bernoulli_gaussian import gaussian_features


def sample(rng, *, n, gamma, beta, theta, rho, curvature=0, features=10):
    """n independent rows; C ~ N(0, 1), the log-odds of Y = 1 are gamma f(C), features have mean beta Y + theta f(C).

    f mixes a straight line and a parabola, both with mean 0 and variance 1; `curvature` is the share of the parabola.
    With curvature 1, low and high values of C have the same effect.
    """
    if not 0 <= curvature <= 1:
        raise ValueError(f"curvature must be between 0 and 1, not {curvature}")
    c = rng.standard_normal(int(n))
    effect = (1 - curvature) * c + curvature * (c**2 - 1) / np.sqrt(2)
    y = (rng.random(c.size) < 1 / (1 + np.exp(-gamma * effect))).astype(np.uint8)
    return gaussian_features(y, effect, beta, theta, rho, int(features), rng), y, c


GENERATOR = Generator(sample, worlds={"unconfounded": changed(sample, times(0, "gamma"))})
