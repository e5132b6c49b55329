"""The Section 3.1 model with given numbers of samples in the four cells of (Y, C), in random order."""

import numpy as np

from permconf.generators import Generator
from permconf.generators.bernoulli_gaussian import GENERATOR as BERNOULLI
from permconf.generators.bernoulli_gaussian import gaussian_features


def sample(rng, *, n11, n10, n01, n00, beta, theta, rho, features=10):
    """n11 rows with Y = 1 and C = 1, n10 with Y = 1 and C = 0, and so on."""
    cell = rng.permutation(np.repeat(np.arange(4), [int(k) for k in (n11, n10, n01, n00)]))
    y, c = (cell < 2).astype(np.uint8), (cell % 2 == 0).astype(np.int64)
    return gaussian_features(y, c, beta, theta, rho, int(features), rng), y, c


def unconfounded(rng, *, n, n11, n10, n01, n00, **effects):
    """n independent rows; the margins of Y and C are those of the counts."""
    shares = {
        f"p{cell}": count / (n11 + n10 + n01 + n00)
        for cell, count in zip(("11", "10", "01", "00"), (n11, n10, n01, n00), strict=True)
    }
    return BERNOULLI.worlds["unconfounded"](rng, n=n, **shares, **effects)


GENERATOR = Generator(sample, worlds={"unconfounded": unconfounded})
