"""Generators: one file each. A generator draws one data set (X, y, c) from its parameters.

A file has the name of its generator and defines `GENERATOR = Generator(sample)`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from permconf import registry
from permconf.engine.plugin_results import check_finite

Sample = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Generator:
    """A data-generating model.

    `sample(rng, *, ...)` returns features (n, p), response (n,) and confounder (n,). Its keyword arguments are the
    parameters; those with a default are optional. `probabilities` names the parameters that must be probabilities with
    sum 1.

    `worlds` has samplers of the same model in other worlds, by name, which take the same parameters and `n`. In the
    world "unconfounded", response and confounder are independent, or the confounder does not act on the features: the
    truth of a metric is measured there. Studies can know more worlds: in "reversed" their association has the opposite
    sign, in "unacting" the confounder does not act on the features, and in "ideal" it is independent as well.
    """

    sample: Callable[..., Sample]
    task: str = "classification"
    probabilities: tuple[str, ...] = ()
    worlds: Mapping[str, Callable[..., Sample]] = field(default_factory=dict)

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


def changed(sample: Callable[..., Sample], change: Callable[[dict], dict]) -> Callable[..., Sample]:
    """A sampler of another world: `change` maps all parameters, also defaults, to those that are different there."""
    defaults = Generator(sample).optional
    return lambda rng, **parameters: sample(rng, **parameters | change(defaults | parameters))


def times(factor: float, *names: str) -> Callable[[dict], dict]:
    """A change of parameters: those with these names are multiplied by `factor`."""
    return lambda parameters: {name: factor * parameters[name] for name in names if name in parameters}


def checked_sample(sample: Any, name: str, n: int | None = None) -> Sample:
    """What generator `name` drew, or a ValueError unless it is features, response and confounder of the same n rows."""
    what = f"generator {name!r} gave"
    if not isinstance(sample, tuple) or len(sample) != 3:
        raise ValueError(f"{what} {type(sample).__name__} where a tuple (X, y, c) is needed")
    X, y, c = (np.asarray(part) for part in sample)
    if X.ndim != 2 or y.ndim != 1 or c.ndim not in (1, 2):
        raise ValueError(f"{what} X, y and c of shapes {X.shape}, {y.shape} and {c.shape}")
    if not len(X) == len(y) == len(c) or (n is not None and len(y) != n):
        needed = "" if n is None else f" where {n} are needed"
        raise ValueError(f"{what} X, y and c with {len(X)}, {len(y)} and {len(c)} rows{needed}")
    for part, array, kinds in (("X", X, "biuf"), ("y", y, "biufUS"), ("c", c, "biufUS")):
        if array.dtype.kind not in kinds:
            raise ValueError(
                f"{what} {part} of type {array.dtype}; give {'numbers' if part == 'X' else 'numbers or text'}"
            )
        if array.dtype.kind == "f":
            check_finite(array, f"{what} {part} with numbers")
    return X, y, c


def make_generator(name) -> Generator:
    """The generator of this name."""
    return registry.loaded("generators", name, Generator)
