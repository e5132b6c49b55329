"""Tables and logs of a run. Files are written under a temporary name and renamed, so they are complete or absent."""

import contextlib
import logging
import os
import time
from pathlib import Path

log = logging.getLogger("permconf")


@contextlib.contextmanager
def logged(path, what):
    """Log to `path` while a step runs, with its duration or its error."""
    logging.basicConfig(filename=path, filemode="w", level=logging.INFO, format="%(asctime)s %(message)s", force=True)
    log.info("%s: started", what)
    start = time.perf_counter()
    try:
        yield log
    except BaseException:
        log.exception("%s: failed", what)
        raise
    log.info("%s: done in %.2f s, %.2f s of processor time", what, time.perf_counter() - start, time.process_time())


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
    finally:
        temporary.unlink(missing_ok=True)


def write_table(columns, path):
    """Write a mapping of columns (or an Arrow table) as CSV or Parquet, by the suffix of `path`."""
    import pyarrow as pa

    table = pa.table(columns)
    with written_whole(path) as temporary:
        if str(path).endswith(".csv"):
            from pyarrow import csv

            csv.write_csv(table, temporary, csv.WriteOptions(quoting_style="needed"))
        else:
            from pyarrow import parquet

            parquet.write_table(table, temporary, write_page_checksum=True)


def read_table(path):
    """A CSV or Parquet file as a data frame."""
    import pandas as pd

    return pd.read_csv(path) if str(path).endswith(".csv") else pd.read_parquet(path)


def read_arrow(path):
    """A CSV or Parquet file as an Arrow table."""
    from pyarrow import csv, parquet

    if str(path).endswith(".csv"):
        return csv.read_csv(path)
    return parquet.read_table(path, page_checksum_verification=True)


def read_columns(path):
    """A CSV or Parquet file as a mapping of columns, without pandas."""
    table = read_arrow(path)
    return {name: table[name].to_numpy() for name in table.column_names}


def step_times(folder):
    """Path and seconds of every benchmark file below a folder."""
    for path in Path(folder).rglob("*.tsv"):
        lines = path.read_text().splitlines()
        if len(lines) > 1:
            yield path, float(lines[1].split("\t")[0])


def read_plan(path):
    """The plans written by `permconf plan`, by scenario; empty before the first plan."""
    import yaml

    return (yaml.safe_load(Path(path).read_text()) or {}) if Path(path).exists() else {}


def concatenate(paths):
    """The rows of several tables with the same columns; a damaged file is removed and named."""
    import pyarrow as pa

    tables = []
    for path in paths:
        try:
            tables.append(read_arrow(path))
        except (pa.ArrowInvalid, OSError) as error:
            if isinstance(error, FileNotFoundError) or getattr(error, "errno", None):  # the file system is at fault
                raise
            raise removed(path) from error
    return pa.concat_tables(tables)


def removed(path):
    """Remove a damaged file, so that the next run recreates it; returns the error to raise."""
    Path(path).unlink(missing_ok=True)
    return ValueError(f"{path} was damaged and has been removed; run again to recreate it")
