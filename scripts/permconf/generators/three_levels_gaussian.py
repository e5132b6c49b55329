"""The Section 3.1 model with a confounder of three levels."""

import numpy as np

from permconf.generators import Generator, changed
from permconf.generators.bernoulli_gaussian import gaussian_features


def sample(rng, *, n, p0, p1, p2, q0, q1, q2, beta, theta1, theta2, rho, features=10):
    """n independent rows; P(C = k) = pk, P(Y = 1 | C = k) = qk; level k adds thetak to the features."""
    for name, q in (("q0", q0), ("q1", q1), ("q2", q2)):
        if not 0 <= q <= 1:
            raise ValueError(f"{name} must be a probability, not {q}")
    edges = np.cumsum([p0, p1, p2])
    c = np.searchsorted(edges[:2], rng.random(int(n)) * edges[2], side="right")
    y = (rng.random(c.size) < np.array([q0, q1, q2])[c]).astype(np.uint8)
    effect = np.array([0.0, theta1, theta2])[c]
    return gaussian_features(y, effect, beta, 1.0, rho, int(features), rng), y, c


def independent(parameters):
    """The share of Y = 1 at every level."""
    share = sum(parameters[f"p{k}"] * parameters[f"q{k}"] for k in range(3))
    return {f"q{k}": share for k in range(3)}


GENERATOR = Generator(sample, probabilities=("p0", "p1", "p2"), worlds={"unconfounded": changed(sample, independent)})
