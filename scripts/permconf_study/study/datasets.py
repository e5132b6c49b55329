"""Data sets: drawn by a generator with the parameters of a design, stored in files."""

import collections
import contextlib
import logging
import os
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from permconf.data.sample import Sample
from permconf.errors import SYSTEM_ERRORS, ConfigError
from permconf.generators import checked_sample, make_generator
from permconf.permute.random_streams import Streams
from permconf_study.study.tables import faults_named, written_whole

log = logging.getLogger("permconf")


@dataclass(frozen=True)
class Dataset:
    """One data set, or the error that prevented its simulation.

    Where it comes from a table, y and c hold row numbers, and `sample` the values of the rows once they are looked up.
    """

    number: int
    X: np.ndarray
    y: np.ndarray
    c: np.ndarray
    error: str = ""
    sample: Sample | None = None


def simulate(data, design, *, stream, seed):
    """Data sets for the rows of a design (mapping of columns). `stream` names their random streams."""
    names = [name for name in design if name != "dataset"]
    return [
        _simulated(data["generator"], {name: design[name][row] for name in names}, Streams(seed, stream, int(number)))
        for row, number in enumerate(design["dataset"])
    ]


def _simulated(name, parameters, streams):
    generator = make_generator(name)
    try:
        sample = generator.sample(streams.rng("data"), **parameters)
        return Dataset(streams.dataset, *checked_sample(sample, name, parameters.get("n")))
    except SYSTEM_ERRORS:
        raise
    except (Exception, SystemExit):
        log.exception("data set %d could not be simulated", streams.dataset)
        nothing = np.empty(0)
        return Dataset(streams.dataset, np.empty((0, 0)), nothing, nothing, traceback.format_exc())


def write_datasets(datasets, path):
    """Write data sets, concatenated in shared arrays."""
    made = [d for d in datasets if not d.error] or datasets
    arrays: dict[str, Any] = {
        "number": np.array([d.number for d in datasets]),
        "rows": np.array([len(d.y) for d in datasets]),
        "features": np.array([d.X.shape[1] for d in datasets]),
        "error": np.array([d.error for d in datasets]),
        "X": np.concatenate([d.X.ravel() for d in made]),  # the number of features may differ
        **{name: np.concatenate([getattr(d, name) for d in made]) for name in "yc"},
    }
    with written_whole(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **arrays)


def read_datasets(*paths):
    """Iterate over the data sets of files."""
    for path in paths:
        with faults_named(path), open(path, "rb") as file, np.load(file) as content:
            arrays = dict(content)
            X, y, c = (np.split(arrays[name], np.cumsum(sizes)[:-1]) for name, sizes in _sizes(arrays).items())
            made = zip(arrays["number"], X, arrays["features"], y, c, arrays["error"], strict=True)
            datasets = [Dataset(int(k), x.reshape(len(r), f), r, s, str(error)) for k, x, f, r, s, error in made]
        yield from datasets


def shared(path):
    """Make `path` another name (a hard link) of the same data sets of another scenario; the path of those, or None.

    The folder is named by the fingerprint of all that data sets depend on, and such files are never changed in place.
    """
    path = Path(path)
    if path.parents[1].name == "datasets":
        for other in sorted(path.parents[3].glob(f"*/datasets/{path.parent.name}/{path.name}")):
            with contextlib.suppress(OSError, ConfigError):  # one that is damaged, or on another disk
                collections.deque(read_datasets(other), maxlen=0)
                path.parent.mkdir(parents=True, exist_ok=True)
                os.link(other, path)
                return other
    return None


def _sizes(arrays):
    """Lengths of the parts of each array, one per data set."""
    rows = arrays["rows"]
    return {"X": rows * arrays["features"], "y": rows, "c": rows}
