"""Linear effects of a binary confounder on response and feature, and of the response on the feature (Appendix)."""

import numpy as np

from permconf.generators import Generator


def binary_confounder(rng, n, p):
    """n independent draws of C ~ Bernoulli(p)."""
    if not 0 <= p <= 1:
        raise ValueError(f"p must be a probability, not {p}")
    return (rng.random(int(n)) < p).astype(np.int64)


def linear_model(errors) -> Generator:
    """The Appendix model with errors of the response from `errors(rng, n)`, which have mean 0 and variance 1."""

    def effects(rng, c, y, beta_xc, beta_xy):
        return (beta_xc * c + beta_xy * y + rng.standard_normal(c.size))[:, None], y, c

    def sample(rng, *, n, p, beta_xc, beta_yc, beta_xy):
        """n independent rows: Y = beta_yc C + errors and X ~ N(beta_xc C + beta_xy Y, 1)."""
        c = binary_confounder(rng, n, p)
        return effects(rng, c, beta_yc * c + errors(rng, c.size), beta_xc, beta_xy)

    def unconfounded(rng, *, n, p, beta_xc, beta_yc, beta_xy):
        """The same with the distribution of Y unchanged, but independent of the C that acts on X."""
        c = binary_confounder(rng, n, p)
        noise = errors(rng, c.size)
        return effects(rng, c, beta_yc * binary_confounder(rng, c.size, p) + noise, beta_xc, beta_xy)

    return Generator(sample, task="regression", worlds={"unconfounded": unconfounded})


GENERATOR = linear_model(lambda rng, n: rng.standard_normal(n))
