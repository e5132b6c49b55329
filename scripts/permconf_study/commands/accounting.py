"""Cost of a cluster run from Slurm's accounting, compared with the forecast at the end of `permconf cluster`."""

import datetime as dt
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from permconf.wording import count
from permconf_study.study.part_logs import part_times

FIELDS = ("JobIDRaw", "JobName", "State", "ElapsedRaw", "AllocCPUS", "TotalCPU")


@dataclass(frozen=True)
class Job:
    """One job in Slurm's accounting: `held` is its core time, `used` the processor time."""

    state: str
    held: float
    used: float


def accounted_jobs(prefix, started):
    """Jobs of a run according to sacct; none on a cluster without accounting."""
    start = dt.datetime.fromtimestamp(started).isoformat(timespec="seconds")
    command = ["sacct", "--noheader", "--parsable2", f"--starttime={start}", f"--format={','.join(FIELDS)}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [dict(zip(FIELDS, line.split("|"), strict=True)) for line in done.stdout.splitlines()]
    return [
        Job(row["State"].split()[0], int(row["ElapsedRaw"]) * int(row["AllocCPUS"]), seconds(row["TotalCPU"]))
        for row in rows
        if "." not in row["JobIDRaw"] and row["JobName"].startswith(prefix)
    ]


def seconds(text):
    """Seconds in Slurm's notation, [days-][[hours:]minutes:]seconds."""
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = 60 * total + float(part)
    return 86400 * int(days or 0) + total


def step_seconds(results, started):
    """Total time of the steps inside the jobs since a run started, as they noted it."""
    return sum(part.seconds for part in part_times(results) if part.step != "design" and part.ended >= started)


def comparison(forecast, jobs, inside):
    """Forecast and actual cost in two sentences."""
    held, used = (sum(getattr(job, key) for job in jobs) / 3600 for key in ("held", "used"))
    numbers = Counter(job.state for job in jobs)
    states = ", ".join(f"{n} {state.lower()}" for state, n in numbers.most_common())
    stopped = {"OUT_OF_MEMORY": "memory", "TIMEOUT": "time"}
    retried = [f"{numbers[state]} ran out of {what}" for state, what in stopped.items() if numbers[state]]
    again = f"\nOf the jobs, {' and '.join(retried)}; each was submitted again with more." if retried else ""
    planned = forecast["core_hours"]
    against = f" ({100 * (used / planned - 1):+.0f} % and {100 * (held / planned - 1):+.0f} %)" if planned else ""
    return (
        f"Slurm's accounting: {count(len(jobs), 'job')} ({states}); {used:.3g} core-hours used and {held:.3g} held,"
        f" {planned:.3g} forecast{against}.\n"
        f"Overhead per job: {(3600 * held - inside) / len(jobs):.1f} s of core time.{again}"
    )


def show(folder):
    """Print forecast and actual cost of the last cluster run in a folder, if Slurm's accounting is on."""
    results = Path(folder) / "results"
    forecast = yaml.safe_load((results / "cluster.yaml").read_text())
    if jobs := accounted_jobs(forecast["prefix"], forecast["started"]):
        print(comparison(forecast, jobs, step_seconds(results, forecast["started"])))
