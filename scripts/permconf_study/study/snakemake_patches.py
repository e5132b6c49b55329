"""Everything that is changed in Snakemake: each fault with the version it was seen in.

- Snakemake 9.27 writes the path of Python into shell commands without quotes: a clone in a folder with a space fails.
- Snakemake 9.27 leaves its lock files behind when it is killed. The process that holds our own lock removes them.
- Snakemake 9.27 fails a step whose input has a time in the future (another clock wrote or copied it).
- Snakemake 9.27 drops what an executor says about the failure of a group of jobs ("SLURM status is 'OUT_OF_MEMORY'"),
  and the log does not say that it is retried with more memory.
- Snakemake 9.27 does not end before the last interval of its rate limit: a finished run waited for up to ten seconds.
- The Slurm plugin 2.8 takes states that it does not know for "still running": "CANCELLED by 1000", and PREEMPTED or
  REVOKED without requeueing. It would never stop waiting for such a job.
- Snakemake 9.27 starts Python anew for every script: half of the time of a short step is the import of numpy, numba,
  pandas and matplotlib. On Linux, scripts of this machine are forked from a process that has imported these. The code
  of this project is not among them, so that a step always reads the code that its fingerprint is made of.
"""

import multiprocessing
import os
import re
import runpy
import shlex
import signal
import subprocess
import sys
import threading
from multiprocessing import forkserver  # notes the path of Python, before it is quoted
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from permconf_study.study.fingerprints import clamp_future_times, order_part_times
from permconf_study.study.processes import HELD, lock_path, locked

ENDED = ("PREEMPTED", "REVOKED", "SPECIAL_EXIT")  # states of jobs without requeueing; the plugin knows the other ones

OVER_MEMORY = r"OUT_OF_MEMORY|exceeded memory limit|oom[-_]kill"  # in words of Slurm with and without cgroups

PACKAGES = (  # that scripts import
    *("__main__", "snakemake.iocontainers", "snakemake.logging", "numba", "scipy.stats", "pandas"),
    *("pyarrow.csv", "pyarrow.parquet", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf"),
)
THREADS = ("OMP", "GOTO", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR")  # Snakemake sets these to the threads of a step


def fork_scripts():
    """Start the process that scripts are forked from; call it once, before anything is run."""
    from snakemake.benchmark import benchmarked
    from snakemake.script import PythonScript

    if sys.platform != "linux":
        return
    context, one_at_a_time = multiprocessing.get_context("forkserver"), threading.Lock()
    context.set_forkserver_preload(list(PACKAGES))
    os.environ.update({f"{name}_NUM_THREADS": "1" for name in THREADS})
    forkserver.ensure_running()
    original = PythonScript.execute_script

    def execute_script(self, fname, edit=False):
        if self.threads > 1 or self.conda_env or self.container_img or self.env_modules:
            original(self, fname, edit)
            return
        process = context.Process(target=run_script, args=(Path.cwd(), fname, self.resources.get("tmpdir")))
        with one_at_a_time:
            process.start()
        with benchmarked(process.pid, self.bench_record):
            wait([process.sentinel])
        with one_at_a_time:  # `start` and `join` read the exit codes of all processes
            process.join()
        if process.exitcode:
            raise subprocess.CalledProcessError(process.exitcode, f"python {fname}")

    PythonScript.execute_script = execute_script


def end_when_done():
    """Let no timer of the scheduler keep a process that has nothing left to do."""
    from snakemake.scheduling.job_scheduler import JobScheduler

    def schedule(self, delay):
        timer = threading.Timer(delay, self._open_jobs.release)
        timer.daemon = True
        timer.start()

    JobScheduler._schedule_reevalutation = schedule


def run_script(folder, script, temporary):
    """Run a script of Snakemake in a folder, as a process of its own would; it ends with Snakemake."""
    import numpy as np

    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()
    np.random.seed()  # scripts do not share the state that they were forked with
    os.environ |= dict.fromkeys(("TMPDIR", "TMP", "TEMP", "TEMPDIR"), temporary) if temporary else {}
    os.chdir(folder)
    runpy.run_path(script, run_name="__main__")


def _end_with(process):
    process.join()
    os.kill(os.getpid(), signal.SIGKILL)


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
