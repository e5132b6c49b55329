"""The Appendix model with exponential instead of Gaussian errors of the response (paper, Fig. 5)."""

from permconf.generators import Generator
from permconf.generators.linear_confounding import REQUIRED, sample_with


def exponential_errors(rng, n):
    """Exponential with mean and standard deviation 1, moved to mean 0."""
    return rng.exponential(size=n) - 1


def sample(rng, **parameters):
    """Y = beta_yc C + centred exponential error; C and X as in the Appendix."""
    return sample_with(exponential_errors, rng, **parameters)


GENERATOR = Generator(sample, required=REQUIRED, task="regression")
