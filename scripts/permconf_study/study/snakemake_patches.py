"""Everything that is changed in Snakemake: each fault with the version it was seen in.

- Snakemake 9.27 writes the path of Python into shell commands without quotes: a clone in a folder with a space fails.
- Snakemake 9.27 leaves its lock files behind when it is killed. The process that holds our own lock removes them.
- Snakemake 9.27 does not repeat a step whose input was deleted in the middle, nor one without a record (a deleted
  .snakemake), and repeats steps for ever whose input has a time in the future.
- The Slurm plugin 2.8 takes states that it does not know for "still running": "CANCELLED by 1000", and PREEMPTED or
  REVOKED without requeueing. It would wait for such a job for ever.
- Snakemake 9.27 has no default for the software environment and the benchmark file of a rule.
"""

import contextlib
import json
import os
import shlex
import sys
import time
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path
from typing import Any

from permconf_study.study.processes import HELD, lock_path, locked

LONGEST_NAME = 255  # of a file; no result has one that is longer
ENDED = ("PREEMPTED", "REVOKED", "SPECIAL_EXIT")  # states of jobs without requeueing; the plugin knows the other ones


def quote_interpreter():
    """Quote the path of Python, which Snakemake puts into its shell commands as it is."""
    if Path(sys.executable).exists():  # it is not quoted yet
        sys.executable = shlex.quote(sys.executable)


def complete_rules(rules, environment):
    """Give rules that compute something the environment of the project and, if they have a log, a benchmark file."""
    for rule in rules:
        if not rule.norun:
            rule.conda_env = str(environment)
            log = str(rule.log[0])
            if "{chunk" not in log and "{block" not in log:  # parts of a scenario keep their times in a table
                rule.benchmark_modifier = rule.workflow.modifier.path_modifier
                rule.benchmark = log.replace("results/logs/", "results/benchmarks/").replace(".log", ".tsv")


def understood(state, *, requeued):
    """A state of Slurm's accounting as one word that the plugin understands."""
    word = state.split()[0] if state else state
    return "FAILED" if word in ENDED and not requeued else word


def patch_slurm_plugin(workflow):
    """Let the Slurm plugin see only states that it understands, if it is loaded."""
    plugin: Any = sys.modules.get("snakemake_executor_plugin_slurm")
    if plugin is None or hasattr(plugin.query_job_status, "original"):
        return
    original = plugin.query_job_status

    async def query_job_status(command, logger):
        states, seconds = await original(command, logger)
        requeued = bool(workflow.executor_settings.requeue)
        states = states and {job: understood(state, requeued=requeued) for job, state in states.items()}
        return states, seconds

    query_job_status.original = original  # type: ignore[attr-defined]
    plugin.query_job_status = query_job_status


def prepare_run_folder(folder="."):
    """Prepare the folder of a run before Snakemake looks at it: no stale locks, unfinished files marked.

    Returns the open lock file, which this process holds to its end; None if another process holds it.
    """
    clamp_future_times(folder)
    mark_unfinished(folder)
    file = None
    if HELD not in os.environ:
        lock_path(folder).parent.mkdir(parents=True, exist_ok=True)
        file = open(lock_path(folder), "a+")  # noqa: SIM115 - stays open until this process ends
        if not locked(file):
            file.close()
            return None
    for lock in Path(folder, ".snakemake", "locks").glob("*.lock"):
        lock.unlink(missing_ok=True)
    return file


def clamp_future_times(folder):
    """Give files whose time is in the future (another clock wrote or copied them) the present time."""
    now = time.time()
    for path in _made(folder):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # another run's, or not to be written
            if path.stat().st_mtime > now:
                os.utime(path, (now, now))


def mark_unfinished(folder):
    """Mark files made from files that no longer exist, so that Snakemake makes them again; without records, all."""
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
