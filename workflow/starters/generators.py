"""NAME: one sentence on the model. A generator draws features X (n, p), response y (n,) and confounder c (n,)."""

import numpy as np

from permconf.generators import Generator, changed, times


def sample(rng, *, n, strength, share=0.3, beta=0.5, theta=0.5):
    """n independent rows. Keyword arguments are the parameters of scenario files; those with a default are optional.

    C is 0, 1, 2 or 3, P(Y = 1 given C) lies between share - strength and share + strength, and the features have mean
    beta Y + theta C. Draw from `rng` only.
    """
    c = rng.integers(0, 4, int(n))
    y = (rng.random(c.size) < share + strength * (c - 1.5) / 1.5).astype(np.uint8)
    X = rng.standard_normal((c.size, 5)) + (beta * y + theta * c)[:, None]
    return X, y, c


# The world without confounding, where the truth of a metric is measured: a function with the arguments of `sample`, in
# which C and Y are independent and all else is the same, also their marginals. `changed` draws with other parameters:
# `times(0, "strength")`, or any function of the mapping of parameters that returns those to replace.
GENERATOR = Generator(sample, worlds={"unconfounded": changed(sample, times(0, "strength"))})
