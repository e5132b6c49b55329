"""Remains of interrupted runs: temporary files, and truncated files."""

import re
import zipfile
from pathlib import Path

MADE_BY_JOBS = ("*/chunks/*/*.parquet", "*/datasets/*/*.npz")
TEMPORARY = re.compile(r"\..+\.\d+\.\w+")  # names of files that are being written (study/tables.py)


def remove(results):
    """Remove remains below a folder of results in which no job is running; returns the truncated files among them."""
    results = Path(results)
    hidden = [path for pattern in (".*", "*/.*", "*/*/.*", "*/*/*/.*") for path in results.glob(pattern)]
    temporary = [path for path in hidden if path.is_file() and TEMPORARY.fullmatch(path.name)]
    damaged = [path for pattern in MADE_BY_JOBS for path in results.glob(pattern) if not is_whole(path)]
    for path in (*temporary, *damaged):
        path.unlink(missing_ok=True)
    return damaged


def announce(results):
    """Remove remains, and print which files will be computed again."""
    for path in remove(results):
        print(f"{path} was truncated and will be recomputed.")


def is_whole(path):
    """Whether a file is complete: Parquet and npz files have their table of contents at the end."""
    import pyarrow as pa
    from pyarrow import parquet

    if path.suffix == ".npz":
        return zipfile.is_zipfile(path)
    try:
        parquet.read_metadata(path)
    except pa.ArrowInvalid:
        return False
    return True
