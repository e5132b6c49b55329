"""Binary response and confounder from a bivariate Bernoulli distribution, Gaussian features (paper, Section 3.1)."""

import numpy as np

from permconf.generators import Generator, changed


def gaussian_features(y, c, beta, theta, rho, features, rng):
    """Features with mean y beta + c theta and correlation rho^|i - j|: an autoregression along the columns."""
    X = rng.standard_normal((len(y), features)).T.copy()  # columns one after the other in memory
    innovation = np.sqrt(1 - rho**2)
    for j in range(1, features):
        X[j] = rho * X[j - 1] + innovation * X[j]
    return np.ascontiguousarray((X + (y * beta + c * theta)).T)


def sample(rng, *, n, p11, p10, p01, p00, beta, theta, rho, features=10):
    """n independent rows; p11 = P(Y = 1, C = 1), p10 = P(Y = 1, C = 0) and so on."""
    edges = np.cumsum([p11, p10, p01, p00])
    cell = np.searchsorted(edges[:3], rng.random(int(n)) * edges[3], side="right")
    y, c = (cell < 2).astype(np.uint8), (cell % 2 == 0).astype(np.int64)
    return gaussian_features(y, c, beta, theta, rho, int(features), rng), y, c


def independent(parameters):
    """Probabilities of independent response and confounder with unchanged margins."""
    y = {1: parameters["p11"] + parameters["p10"], 0: parameters["p01"] + parameters["p00"]}
    c = {1: parameters["p11"] + parameters["p01"], 0: parameters["p10"] + parameters["p00"]}
    return {f"p{i}{j}": y[i] * c[j] for i in (1, 0) for j in (1, 0)}


GENERATOR = Generator(
    sample,
    probabilities=("p11", "p10", "p01", "p00"),
    worlds={"unconfounded": changed(sample, independent)},
)
