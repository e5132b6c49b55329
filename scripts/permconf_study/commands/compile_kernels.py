"""Compile every kernel into numba's cache, and keep the bytecode of modules, so that no job has to compile."""

import importlib
import pkgutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from permconf import algorithm2, assess, conditional_shuffle, metric_values, prediction_test, reweighted_metric
from permconf.compiling import ANNOUNCEMENT
from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.engine.contracts import make_learner
from permconf.permute.conditional import ConditionalShuffle
from permconf_study.study.latin_hypercube import latin_hypercube

_SCRIPTS = Path(__file__).parents[2]


def compile_kernels(*, processes=1):
    """Compile the kernels that have changed; with two processes, that of the forests (half of the time) by itself."""
    _remove_outdated()
    parts = (_forests, _others, _bytecode)
    if processes == 1:
        for part in parts:
            part()
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(part) for part in parts]:
            done.result()


def _remove_outdated():
    """Empty numba's cache if any kernel is newer: numba looks at the file of a kernel only, not at what it calls."""
    newest = max(path.stat().st_mtime for path in _SCRIPTS.rglob("*.py") if "numba" in path.read_text())
    for index in _SCRIPTS.rglob("__pycache__/*.nbi"):
        if index.stat().st_mtime < newest:
            index.unlink()


def _bytecode():
    """Import what the steps of a study import: Python keeps the bytecode, so that they start faster."""
    walked = [
        module.name
        for package in ("permconf", "permconf_study")
        for module in pkgutil.walk_packages([str(_SCRIPTS / package)], f"{package}.")
    ]
    names = [name for name in walked if not name.endswith("__main__")]
    for name in ("snakemake.cli", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf", *names):
        importlib.import_module(name)


def _forests():
    ANNOUNCEMENT.dots = True
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40, dtype=np.uint8) % 2
    make_learner({"name": "random_forest", "trees": 2}).scores(X, y[:, None], X, np.zeros(1, np.uint64))


def _others():
    """Run each kernel once on a tiny problem, with the types that a study uses."""
    ANNOUNCEMENT.dots = True
    rng = np.random.default_rng(0)
    latin_hypercube(10, 3, rng=rng)
    X, c = rng.standard_normal((40, 3)), np.arange(40) % 2
    y = (X[:, 0] + rng.standard_normal(40) > 0).astype(np.uint8)
    value = X[:, 0] + rng.standard_normal(40)
    pairs: list = [("logistic", "auc", y), ("linear_regression", "mse", value), ("feature", "correlation", value)]
    pairs.append(("feature", "auc", y))  # scores that are views
    for learner, metric, response in pairs:
        parts = X[:20], response[:20], c[:20], X[20:], response[20:], c[20:]
        assess(*parts, learner=learner, metric=metric, seed=0)
        algorithm2(*parts, learner=learner, metric=metric, shuffles=2, inner=2, seed=0)
        conditional_shuffle(response, X[:, 1], 2, rng=rng)
    conditional_shuffle(np.arange(40) % 3, X[:, 1], 2, rng=rng)
    ConditionalShuffle.of(Response.of(y), Confounders.of(X[:, 1]), np.zeros(2, np.uint64), keep_fit=True)
    reweighted_metric(y, X[:, 0], c, bootstrap=2)
    halves = X[:20], y[:20], c[:20], X[20:], y[20:], c[20:]
    for adjustment in ("weighting", "resampling"):
        assess(*halves, adjustment=adjustment, permutations=2, seed=0)
    prediction_test(X[:, 0], y, np.column_stack([c, np.arange(40) % 3]), permutations=2)
    three = np.arange(40) % 3
    metric_values(X[:20], y[:20], X[20:], y[20:], metric="average_precision")
    metric_values(X[:20], three[:20], X[20:], three[20:], metric="log_loss")


if __name__ == "__main__":
    compile_kernels(processes=2)
    print(" done", file=sys.stderr)
