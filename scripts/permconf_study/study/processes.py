"""The processes of a run: one head process per folder at a time, whose steps end with it."""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import sys
import time
from pathlib import Path

from permconf.errors import ConfigError

HELD = "PERMCONF_FOLDER_IS_HELD"  # in the environment of a Snakemake whose parent process holds the lock


def end_with_parent(number=signal.SIGKILL):
    """On Linux, send this process a signal when the process that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, int(number))


def cores():
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class FolderInUse(ConfigError):
    """Another run is active in the folder; the message is one sentence."""


@contextlib.contextmanager
def held(folder, *, patience=10.0):
    """Hold the lock of a folder in this block; yields its file and who held it when an earlier run was killed.

    The lock is the operating system's and ends with the process. A run about to end is waited for, `patience` seconds.
    """
    path = lock_path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as file:
        deadline = time.monotonic() + patience
        while not locked(file):
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


def locked(file):
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
