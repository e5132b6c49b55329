"""Linear effects of a binary confounder on response and feature, and of the response on the feature (Appendix)."""

import numpy as np

from permconf.generators import Generator, Sample

REQUIRED = ("n", "p", "beta_xc", "beta_yc", "beta_xy")


def sample_with(errors, rng, *, n, p, beta_xc, beta_yc, beta_xy) -> Sample:
    """C ~ Bernoulli(p), Y = beta_yc C + error, X ~ N(beta_xc C + beta_xy Y, 1); `errors(rng, n)` are those of Y."""
    if not 0 <= p <= 1:
        raise ValueError(f"p must be a probability, not {p}")
    n = int(n)
    c = (rng.random(n) < p).astype(np.int64)
    y = beta_yc * c + errors(rng, n)
    x = beta_xc * c + beta_xy * y + rng.standard_normal(n)
    return x[:, None], y, c


def gaussian_errors(rng, n):
    """Standard normal."""
    return rng.standard_normal(n)


def sample(rng, **parameters):
    """The Appendix model: Y ~ N(beta_yc C, 1)."""
    return sample_with(gaussian_errors, rng, **parameters)


GENERATOR = Generator(sample, required=REQUIRED, task="regression")
