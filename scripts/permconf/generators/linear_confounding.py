"""Linear effects of a binary confounder on response and feature, and of the response on the feature (Appendix)."""

import numpy as np

from permconf.generators import Generator, Sample


def binary_confounder(rng, n, p):
    """n independent draws of C ~ Bernoulli(p)."""
    if not 0 <= p <= 1:
        raise ValueError(f"p must be a probability, not {p}")
    return (rng.random(int(n)) < p).astype(np.int64)


def linear_effects(rng, c, errors, beta_xc, beta_yc, beta_xy) -> Sample:
    """Y = beta_yc C + errors and X ~ N(beta_xc C + beta_xy Y, 1)."""
    y = beta_yc * c + errors
    x = beta_xc * c + beta_xy * y + rng.standard_normal(c.size)
    return x[:, None], y, c


def sample(rng, *, n, p, beta_xc, beta_yc, beta_xy):
    """n independent rows of the Appendix model, where Y ~ N(beta_yc C, 1)."""
    c = binary_confounder(rng, n, p)
    return linear_effects(rng, c, rng.standard_normal(c.size), beta_xc, beta_yc, beta_xy)


def independent_effects(rng, c, errors, p, beta_xc, beta_yc, beta_xy) -> Sample:
    """The same with the distribution of Y unchanged, but independent of the C that acts on X."""
    return linear_effects(rng, c, beta_yc * binary_confounder(rng, c.size, p) + errors, beta_xc, 0.0, beta_xy)


def unconfounded(rng, *, n, p, **effects):
    """n independent rows of the Appendix model with C and Y independent."""
    c = binary_confounder(rng, n, p)
    return independent_effects(rng, c, rng.standard_normal(c.size), p, **effects)


GENERATOR = Generator(sample, task="regression", worlds={"unconfounded": unconfounded})
