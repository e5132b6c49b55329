"""Remains of interrupted runs: temporary files, and truncated files."""

from pathlib import Path

MADE_BY_JOBS = ("*/chunks/*.parquet",)


def remove(results):
    """Remove remains below a folder of results in which no job is running; returns the truncated files among them."""
    results = Path(results)
    found = [path for pattern in MADE_BY_JOBS for path in results.glob(pattern)]
    temporary = [path for path in found if path.name.startswith(".")]
    damaged = [path for path in found if path not in temporary and not is_whole(path)]
    for path in (*temporary, *damaged):
        path.unlink()
    return damaged


def is_whole(path):
    """Whether a file is complete: a Parquet file has its table of contents at the end."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        parquet.read_metadata(path)
    except pa.ArrowInvalid:
        return False
    return True
