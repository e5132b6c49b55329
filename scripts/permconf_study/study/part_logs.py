"""Logs and times of the parts of a scenario: blocks of its design, and chunks of its data sets.

There are thousands of parts, so a finished part leaves one line in a file of its step and scenario, as in
results/logs/simulate/exp1/times.tsv, instead of a log. A part that fails keeps its log.
"""

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from permconf_study.study.tables import logged

TIMES = "times.tsv"


@dataclass(frozen=True)
class PartTime:
    """When the step of a part of a scenario ended, and how many seconds it took."""

    step: str
    scenario: str
    part: str
    ended: float
    seconds: float


@contextlib.contextmanager
def logged_part(path, what):
    """Log to results/logs/<step>/<scenario>/<part>.log while a part is made; when it is done, only its time is kept."""
    start = time.perf_counter()
    with logged(path, what):
        yield
    line = f"{Path(path).stem}\t{time.time():.0f}\t{time.perf_counter() - start:.2f}\n"
    with contextlib.suppress(OSError), open(Path(path).with_name(TIMES), "a") as file:  # it may be full: no matter
        file.write(line)
    Path(path).unlink(missing_ok=True)


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
            with contextlib.suppress(ValueError):  # a line cut off by a full disk
                part, ended, seconds = line.split("\t")
                step, scenario = path.parts[-3:-1]
                times[step, scenario, part] = PartTime(step, scenario, part, float(ended), float(seconds))
    return list(times.values())
