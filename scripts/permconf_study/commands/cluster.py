"""Run the workflow on a cluster, and resume an interrupted run: `permconf cluster [--resume]`."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from hashlib import blake2b
from pathlib import Path

from permconf.wording import count
from permconf_study.commands import cluster_settings as site
from permconf_study.commands.cluster_settings import ClusterError, slurm_says
from permconf_study.commands.forecast import forecast
from permconf_study.commands.run import finished, follow, remove_temporary, snakemake
from permconf_study.commands.targets import files_of
from permconf_study.study.configuration import configured
from permconf_study.study.paths import HOME
from permconf_study.study.processes import HELD, held


def job_prefix(folder):
    """Job-name prefix of the runs in one folder, which identifies their jobs."""
    return f"permconf-{blake2b(str(Path(folder).resolve()).encode(), digest_size=4).hexdigest()}"


def check_results(folder, megabytes):
    """Raise unless this many megabytes of results can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(4096))
    except OSError as error:
        raise ClusterError(f"{folder} cannot be written: {error.strerror}") from None
    free = shutil.disk_usage(folder).free / 1e6
    if free < megabytes:
        raise ClusterError(f"{folder} has {free:.0f} MB free, but the run needs about {megabytes:.0f} MB")


def own_jobs(prefix):
    """Numbers of the jobs of this run that are in the queue."""
    done = slurm_says(["squeue", "--noheader", "--me", "--format=%i %j"])
    if done.returncode:
        raise ClusterError(f"the queue cannot be read: {done.stderr.strip()}")
    lines = done.stdout.splitlines()
    return [number for number, name in (line.split(maxsplit=1) for line in lines) if name.startswith(prefix)]


def cancel_own_jobs(prefix, *, patience=120.0):
    """Cancel the jobs that an interrupted run left in the queue, and wait until they are gone."""
    if not (jobs := own_jobs(prefix)):
        return
    subprocess.run(["scancel", *jobs], check=True)
    deadline = time.monotonic() + patience
    while left := own_jobs(prefix):
        if time.monotonic() > deadline:
            raise ClusterError(f"jobs {', '.join(left)} are still in the queue after scancel; try again later")
        time.sleep(1)
    print(f"Cancelled {count(len(jobs), 'job')} of an interrupted run.", flush=True)


def check_abandoned(folder, prefix, before):
    """Raise if jobs in the queue may belong to a run that is active on another machine, where no lock can be seen."""
    elsewhere = before and before.rpartition(" ")[2] != socket.gethostname()
    if elsewhere and (jobs := own_jobs(prefix)):
        raise ClusterError(
            f"the queue has {count(len(jobs), 'job')} of a run in {folder}, whose head may be active ({before});"
            " if it is not, use permconf cluster --resume"
        )


def profile_arguments(profile, prefix, resources, *, plugin):
    """Arguments that make Snakemake use a profile and these default resources, and prefix the names of its jobs.

    `plugin` is whether the jobs are submitted by Snakemake's Slurm plugin.
    """
    named = ["--slurm-jobname-prefix", prefix] if plugin else []
    site = ["--default-resources", *(f"{key}={value}" for key, value in resources.items())] if resources else []
    return ["--workflow-profile", str(profile), *named, *site, "--quiet", "host", "reason"]


def main(options):
    """Check the settings, show the forecast and run, with this process as the head."""
    _, scenarios = configured(options.config, engines=False)
    targets, folder = files_of(options.targets, scenarios), Path(options.directory).resolve()
    results, prefix, profile = folder / "results", job_prefix(folder), site.profile_folder(options.profile)
    site.check_slurm()
    resources = site.site_resources(profile, partition=options.partition, account=options.account)
    profiled = site.profile_options(profile)
    plugin = profiled if profiled.executor == "slurm" else None  # Snakemake's, which submits with these options
    if plugin:
        site.check_submission(resources, plugin)
    check_results(results, 0)
    with held(folder) as (lock, before):
        if not options.resume:
            check_abandoned(folder, prefix, before)
        started = time.time()
        if not options.dry_run:
            cancel_own_jobs(prefix)
            remove_temporary(results)
        cost = forecast(folder, snakemake(folder, options.config), options.config, targets)
        print(cost.text, flush=True)
        if plugin:
            site.check_submission(resources | cost.largest, plugin)
        if options.dry_run:
            return 0
        check_results(results, cost.disk_mb)
        arguments = profile_arguments(profile, prefix, resources, plugin=plugin is not None)
        command = snakemake(folder, options.config, *arguments, "--", *targets)
        own = {"PERMCONF_JOB_PREFIX": prefix, "PERMCONF_HOME": str(HOME), HELD: "1"}
        failed = follow(command, environment=os.environ | own, pass_fds=(lock.fileno(),)) != 0
        if failed:
            cancel_own_jobs(prefix)  # those that an interrupted Snakemake had just submitted or was looking at
    if failed:
        print("Not finished. Completed jobs are kept; the same command resumes. Logs are in results/logs.")
        return 1
    print("\n".join(finished(folder, time.time() - started)))
    return 0
