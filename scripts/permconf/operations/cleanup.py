"""What an interrupted run may leave behind: temporary files, and files that were cut off by something else."""

import zipfile
from pathlib import Path

MADE_BY_JOBS = ("*/chunks/*.parquet", "*/datasets/*.npz")


def remove(results):
    """Remove remains below a folder of results where no job writes now; returns the damaged files among them."""
    results = Path(results)
    found = [path for pattern in MADE_BY_JOBS for path in results.glob(pattern)]
    temporary = [path for path in found if path.name.startswith(".")]
    damaged = [path for path in found if path not in temporary and not is_whole(path)]
    for path in (*temporary, *damaged):
        path.unlink()
    return damaged


def is_whole(path):
    """Whether a file has its end, where Parquet and npz files keep their table of contents."""
    import pyarrow as pa
    from pyarrow import parquet

    if path.suffix == ".npz":
        return zipfile.is_zipfile(path)
    try:
        parquet.read_metadata(path)
    except pa.ArrowInvalid:
        return False
    return True
