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
    """Compile the kernels that have changed; two processes have about as much to do."""
    _remove_outdated()
    parts = (_fits_and_permutations, _apart, _bytecode)
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


def _data():
    """A tiny problem, with the types that a study uses: features, classes, numbers and a confounder."""
    ANNOUNCEMENT.dots = True
    rng = np.random.default_rng(0)
    X, c = rng.standard_normal((40, 3)), np.arange(40) % 2
    return X, (X[:, 0] + rng.standard_normal(40) > 0).astype(np.uint8), X[:, 0] + rng.standard_normal(40), c


def _fits_and_permutations():
    """What calls logistic regression, the AUC or the shuffles."""
    X, y, value, c = _data()
    pairs: list = [("logistic", "auc", y), ("linear_regression", "mse", value), ("feature", "correlation", value)]
    pairs.append(("feature", "auc", y))  # scores that are views
    for learner, metric, response in pairs:
        parts = X[:20], response[:20], c[:20], X[20:], response[20:], c[20:]
        assess(*parts, learner=learner, metric=metric, seed=0)
        algorithm2(*parts, learner=learner, metric=metric, shuffles=2, inner=2, seed=0)
    reweighted_metric(y, X[:, 0], c, bootstrap=2)
    halves = X[:20], y[:20], c[:20], X[20:], y[20:], c[20:]
    for adjustment in ("weighting", "resampling"):
        assess(*halves, adjustment=adjustment, permutations=2, seed=0)
    metric_values(X[:20], y[:20], X[20:], y[20:], metric="average_precision")


def _apart():
    """What calls none of these: forests, several classes, conditional permutations, designs, tests of predictions."""
    X, y, value, c = _data()
    three, rng = np.arange(40) % 3, np.random.default_rng(0)
    make_learner({"name": "random_forest", "trees": 2}).scores(X, y[:, None], X, np.zeros(1, np.uint64))
    metric_values(X[:20], three[:20], X[20:], three[20:], metric="log_loss")
    for response in (y, value, three):
        conditional_shuffle(response, X[:, 1], 2, rng=rng)
    ConditionalShuffle.of(Response.of(y), Confounders.of(X[:, 1]), np.zeros(2, np.uint64), keep_fit=True)
    prediction_test(X[:, 0], y, np.column_stack([c, three]), permutations=2)
    latin_hypercube(10, 3, rng=rng)


if __name__ == "__main__":
    compile_kernels(processes=2)
    print(" done", file=sys.stderr)
