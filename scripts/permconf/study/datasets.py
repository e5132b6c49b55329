"""Simulated data sets, drawn with the parameters of a design. None is stored: a data set can always be redrawn."""

import itertools
import logging
import traceback
from dataclasses import dataclass

import numpy as np

from permconf.generators import checked_sample, make_generator
from permconf.method.random_streams import Streams
from permconf.study.chunks import BLOCK
from permconf.study.design import design_block

log = logging.getLogger("permconf")


@dataclass(frozen=True)
class Dataset:
    """One simulated data set, or the error that prevented its simulation."""

    number: int
    X: np.ndarray
    y: np.ndarray
    c: np.ndarray
    error: str = ""


def scenario_datasets(data, numbers, *, seed):
    """The data sets of a scenario with these numbers (increasing), and their design as a mapping of columns.

    `data` is the data part of a scenario with the name of its random `stream`.
    """
    parts = []
    for block, of_block in itertools.groupby(numbers, lambda number: number // BLOCK):
        rows = [number % BLOCK for number in of_block]
        columns = design_block(data, block, Streams(seed, data["stream"], block))
        parts.append({name: column[rows] for name, column in columns.items()})
    design = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return design, simulate(data, design, stream=data["stream"], seed=seed)


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
    except Exception:
        log.exception("data set %d could not be simulated", streams.dataset)
        nothing = np.empty(0)
        return Dataset(streams.dataset, np.empty((0, 0)), nothing, nothing, traceback.format_exc())
