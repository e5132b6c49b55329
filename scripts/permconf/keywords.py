"""Keywords that people try from habit: a wrong one is answered by the right one, and `rng` works beside `seed`."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from permconf.errors import nearest

P = ParamSpec("P")
R = TypeVar("R")
MEANT = {
    "learner": ("estimator", "model", "clf", "classifier", "regressor"),
    "metric": ("scoring", "scorer", "metrics", "score"),
    "seed": ("random_state", "random_seed"),
    "response": ("target", "y", "outcome", "label", "labels", "Y"),
    "confounders": ("confounder", "confounds", "covariates", "c", "C", "Z"),
    "positive": ("pos_label", "positive_class", "pos"),
    "permutations": ("n_permutations", "n_resamples", "n_perm", "B", "b"),
    "cv": ("n_splits", "folds", "k"),
    "repeats": ("n_repeats",),
    "groups": ("subjects", "subject", "group", "cluster", "clusters"),
    "scores": ("predictions", "y_score", "y_pred", "y_prob", "proba"),
    "data": ("df", "table", "frame", "X"),
    "features": ("X", "columns", "predictors"),
    "progress": ("verbose",),
    "n_jobs": ("jobs", "workers"),
    "bootstrap": ("n_bootstrap", "n_boot"),
    "interval": ("confidence_level", "level", "alpha"),
}
NEVER = {"sample_weight": "rows cannot be weighted here; population= reweights them to a population of interest"}


def helpful(function: Callable[P, R]) -> Callable[P, R]:
    """The function; a keyword that it lacks raises a TypeError that names the right one.

    Where it takes `seed`, it takes `rng` as well: a whole number, a Generator, or None for another seed each time.
    """
    parameters = inspect.signature(function).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())

    @functools.wraps(function)
    def called(*given: P.args, **options: P.kwargs) -> R:
        if "rng" in options and "rng" not in parameters and (takes_any or "seed" in parameters):
            if "seed" in options:
                raise TypeError(f"{function.__name__}() takes seed or rng, not both")
            options["seed"] = _seed(options.pop("rng"))
        wrong = [] if takes_any else [name for name in options if name not in parameters]
        if wrong:
            raise TypeError(f"{function.__name__}() has no argument {wrong[0]!r}{_meant(wrong[0], parameters)}")
        return function(*given, **options)

    return called


def _meant(name, known):
    if name in NEVER:
        return f"; {NEVER[name]}"
    right = next((right for right, names in MEANT.items() if name in names and right in known), None)
    return f"; it is called {right!r} here" if right else nearest(name, known)


def _seed(rng: Any) -> Any:
    """A seed from a whole number, a Generator (which moves on) or None."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**31))
    return int(np.random.default_rng().integers(2**31)) if rng is None else rng
