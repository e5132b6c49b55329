"""Everything that is changed in Snakemake: each fault with the version it was seen in.

- Snakemake 9.27 writes the path of Python into shell commands without quotes: a clone in a folder with a space fails.
- Snakemake 9.27 leaves its lock files behind when it is killed. The process that holds our own lock removes them.
- Snakemake 9.27 fails a step whose input has a time in the future (another clock wrote or copied it).
- Snakemake 9.27 drops what an executor says about the failure of a group of jobs ("SLURM status is 'OUT_OF_MEMORY'"),
  and the log does not say that it is retried with more memory.
- The Slurm plugin 2.8 takes states that it does not know for "still running": "CANCELLED by 1000", and PREEMPTED or
  REVOKED without requeueing. It would never stop waiting for such a job.
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from permconf_study.study.fingerprints import clamp_future_times, order_part_times
from permconf_study.study.processes import HELD, lock_path, locked

ENDED = ("PREEMPTED", "REVOKED", "SPECIAL_EXIT")  # states of jobs without requeueing; the plugin knows the other ones

OVER_MEMORY = r"OUT_OF_MEMORY|exceeded memory limit|oom[-_]kill"  # in words of Slurm with and without cgroups


def quote_interpreter():
    """Quote the path of Python, which Snakemake puts into its shell commands as it is."""
    if Path(sys.executable).exists():  # it is not quoted yet
        sys.executable = shlex.quote(sys.executable)


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


def patch_group_errors():
    """Let the sentences of an executor about a failed group of jobs reach the screen, with what happens next."""
    from snakemake.jobs import GroupJob
    from snakemake.logging import logger

    original = GroupJob.log_error
    if hasattr(original, "original"):
        return

    def log_error(self, msg=None, aux_logs=None, **details):
        if msg:
            logger.error(failure_sentence(msg, aux_logs or (), self.attempt, self.restart_times + 1))
        if not msg or self.attempt > self.restart_times:  # twenty lines with the logs of its steps
            original(self, msg, aux_logs, **details)

    log_error.original = original  # type: ignore[attr-defined]
    GroupJob.log_error = log_error


def failure_sentence(said, logs, attempt, attempts):
    """What an executor said about a failed job, with what the log of the job says about memory, and what follows."""
    texts = [Path(log).read_text(errors="replace") for log in logs if Path(log).is_file()]
    memory = " It ran out of memory." if any(re.search(OVER_MEMORY, text) for text in (said, *texts)) else ""
    again = f" It is submitted again with more memory and time (attempt {attempt + 1} of {attempts})."
    return f"{said.partition('For further error')[0].strip()}{memory}{again if attempt < attempts else ''}"


def prepare_run_folder(folder="."):
    """Prepare the folder of a run before Snakemake looks at it: no stale locks, no times that mislead it.

    Returns the open lock file, which this process holds to its end; None if another process holds it.
    """
    clamp_future_times(folder)
    order_part_times(folder)
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
