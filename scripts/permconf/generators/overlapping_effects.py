"""One or two confounders, binary or continuous, and a response that act on some of the Gaussian features each."""

import numpy as np

from permconf.generators import Generator, changed, times
from permconf.generators.bernoulli_gaussian import gaussian_features


def sample(
    rng,
    *,
    n,
    gamma,
    beta,
    theta,
    rho,
    continuous=0,
    curvature=0,
    interaction=0,
    second=0,
    gamma2=0,
    theta2=0,
    features=6,
    y_features=4,
    c_features=4,
):
    """n independent rows. C is -1 or 1 or, if `continuous`, N(0, 1); f(C) is C or, with `curvature` 1, its square,
    standardised. With `second` there is another, binary confounder D of values -1 and 1, and c has two columns.

    The log-odds of Y = 1 are gamma f(C) + gamma2 D. Y adds beta to the first `y_features` features. The confounders add
    theta f(C) + theta2 D to the last `c_features`, times 1 - interaction if Y is 0 and 1 + interaction if it is 1.
    """
    n, features = int(n), int(features)
    c = rng.standard_normal(n) if continuous else rng.choice([-1.0, 1.0], n)
    f = (1 - curvature) * c + curvature * (c**2 - 1) / np.sqrt(2)
    d = rng.choice([-1.0, 1.0], n) if second else np.zeros(n)
    y = (rng.random(n) < 1 / (1 + np.exp(-gamma * f - gamma2 * d))).astype(np.uint8)
    X = gaussian_features(y, f, 0.0, 0.0, rho, features, rng)
    X[:, : int(y_features)] += beta * y[:, None]
    X[:, features - int(c_features) :] += ((theta * f + theta2 * d) * (1 + interaction * (2.0 * y - 1)))[:, None]
    return X, y, np.column_stack([c, d]) if second else c


GENERATOR = Generator(
    sample,
    worlds={
        "unconfounded": changed(sample, times(0, "gamma", "gamma2")),
        "reversed": changed(sample, times(-1, "gamma", "gamma2")),
        "unacting": changed(sample, times(0, "theta", "theta2")),
        "ideal": changed(sample, times(0, "gamma", "gamma2", "theta", "theta2")),
    },
)
