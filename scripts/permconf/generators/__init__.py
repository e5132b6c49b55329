"""Generators: one file each. A generator draws one data set (X, y, c) from its parameters."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf import registry

Sample = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Generator:
    """A data-generating model.

    `sample(rng, *, ...)` returns features (n, p), response (n,) and confounder (n,). Its keyword arguments are the
    parameters; those with a default are optional. `probabilities` names the parameters that must be probabilities with
    sum 1.
    """

    sample: Callable[..., Sample]
    task: str = "classification"
    probabilities: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """Names of all parameters."""
        return [name for name in inspect.signature(self.sample).parameters if name != "rng"]

    @property
    def optional(self) -> dict[str, Any]:
        """Parameters with their defaults, as far as they have one."""
        arguments = inspect.signature(self.sample).parameters.values()
        return {argument.name: argument.default for argument in arguments if argument.default is not argument.empty}

    @property
    def required(self) -> list[str]:
        """Names of the parameters without a default."""
        return [name for name in self.names() if name not in self.optional]


def make_generator(name) -> Generator:
    """The generator of this name."""
    return registry.load("generators", name)
