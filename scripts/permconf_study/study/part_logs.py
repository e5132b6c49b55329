"""Logs and times of steps.

A scenario has thousands of parts (blocks of its design, chunks of its data sets), so a finished part leaves one line in
a file of its step and scenario, as in results/logs/simulate/exp1/times.tsv, instead of a log. A part that fails keeps
its log.
"""

import contextlib
import functools
import logging
import sys
import time
from pathlib import Path
from typing import NamedTuple

from permconf.errors import SYSTEM_ERRORS, ConfigError, describe_system_error
from permconf_study.study.chunks import chunk_range
from permconf_study.study.fingerprints import Making
from permconf_study.study.paths import use_plugins
from permconf_study.study.processes import end_with_parent
from permconf_study.study.tables import DamagedFile, carry

TIMES = "times.tsv"
log = logging.getLogger("permconf")


class PartTime(NamedTuple):
    """How many seconds the step of a part of a scenario took."""

    step: str
    scenario: str
    part: str
    seconds: float


def step(what):
    """Make the function below the step of a script, and call it if it is Snakemake that runs the script.

    `what` says what the step makes, with wildcards as in "design of {w.scenario}".
    """

    def decorated(main):
        @functools.wraps(main)
        def run(smk):
            with recorded(smk, what.format(w=smk.wildcards)):
                main(smk)

        if "snakemake" in main.__globals__:
            run(main.__globals__["snakemake"])
        return run

    return decorated


@contextlib.contextmanager
def recorded(smk, what):
    """Log while a step runs, with its duration or its error, and record what it makes; of a finished part only its time
    is kept.

    An error that is no fault of the code ends the step with a sentence; its traceback is in the log only. A damaged
    input of the step is removed, so that the next run makes it again.
    """
    path = Path(smk.log[0])
    end_with_parent()
    logging.raiseExceptions = False  # a log that cannot be written is no failure
    logging.basicConfig(filename=path, filemode="w", level=logging.INFO, format="%(asctime)s %(message)s", force=True)
    log.info("%s: started", what)
    start = time.perf_counter()
    try:
        use_plugins(smk.config)
        making = Making(smk)
        with carry(making.metadata):
            yield
        making.finish()
    except BaseException as error:
        log.exception("%s: failed", what)
        if isinstance(error, DamagedFile) and error.path in map(str, smk.input):
            Path(error.path).unlink(missing_ok=True)
            sys.exit(f"permconf: {error.path} was damaged and has been removed; run again to recreate it")
        if isinstance(error, SYSTEM_ERRORS):
            sys.exit(f"permconf: {what}: {describe_system_error(error)}")
        if isinstance(error, ConfigError):
            sys.exit(f"permconf: {error}")
        raise
    seconds = time.perf_counter() - start
    log.info("%s: done in %.2f s, %.2f s of processor time", what, seconds, time.process_time())
    if hasattr(smk.wildcards, "chunk") or hasattr(smk.wildcards, "block"):
        _note_part(path, seconds)


def counted(datasets, chunk):
    """The data sets of a chunk, with a line in the log after each tenth of them."""
    total = len(chunk_range(chunk))
    for done, dataset in enumerate(datasets):
        if done and done % max(1, total // 10) == 0:
            log.info("%d of %d data sets done", done, total)
        yield dataset


def _note_part(path, seconds):
    """Replace the log of a finished part by a line with its time."""
    with contextlib.suppress(OSError), open(path.with_name(TIMES), "a") as file:  # the disk may be full: no matter
        file.write(f"{path.name.partition('.')[0]}\t{time.time():.0f}\t{seconds:.2f}\n")
    path.unlink(missing_ok=True)


def remove_empty_logs(logs, scenario):
    """Remove the empty logs of a scenario's parts: Snakemake makes one for every part that left none."""
    for path in Path(logs).glob(f"*/{scenario}/*.log"):
        if not path.stat().st_size:
            path.unlink(missing_ok=True)


def part_times(results):
    """The times of all finished parts below a folder of results; of a part that was made again, the last."""
    times = {}
    for path in Path(results).glob(f"logs/*/*/{TIMES}"):
        for line in path.read_text().splitlines():
            with contextlib.suppress(ValueError):  # a line truncated by a full disk
                part, _, seconds = line.split("\t")
                step, scenario = path.parts[-3:-1]
                times[step, scenario, part] = PartTime(step, scenario, part, float(seconds))
    return list(times.values())
