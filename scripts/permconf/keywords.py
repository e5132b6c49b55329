"""Keywords that people try from habit: a wrong one is answered by the right one, and `rng` works as well as `seed`."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from permconf.errors import habit

P = ParamSpec("P")
R = TypeVar("R")


def helpful(function: Callable[P, R]) -> Callable[P, R]:
    """The function; a keyword that it lacks raises a TypeError that names the right one.

    `rng` (a whole number, a Generator, or None for another seed each time) and `seed` stand for each other.
    """
    parameters = inspect.signature(function).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())

    @functools.wraps(function)
    def called(*given: P.args, **options: P.kwargs) -> R:
        if {"seed", "rng"} <= options.keys() and (takes_any or parameters.keys() & {"seed", "rng"}):
            raise TypeError(f"{function.__name__}() takes seed or rng, not both")
        if "rng" in options and "rng" not in parameters and (takes_any or "seed" in parameters):
            options["seed"] = _seed(options.pop("rng"))
        if "seed" in options and "rng" in parameters:
            options["rng"] = options.pop("seed")
        wrong = [] if takes_any else [name for name in options if name not in parameters]
        if wrong:
            raise TypeError(f"{function.__name__}() has no argument {wrong[0]!r}{habit(wrong[0], parameters)}")
        return function(*given, **options)

    return called


def _seed(rng: Any) -> Any:
    """A seed from a whole number, a Generator (which moves on) or None."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**31))
    return int(np.random.default_rng().integers(2**31)) if rng is None else rng
