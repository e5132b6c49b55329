"""Tables of a run. Files are written under a temporary name and renamed, so they are complete or absent."""

import contextlib
import json
import os
import zipfile
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from permconf.errors import ConfigError

VALUES = 2**20  # of a table that are written at a time
_carried: ContextVar[dict | None] = ContextVar("carried", default=None)


@contextlib.contextmanager
def carry(metadata):
    """Let Parquet tables that are written in this block carry what made them."""
    token = _carried.set({b"permconf": json.dumps(metadata).encode()})
    try:
        yield
    finally:
        _carried.reset(token)


@contextlib.contextmanager
def written_whole(path):
    """A temporary path next to `path`, renamed to `path` when the block ends without error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())  # otherwise a crash could keep the name and lose the content
        temporary.replace(path)
    except OSError as error:
        if error.filename is None or Path(error.filename) == temporary:
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_table(columns, path):
    """Write a mapping of columns (or an Arrow table) as CSV or Parquet, by the suffix of `path`."""
    import pyarrow as pa

    with appended(path) as append:
        append(pa.table(columns))


@contextlib.contextmanager
def appended(path):
    """A function that appends Arrow tables to a new CSV or Parquet file, with a limited number of values in memory.

    The bytes of the file do not depend on how its rows are divided among the tables.
    """
    with written_whole(path) as temporary, contextlib.ExitStack() as file:
        waiting: list[Any] = []
        writers: list[Any] = []
        schemas: list[Any] = []

        def write(rows):
            """Write the waiting rows in tables of `rows` rows, as far as they go."""
            import pyarrow as pa

            table = pa.concat_tables(waiting).combine_chunks()
            while table.num_rows >= max(rows, 1):
                writers[0].write_table(table.slice(0, rows))
                table = table.slice(rows)
            waiting[:] = [table]

        def append(table):
            if not writers:
                carried = (table.schema.metadata or {}) | (_carried.get() or {})
                schemas.append(table.schema.with_metadata(carried or None))
                writers.append(file.enter_context(_writer(temporary, schemas[0])))
            waiting.append(table.cast(schemas[0]))
            rows = VALUES // table.num_columns
            if sum(part.num_rows for part in waiting) >= rows:
                write(rows)

        yield append
        if waiting:
            write(sum(part.num_rows for part in waiting))


def _writer(path, schema):
    from pyarrow import csv, parquet

    if str(path).endswith(".csv"):
        return csv.CSVWriter(path, schema, write_options=csv.WriteOptions(quoting_style="needed"))
    return parquet.ParquetWriter(path, schema, write_page_checksum=True)


class DamagedFile(ConfigError):
    """What a file holds is not what was written. Readers never delete it: the step that needs it does."""

    def __init__(self, path, again):
        super().__init__(f"{path} is damaged; delete it and run: {again}")
        self.path = str(path)


@contextlib.contextmanager
def faults_named(path, again="permconf run"):
    """Name a file that is missing, or turns out to be damaged while a block reads it, and the command that makes it."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, NotImplementedError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            raise ConfigError(f"{path} does not exist; run: {again}") from error
        if getattr(error, "errno", None) or isinstance(error, ConfigError):  # the disk is at fault, or it is named
            raise
        raise DamagedFile(path, again) from error


def read_table(path, needed=()):
    """A CSV or Parquet file as a data frame; without one of the needed columns it is damaged."""
    import pandas as pd

    with faults_named(path, _command_for(path)):
        table = pd.read_csv(path) if str(path).endswith(".csv") else read_arrow(path).to_pandas()
        _check_columns(table, needed)
        return table


def _command_for(path):
    folder, results, name = str(path).rpartition("results/")
    return f"permconf run {results}{name}" + (f" --directory {folder}" if folder else "")


def _check_columns(table, needed):
    for name in needed:
        if name not in table:
            raise KeyError(name)


def read_arrow(path):
    """A CSV or Parquet file as an Arrow table."""
    from pyarrow import csv, parquet

    if str(path).endswith(".csv"):
        return csv.read_csv(path)
    return parquet.read_table(path, page_checksum_verification=True)


def read_columns(path, needed=()):
    """A CSV or Parquet file as a mapping of columns, without pandas; needed ones as above."""
    with faults_named(path, _command_for(path)):
        table = read_arrow(path)
        columns = {name: table[name].to_numpy() for name in table.column_names}
        _check_columns(columns, needed)
        return columns


def step_times(folder):
    """Path and seconds of every benchmark file below a folder."""
    for path in Path(folder).rglob("*.tsv"):
        lines = path.read_text().splitlines()
        if len(lines) > 1:
            yield path, float(lines[1].split("\t")[0])


def read_plan(path):
    """The plans written by `permconf plan`, by scenario; empty before the first plan."""
    import yaml

    if not Path(path).exists():
        return {}
    try:
        plans = yaml.safe_load(Path(path).read_text()) or {}
    except (yaml.YAMLError, UnicodeDecodeError):
        plans = None
    if not (isinstance(plans, dict) and all(map(_is_plan, plans.values()))):
        raise ConfigError(f"{path} is not a plan; delete it and run: permconf plan SCENARIO")
    return plans


def _is_plan(plan):
    return isinstance(plan, dict) and all(isinstance(value, int | float) for value in plan.values())
