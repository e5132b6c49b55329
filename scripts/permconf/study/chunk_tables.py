"""The file of a chunk, and the tables of a scenario made from the files of its chunks.

A chunk is one Parquet file with a row for each data set and metric: the columns of the table of tests, and lists of
draws (`draws.restricted`) if the scenario keeps them.
"""

import contextlib

import numpy as np
import pyarrow as pa

from permconf.study.design import read_design
from permconf.study.rejection_rates import RejectionCounts
from permconf.study.tables import appended, damage_removed, read_arrow, write_table

DRAWS = "draws."
DRAW_COLUMNS = pa.schema({"dataset": pa.int64(), "metric": pa.string(), "null": pa.string(), "value": pa.float64()})


def chunk_table(tests, draws):
    """One table from the tests of a chunk and its draws in long form (mappings of columns)."""
    return pa.table(dict(tests) | _nested(tests, draws))


def _nested(tests, draws):
    """Draws in long form as one list per row of the tests, for each kind of null."""
    values: dict = {}
    for dataset, metric, null, value in zip(*draws.values(), strict=True):
        values.setdefault((dataset, metric, null), []).append(value)
    pairs = list(zip(tests["dataset"], tests["metric"], strict=True))
    return {
        f"{DRAWS}{null}": pa.array([values.get((*pair, null)) for pair in pairs], pa.list_(pa.float64()))
        for null in dict.fromkeys(null for *_, null in values)
    }


def chunk_tests(chunk):
    """The table of tests in the table of a chunk."""
    return chunk.select([name for name in chunk.column_names if not name.startswith(DRAWS)])


def chunk_draws(chunk):
    """The draws in the table of a chunk, in long form."""
    nulls = {n.removeprefix(DRAWS): chunk[n].to_pylist() for n in chunk.column_names if n.startswith(DRAWS)}
    pairs = zip(chunk["dataset"].to_pylist(), chunk["metric"].to_pylist(), strict=True)
    parts = [(*pair, null, lists[k]) for k, pair in enumerate(pairs) for null, lists in nulls.items() if lists[k]]
    sizes = [len(part[-1]) for part in parts]
    columns = [np.repeat(np.array([part[k] for part in parts], object), sizes) for k in range(3)]
    values = np.concatenate([part[-1] for part in parts]) if parts else np.empty(0)
    return pa.table([*columns, values], schema=DRAW_COLUMNS)


def aggregate(design, chunks, output, *, datasets, alphas, max_failed):
    """Write the tables of a scenario, one block of its design or one chunk in memory at a time; returns the failures.

    `output` has the paths `design`, `tests`, `draws` and `curves`. Nothing is written if more than a share `max_failed`
    of the data sets failed.
    """
    counts, failures = RejectionCounts(alphas), Failures()
    with contextlib.ExitStack() as files:
        append = {name: files.enter_context(appended(getattr(output, name))) for name in ("design", "tests", "draws")}
        for path in design:
            block = pa.table(read_design(path))
            append["design"](block.slice(0, datasets - block["dataset"][0].as_py()))
        for path in chunks:
            with damage_removed(path):
                chunk = read_arrow(path)
            counts.add(chunk)
            failures.add(chunk)
            append["tests"](chunk_tests(chunk))
            append["draws"](chunk_draws(chunk))
        failures.check(max_failed)
    write_table(counts.curves(), output.curves)
    return failures


class Failures:
    """The data sets of a scenario that failed, with their errors."""

    def __init__(self):
        self.datasets = 0
        self.errors = {}

    def add(self, chunk):
        """Count the data sets of a chunk."""
        errors = dict.fromkeys(chunk["dataset"].to_pylist(), "")
        self.datasets += len(errors)
        for dataset, error in zip(chunk["dataset"].to_pylist(), chunk["error"].to_pylist(), strict=True):
            if error:
                self.errors.setdefault(dataset, error)

    def check(self, max_failed):
        """Raise if more than a share `max_failed` of the data sets failed, with the first of them and its error."""
        if len(self.errors) > max_failed * self.datasets:
            dataset, error = next(iter(self.errors.items()))
            raise TooManyFailures(len(self.errors), self.datasets, max_failed, dataset, error)


class TooManyFailures(Exception):
    """More data sets failed than the settings allow."""

    def __init__(self, failed, datasets, max_failed, dataset, error):
        super().__init__(failed, datasets, max_failed, dataset, error)
        self.dataset = dataset

    def __str__(self):
        failed, datasets, max_failed, dataset, error = self.args
        return (
            f"{failed} of {datasets} data sets failed, more than max_failed = {max_failed};"
            f" the first is data set {dataset}: {error}"
        )
