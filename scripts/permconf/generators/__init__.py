"""Generators: one file each. A generator draws one data set (X, y, c) from its parameters."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from permconf import registry

Sample = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Generator:
    """A data-generating model.

    `sample(rng, **parameters)` returns features (n, p), response (n,) and confounder (n,). `probabilities` names the
    parameters that must be probabilities with sum 1.
    """

    sample: Callable[..., Sample]
    required: tuple[str, ...]
    optional: dict[str, Any] = field(default_factory=dict)
    task: str = "classification"
    probabilities: tuple[str, ...] = ()

    def names(self):
        """Names of all parameters."""
        return (*self.required, *self.optional)


def make_generator(name) -> Generator:
    """The generator of this name."""
    return registry.load("generators", name)
