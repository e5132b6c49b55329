"""The Appendix model with exponential instead of Gaussian errors of the response (paper, Fig. 5)."""

from permconf.generators import Generator
from permconf.generators.linear_confounding import binary_confounder, independent_effects, linear_effects


def sample(rng, *, n, p, beta_xc, beta_yc, beta_xy):
    """n independent rows; the errors of Y have mean 0 and standard deviation 1."""
    c = binary_confounder(rng, n, p)
    return linear_effects(rng, c, rng.exponential(size=c.size) - 1, beta_xc, beta_yc, beta_xy)


def unconfounded(rng, *, n, p, **effects):
    """n independent rows with C and Y independent."""
    c = binary_confounder(rng, n, p)
    return independent_effects(rng, c, rng.exponential(size=c.size) - 1, p, **effects)


GENERATOR = Generator(sample, task="regression", worlds={"unconfounded": unconfounded})
