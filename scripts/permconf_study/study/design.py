"""Parameter designs: one row of parameters per data set.

Ranges are covered by a Latin hypercube, optimised for the maximin distance unless the scenario chooses another. Designs
consist of blocks of BLOCK rows, each with its own hypercube and random stream: a study of N data sets uses the first N
rows, so a larger study contains a smaller one.
"""

import itertools
from pathlib import Path

import numpy as np

from permconf_study.study.chunks import BLOCK
from permconf_study.study.parameters import derived, hypercube_names
from permconf_study.study.tables import faults_named, read_columns


def design_block(data, block, streams):
    """Rows block * BLOCK onwards of a design, as a mapping of column names to arrays; `dataset` comes first.

    `data` is the data part of a scenario: `parameters` and optionally `rows`, `renormalise` and `hypercube`.
    """
    parameters, rows = data["parameters"], data.get("rows", [{}])
    dataset = np.arange(block * BLOCK, (block + 1) * BLOCK)
    columns = {"dataset": dataset}
    columns |= _random_columns(parameters, data.get("hypercube", "optimised"), streams)
    columns |= _values_columns(parameters, dataset // len(rows))
    for name, spec in parameters.items():
        if not isinstance(spec, dict):
            columns[name] = np.full(BLOCK, spec)
    columns |= _row_columns(rows, columns)
    for name, spec in parameters.items():
        if name not in columns:
            columns[name] = np.full(BLOCK, derived(spec, columns))
    names = data.get("renormalise", [])
    total = sum(columns[name] for name in names)
    columns |= {name: columns[name] / total for name in names}
    return {name: columns[name] for name in dict.fromkeys(("dataset", *parameters, *columns))}


def _random_columns(parameters, hypercube, streams):
    """Columns of the Latin hypercube (range, integers), and columns drawn independently (uniform)."""
    free = hypercube_names(parameters)
    unit = np.empty((BLOCK, 0))
    if free:
        from permconf_study.study.latin_hypercube import latin_hypercube  # slow to import, and few designs need it

        unit = latin_hypercube(BLOCK, len(free), kind=hypercube, rng=streams.rng("design"))
    columns = {}
    for name, u in zip(free, unit.T, strict=True):
        spec = parameters[name]
        if "integers" in spec:
            low, high = spec["integers"]
            columns[name] = low + np.floor(u * (high - low + 1)).astype(np.int64)
        else:
            low, high = spec["range"]
            columns[name] = low + u * (high - low)
    for name, spec in parameters.items():
        if isinstance(spec, dict) and "uniform" in spec:
            columns[name] = streams.rng(f"design/{name}").uniform(*spec["uniform"], size=BLOCK)
    return columns


def _values_columns(parameters, dataset):
    """Columns given by `values`: data sets take all combinations in turn."""
    given = {name: spec["values"] for name, spec in parameters.items() if isinstance(spec, dict) and "values" in spec}
    cells = list(itertools.product(*given.values()))
    return {name: np.array([cells[d % len(cells)][k] for d in dataset]) for k, name in enumerate(given)}


def _row_columns(rows, columns):
    """Columns given by `rows`, which data sets cycle through; a row without the name keeps the value in `columns`."""
    merged = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        given = [rows[d % len(rows)] for d in columns["dataset"]]
        merged[name] = np.array([row[name] if name in row else columns[name][i] for i, row in enumerate(given)])
    return merged


def read_design(path):
    """A block of a design as a mapping of columns; a damaged file is named.

    A block has the numbers of BLOCK data sets, by the name of its file, and nothing but finite numbers.
    """
    with faults_named(path):
        columns = read_columns(path)
        first = int(Path(path).stem) * BLOCK
        whole = np.array_equal(columns.get("dataset", []), np.arange(first, first + BLOCK))
        if not whole or not all(
            values.dtype.kind in "iuf" and np.isfinite(values).all() for values in columns.values()
        ):
            raise ValueError("not a block of a design")
    return columns
