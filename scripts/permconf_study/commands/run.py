"""Run the workflow on this machine: `permconf run`."""

import contextlib
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from permconf.wording import count
from permconf_study.commands.targets import files_of
from permconf_study.study.configuration import configured, parsed
from permconf_study.study.paths import HOME
from permconf_study.study.processes import HELD, end_with_parent, held

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INSTEAD = {signal.SIGTERM: signal.SIGINT, signal.SIGALRM: signal.SIGKILL}
PATIENCE = 5  # seconds from a signal to SIGKILL
ROOM = 10_000_000  # bytes that Snakemake's own records may take
# Not shown of a run: descriptions of single jobs. Snakemake's own option to hide these also hides their errors.
CHATTER = re.compile(
    r"Building DAG|Using shell|Provided (cores|remote)|Rules claiming|Conda env|Select jobs|Execute |Finished jobid"
    r"|\[[A-Z][a-z]{2} [^]]*\]$|Complete log|Elapsed time|Assuming unrestricted|host: |Config file "
    r"|Using workflow specific|SLURM run ID|MinJobAge|No SLURM account|No account was|Unable to guess SLURM"
    r"|Cleaning up SLURM|.*--(rerun-triggers|cleanup-metadata)|$"
)
JOB = re.compile(r"(local)?rule \w+:$|\[[^]]*\] Group job ")
INDENTED = re.compile(r"\s{4}|$")
TEMPORARY = re.compile(r"\..+\.\d+\.\w+")  # names of files that are being written (study/tables.py)


def snakemake(folder, settings, *arguments):
    """The command that runs the workflow in a folder."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(HOME / "Snakefile"), "--directory", str(folder)]
    command += ["--rerun-incomplete"]
    config = [f"{key}={'' if value is None else value}" for key, value in parsed(settings).items()]
    return [*command, *(["--config", *config] if config else []), *arguments]


def follow(command, *, environment=None, pass_fds=()):
    """Run a command, show its progress, forward signals to it and its steps; returns its exit code.

    On SIGTERM, Snakemake 9.27 would wait for the end of all submitted jobs, so it gets SIGINT. Before it ends it waits
    for its next look at the queue (up to three minutes away), so it is killed after `PATIENCE`; a new run resumes.
    """
    output: dict = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    session: dict = {"start_new_session": True, "preexec_fn": end_with_parent}
    child = subprocess.Popen(command, env=environment, pass_fds=pass_fds, **output, **session)

    def forward(number, _):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, INSTEAD.get(number, number))
        if not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.alarm(PATIENCE)

    previous = {number: signal.signal(number, forward) for number in (*SIGNALS, signal.SIGALRM)}
    try:
        for line in shown(child.stdout):
            print(line, end="", flush=True)
        return child.wait()
    finally:
        signal.alarm(0)
        child.stdout.close()  # type: ignore[union-attr]
        for number, handler in previous.items():
            signal.signal(number, handler)


def shown(lines):
    """The lines of a run that show progress, errors and the summary."""
    in_job = False
    for line in lines:
        in_job = bool(JOB.match(line)) or (in_job and bool(INDENTED.match(line)))
        if not in_job and not CHATTER.match(line):
            yield line


def main(options):
    """Run Snakemake with the default profile, then summarise the results."""
    _, scenarios = configured(options.config, engines=False)
    options.targets = files_of(options.targets, scenarios)
    folder = Path(options.directory).resolve()
    for needed in (folder, folder / "results"):
        needed.resolve().mkdir(parents=True, exist_ok=True)  # where a link leads to, if it is one
    _check_room(folder)
    if "MAKELEVEL" in os.environ:
        end_with_parent(signal.SIGTERM)  # a killed make ends its run
    if options.dry_run:
        return _run(options, folder)
    with held(folder) as (lock, _):
        remove_temporary(folder / "results")
        return _run(options, folder, environment=os.environ | {HELD: "1"}, pass_fds=(lock.fileno(),))


def _run(options, folder, **process):
    command = snakemake(folder, options.config, "--cores", str(options.cores), "--quiet", "host", "reason")
    if options.forecast:
        from permconf_study.commands.forecast import forecast

        cost = forecast(folder, snakemake(folder, options.config), options.config, options.targets)
        print(cost.local_text(options.cores), flush=True)
    started = time.time()
    failed = follow([*command, *(["--dry-run"] if options.dry_run else []), "--", *options.targets], **process)
    if failed == 2:  # nothing was run: a sentence has said why
        return 2
    if failed:
        _check_room(folder)
        print("Not finished. Completed steps are kept; the same command resumes. Logs are in results/logs.")
    elif not options.dry_run:
        print("\n".join(finished(folder, time.time() - started)))
    return 1 if failed else 0


def remove_temporary(results):
    """Remove what killed jobs were writing below a folder of results in which no job is running."""
    for pattern in (".*", "*/.*", "*/*/.*", "*/*/*/.*"):
        for path in Path(results).glob(pattern):
            if path.is_file() and TEMPORARY.fullmatch(path.name):
                path.unlink(missing_ok=True)


def _check_room(folder):
    if shutil.disk_usage(folder).free < ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def finished(folder, seconds):
    """Summary of a finished run: figures, tables, time."""
    from pyarrow.lib import ArrowInvalid
    from pyarrow.parquet import read_table

    tables, statuses = sorted((folder / "results").glob("*/tests.parquet")), []
    for path in tables:
        with contextlib.suppress(ArrowInvalid, KeyError):  # of a scenario that this run did not need
            statuses += read_table(path, columns=["status"])["status"].to_pylist()
    drawn = count(len(list((folder / "figures").rglob("*.pdf"))), "figure")
    sources = f"{count(len(tables), 'scenario')} and {count(len(statuses), 'assessment')}"
    yield (
        f"\nDone in {seconds:.0f} s: {drawn} in {folder / 'figures'}, from {sources}"
        f" ({statuses.count('failed')} failed); numbers in {folder / 'results'}."
    )
    if (folder / "results/claims.md").exists():
        counts = (folder / "results/claims.md").read_text().partition(". ")[0]
        yield f"{counts}; details in {folder / 'results/report.html'}."
