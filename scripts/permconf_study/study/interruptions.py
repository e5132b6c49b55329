"""What keeps finished and unfinished files apart, whenever and however a run is interrupted.

- One run at a time has a folder: a lock of the operating system, which ends with the process that holds it.
- Snakemake's own lock files outlive a killed run. Whoever has the lock removes them.
- A file made from a file that no longer exists is unfinished. Snakemake alone would not notice if nothing else changed.
- Results whose records are lost (a deleted .snakemake) are unfinished: nobody knows from which settings they were made.
- Files from the future are given the present time (a clock that was wrong, or files of another machine).
- The process of a step ends with the process that started it (processes.py): nothing is written after a run has ended.
"""

import contextlib
import fcntl
import json
import os
import socket
import time
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path

from permconf.errors import ConfigError

LONGEST_NAME = 255  # of a file; no result has one that is longer
HELD = "PERMCONF_FOLDER_IS_HELD"  # in the environment of a Snakemake whose parent process holds the lock


class FolderInUse(ConfigError):
    """Another run is active in the folder; the message is one sentence."""


@contextlib.contextmanager
def held(folder, *, patience=10.0):
    """Hold the lock of a folder in this block; yields its file and who held it when an earlier run was killed.

    A run that is about to end is waited for, `patience` seconds at most.
    """
    path = lock_path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as file:
        deadline = time.monotonic() + patience
        while not _locked(file):
            if time.monotonic() > deadline:
                raise FolderInUse(f"a run in this folder is still active ({path.read_text().strip() or 'unknown'})")
            time.sleep(0.2)
        file.seek(0)
        before = file.read().strip()
        _sign(file, f"process {os.getpid()} on {socket.gethostname()}\n")
        try:
            yield file, before
        finally:  # not reached by a run that is killed
            _sign(file, "")


def lock_path(folder):
    """The lock file of a folder, which exists where there has been a run."""
    return Path(folder, ".snakemake", "permconf.lock")


def _locked(file):
    """Whether the lock of a file could be taken; a file system without locks has none to take."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _sign(file, text):
    file.truncate(0)
    file.write(text)
    file.flush()


def put_in_order(folder="."):
    """Prepare the folder of a run before Snakemake looks at it: no stale locks, unfinished files marked.

    Returns the open lock file, which this process holds to its end; None if another process holds it.
    """
    bring_to_the_present(folder)
    mark_unfinished(folder)
    file = None
    if HELD not in os.environ:
        lock_path(folder).parent.mkdir(parents=True, exist_ok=True)
        file = open(lock_path(folder), "a+")  # noqa: SIM115 - stays open until this process ends
        if not _locked(file):
            file.close()
            return None
    for lock in Path(folder, ".snakemake", "locks").glob("*.lock"):
        lock.unlink(missing_ok=True)
    return file


def bring_to_the_present(folder):
    """Give files whose time is in the future (another clock wrote or copied them) the present time.

    Snakemake takes what is made from them for older than they are, and deletes it, until that time has come.
    """
    now = time.time()
    for path in _made(folder):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # another run's, or not to be written
            if path.stat().st_mtime > now:
                os.utime(path, (now, now))


def mark_unfinished(folder):
    """Mark files that were made from files that no longer exist, so that Snakemake makes them again when asked;
    without any records, all results.

    A failed step loses its output, and with it the reason to repeat the steps after it: to Snakemake, a missing file
    in the middle is no reason to repeat a later step whose output is newer than everything that is left.
    """
    state, present = Path(folder, ".snakemake"), cache(lambda path: Path(folder, path).exists())
    records = [path for path in (state / "metadata").rglob("*") if path.is_file()]
    unfinished = [path.relative_to(state / "metadata") for path in records if not all(map(present, _inputs(path)))]
    for record in unfinished if records else _unrecorded(folder):
        marker = state / "incomplete" / record
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(json.dumps({"external_jobid": None}))


def _unrecorded(folder):
    """The names that Snakemake's records of all results and figures would have."""
    for path in _made(folder):
        name = urlsafe_b64encode(str(path.relative_to(folder)).encode()).decode()
        if len(name) < LONGEST_NAME:
            yield Path(name)


def _made(folder):
    """All files of results and figures."""
    return (path for kind in ("results", "figures") for path in Path(folder, kind).rglob("*") if path.is_file())


def _inputs(record):
    """The files that a file was made from, by Snakemake's record of it; a damaged record counts as a missing file."""
    try:
        return json.loads(record.read_text()).get("input") or []
    except (ValueError, AttributeError):
        return [f"{record} is damaged"]
