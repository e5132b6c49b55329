"""The Appendix model with exponential instead of Gaussian errors of the response (paper, Fig. 5)."""

from permconf.generators.linear_confounding import linear_model

GENERATOR = linear_model(lambda rng, n: rng.exponential(size=n) - 1)
