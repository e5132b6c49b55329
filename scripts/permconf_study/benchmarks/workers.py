"""Competitors in processes of their own, R and mlconfound: they load the data once, and time what they are asked to."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from permconf_study.benchmarks.measuring import Contender

R_SCRIPT, SCRIPT = (Path(__file__).with_name(name) for name in ("competitors.R", "timed_calls.py"))
R_METHODS = {"logistic": {"glm": 20}, "random_forest": {"randomForest": 2, "ranger": 2}}  # and permutations of a round
MLCONFOUND_PERMUTATIONS = 1_000  # its default
_MLCONFOUND_ENVIRONMENT = "results/stress/mlconfound_environment"
_THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS")}
_MLCONFOUND_VERSIONS = "from importlib.metadata import version as v; print('mlconfound', v('mlconfound'))"


def r_versions():
    """Versions of R and its packages, or None if one of them is not installed."""
    return _said("Rscript", R_SCRIPT)


def mlconfound_python():
    """Python of an environment with mlconfound, and its version; (None, None) if there is none."""
    for python in (f"{_MLCONFOUND_ENVIRONMENT}/bin/python", sys.executable):
        if version := _said(python, "-c", _MLCONFOUND_VERSIONS):
            return python, version
    return None, None


def _said(program, *arguments):
    if shutil.which(program) is None:
        return None
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


@contextmanager
def r_worker(task):
    """A function that gives the contenders in R for a learner on this problem."""
    X_train, _, _, X_test, _, _ = task.sets
    arrays = {"X_train": X_train, "X_test": X_test, "Y_train": task.Y_train, "Y_test": task.Y_test}
    with _worker(["Rscript", R_SCRIPT], arrays) as contender:
        yield lambda learner: [contender(f"R {m}", m, b) for m, b in R_METHODS.get(learner, {}).items()]


@contextmanager
def mlconfound_worker(python, y, yhat, c):
    """The partial confounder test of mlconfound as a contender."""
    with _worker([python, "-P", SCRIPT], {"y": y, "yhat": yhat, "c": c}) as contender:
        yield contender("mlconfound", "partial", MLCONFOUND_PERMUTATIONS)


@contextmanager
def revision_worker(name, scripts, task):
    """A function that gives a call of `timed_calls` with b permutations, by the code in a folder."""
    arrays = {"X": task.X, "y": task.y, "c": task.c}
    with _worker([sys.executable, SCRIPT], arrays, PYTHONPATH=str(scripts)) as contender:
        yield partial(contender, name)


@contextmanager
def _worker(command, arrays, **variables):
    """A function of name, method and permutations that gives contenders.

    They are timed by a process that gets a folder of arrays, and answers lines with JSON until its input ends.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            np.savetxt(Path(folder, f"{name}.csv"), array, delimiter=",")
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        with subprocess.Popen([*command, folder], env=os.environ | _THREADS | variables, **pipes) as process:
            yield lambda name, method, b: Contender(name, partial(_timed, process, method), b)


def _timed(process, method, b):
    process.stdin.write(f"{method} {b}\n")
    if not (line := process.stdout.readline()):
        raise RuntimeError(f"{process.args[0]} ended with an error when asked for '{method} {b}'")
    answer = json.loads(line)
    return answer["seconds"], answer["values"]
