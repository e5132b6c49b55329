"""Run the workflow on a cluster, and resume an interrupted run: `permconf cluster [--resume]`."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from argparse import Namespace
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from permconf.wording import count
from permconf_study.commands import accounting, cleanup, forecast
from permconf_study.commands import cluster_settings as site
from permconf_study.commands.cluster_settings import ClusterError, slurm_says
from permconf_study.commands.run import finished, follow, snakemake
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
    jobs = own_jobs(prefix)
    if not jobs:
        return 0
    subprocess.run(["scancel", *jobs], check=True)
    deadline = time.monotonic() + patience
    while left := own_jobs(prefix):
        if time.monotonic() > deadline:
            raise ClusterError(f"jobs {', '.join(left)} are still in the queue after scancel; try again later")
        time.sleep(1)
    return len(jobs)


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


@dataclass(frozen=True)
class Head:
    """What a run on a cluster needs to know."""

    options: Namespace
    folder: Path
    profile: Path
    profile_options: Namespace
    resources: dict

    @property
    def prefix(self):
        """How the names of its jobs begin."""
        return job_prefix(self.folder)

    @property
    def plugin(self):
        """Whether its jobs are submitted by Snakemake's Slurm plugin."""
        return self.profile_options.executor == "slurm"

    def check(self, more=()):
        """Raise if Slurm would not accept jobs with these resources."""
        if self.plugin:
            site.check_submission(self.resources | dict(more), self.profile_options)

    def forecast(self):
        """The cost of what remains to be run."""
        settings = self.options.config
        return forecast.forecast(self.folder, snakemake(self.folder, settings), settings, self.options.targets)

    def run(self, lock, *, resumed):
        """Clear up after an interrupted run, submit the jobs and wait for them; returns whether any failed."""
        self.cancel_jobs()
        cleanup.announce(self.folder / "results")
        cost = self.forecast()
        print(cost.text, flush=True)
        check_results(self.folder / "results", cost.disk_mb)
        self.check(cost.largest)
        forecast.note(self.folder, self.prefix, cost, resumed=resumed)
        arguments = profile_arguments(self.profile, self.prefix, self.resources, plugin=self.plugin)
        command = snakemake(self.folder, self.options.config, *arguments, "--", *self.options.targets)
        own = {"PERMCONF_JOB_PREFIX": self.prefix, "PERMCONF_HOME": str(HOME), HELD: "1"}
        failed = follow(command, environment=os.environ | own, pass_fds=(lock.fileno(),)) != 0
        if failed:
            self.cancel_jobs()  # those that an interrupted Snakemake had just submitted or was looking at
        return failed

    def cancel_jobs(self):
        """Cancel the jobs that no process waits for."""
        if cancelled := cancel_own_jobs(self.prefix):
            print(f"Cancelled {count(cancelled, 'job')} of an interrupted run.", flush=True)


def main(options):
    """Check, plan and run, with this process as the head; then compare the cost with the forecast."""
    _, scenarios = configured(options.config, engines=False)
    options.targets = files_of(options.targets, scenarios)
    profile = site.profile_folder(options.profile)
    site.check_slurm()
    resources = site.site_resources(profile, partition=options.partition, account=options.account)
    head = Head(options, Path(options.directory).resolve(), profile, site.profile_options(profile), resources)
    head.check()
    check_results(head.folder / "results", 0)
    with held(head.folder) as (lock, before):
        if not options.resume:
            check_abandoned(head.folder, head.prefix, before)
        if options.dry_run:
            cost = head.forecast()
            head.check(cost.largest)
            print(cost.text)
            return 0
        started = time.time()
        failed = head.run(lock, resumed=bool(before))
    if failed:
        print("Not finished. Completed jobs are kept; the same command resumes. Logs are in results/logs.")
        return 1
    print("\n".join(finished(head.folder, time.time() - started)))
    accounting.show(head.folder)
    return 0
