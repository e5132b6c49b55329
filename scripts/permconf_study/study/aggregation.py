"""The tables of a scenario, made from the blocks of its design and the files of its chunks in bounded memory."""

import contextlib
from pathlib import Path

import pyarrow as pa

from permconf.errors import ConfigError
from permconf_study.study.chunk_files import chunk_draws, chunk_tests
from permconf_study.study.design import read_design
from permconf_study.study.fingerprints import table_metadata
from permconf_study.study.rejection_rates import RejectionCounts
from permconf_study.study.tables import appended, faults_named, read_arrow, write_table


def aggregate(design, chunks, output, *, datasets, alphas, max_failed):
    """Write the tables of a scenario, one block of its design or one chunk in memory at a time; returns the failures.

    `output` has the paths `design`, `tests`, `draws` and `curves`. Nothing is written if more than a share `max_failed`
    of the data sets failed, or if chunks were made in different ways.
    """
    check_unmixed(chunks)
    counts, failures = RejectionCounts(alphas), Failures()
    with contextlib.ExitStack() as files:
        append = {name: files.enter_context(appended(getattr(output, name))) for name in ("design", "tests", "draws")}
        for path in design:
            block = pa.table(read_design(path))
            append["design"](block.slice(0, datasets - block["dataset"][0].as_py()))
        for path in chunks:
            with faults_named(path):
                chunk = read_arrow(path)
            counts.add(chunk)
            failures.add(chunk)
            append["tests"](chunk_tests(chunk))
            append["draws"](chunk_draws(chunk))
        failures.check(max_failed)
    write_table(counts.curves(), output.curves)
    return failures


def check_unmixed(chunks):
    """Raise if a chunk was not made with the fingerprint in its path, and name all such chunks."""
    foreign = []
    for path in map(Path, chunks):
        with faults_named(path):
            if table_metadata(path).get("fingerprint") != path.parent.name:
                foreign.append(path.name)
    if foreign:
        raise ConfigError(
            f"{Path(chunks[0]).parent} has chunks that other settings or code made ({', '.join(foreign)}); delete them"
            " and run again"
        )


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
