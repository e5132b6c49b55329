"""Run the workflow on a cluster, and resume an interrupted run: `permconf cluster [--resume]`."""

import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from hashlib import blake2b
from pathlib import Path

import yaml

from permconf.errors import ConfigError, nearest
from permconf.wording import count
from permconf_study.commands import accounting, cleanup, forecast
from permconf_study.commands.run import finished, follow, snakemake
from permconf_study.commands.targets import files_of
from permconf_study.study.configuration import configured
from permconf_study.study.paths import HOME, located
from permconf_study.study.processes import HELD, held


class ClusterError(ConfigError):
    """The cluster cannot be used; the message is one sentence."""


def job_prefix(folder):
    """Job-name prefix of the runs in one folder, which identifies their jobs."""
    return f"permconf-{blake2b(str(Path(folder).resolve()).encode(), digest_size=4).hexdigest()}"


def check_profile(path):
    """The folder of a profile that submits jobs to a scheduler; Snakemake itself would ignore a wrong path."""
    file = located(path) / "config.yaml"
    if not file.is_file():
        raise ClusterError(f"no cluster profile {path}: {Path(path) / 'config.yaml'} does not exist")
    profile = yaml.safe_load(file.read_text())
    executor = profile.get("executor", "local") if isinstance(profile, dict) else "local"
    if executor == "local":
        raise ClusterError(f"profile {path} runs locally: it sets no executor")
    return file.parent.resolve()


def check_slurm():
    """Raise unless Slurm responds."""
    done = _slurm_says(["sinfo", "--noheader"])
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no reason given").splitlines()[0]
        raise ClusterError(f"Slurm does not respond: {reason}")


def site_resources(profile, options):
    """The default resources of a profile, with the partition and account of the command line."""
    given = {"slurm_partition": options.partition, "slurm_account": options.account}
    defaults = yaml.safe_load((profile / "config.yaml").read_text()).get("default-resources") or {}
    return defaults | {key: value for key, value in given.items() if value}


def check_submission(resources):
    """Raise unless Slurm would accept a job with these resources, and the account is one of the user's.

    With a wrong account the Slurm plugin would wait without a word, and a wrong partition, memory or time would only be
    seen after jobs were submitted.
    """
    account = resources.get("slurm_account")
    if account and (known := own_accounts()) and account not in known:
        raise ClusterError(f"account {account!r} is not one of yours{nearest(account, known)}")
    flags = {"slurm_partition": "partition", "slurm_account": "account", "mem_mb": "mem", "runtime": "time"}
    asked = [f"--{flag}={resources[key]}" for key, flag in flags.items() if key in resources]
    done = _slurm_says(["sbatch", "--test-only", *asked, "--wrap", "true"])
    if done.returncode != 0:
        reasons = re.findall(r"(?:error|allocation failure): (.*)", done.stderr) or ["no reason given"]
        raise ClusterError(f"Slurm would not accept a job with {' '.join(asked)}: {reasons[-1]}")


def own_accounts():
    """The user's accounts; none on a cluster without accounting."""
    command = ["sacctmgr", "--noheader", "--parsable2", "show", "associations", f"user={getpass.getuser()}"]
    done = _slurm_says([*command, "format=account"])
    return set(done.stdout.split()) if done.returncode == 0 else set()


def _slurm_says(command):
    """The answer of a command of Slurm."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except FileNotFoundError:
        raise ClusterError(f"Slurm is not installed: the command {command[0]} was not found") from None
    except subprocess.TimeoutExpired:
        raise ClusterError(f"Slurm does not respond: {command[0]} timed out after 20 seconds") from None


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
    lines = subprocess.run(
        ["squeue", "--noheader", "--me", "--format=%i %j"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
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


def uses_plugin(profile):
    """Whether the jobs of a profile are submitted by Snakemake's Slurm plugin."""
    return yaml.safe_load((profile / "config.yaml").read_text())["executor"] == "slurm"


def profile_arguments(profile, prefix, resources):
    """Arguments that make Snakemake use a profile and these default resources, and prefix the names of its jobs."""
    named = ["--slurm-jobname-prefix", prefix] if uses_plugin(profile) else []
    site = ["--default-resources", *(f"{key}={value}" for key, value in resources.items())] if resources else []
    return ["--workflow-profile", str(profile), *named, *site, "--quiet", "host", "reason"]


def main(options):
    """Check, plan and run, with this process as the head; then compare the cost with the forecast."""
    profile = check_profile(options.profile)
    _, scenarios = configured(options.config, engines=False)
    options.targets = files_of(options.targets, scenarios)
    check_slurm()
    resources = site_resources(profile, options)
    if uses_plugin(profile):
        check_submission(resources)
    folder = Path(options.directory).resolve()
    prefix = job_prefix(folder)
    check_results(folder / "results", 0)
    with held(folder) as (lock, before):
        if not options.resume:
            check_abandoned(folder, prefix, before)
        started = time.time()
        failed = _run(options, folder, profile, resources, prefix, lock, resumed=bool(before))
    if options.dry_run:
        return 0
    if failed:
        print("Not finished. Completed jobs are kept; the same command resumes. Logs are in results/logs.")
        return 1
    print("\n".join(finished(folder, time.time() - started)))
    accounting.show(folder)
    return 0


def _run(options, folder, profile, resources, prefix, lock, *, resumed):
    """Clear up after an interrupted run, submit the jobs and wait for them; returns whether any failed."""
    if options.dry_run:
        print(forecast.forecast(folder, snakemake(folder, options.config), options.config, options.targets).text)
        return False
    if cancelled := cancel_own_jobs(prefix):
        print(f"Cancelled {count(cancelled, 'job')} of an interrupted run.", flush=True)
    cleanup.announce(folder / "results")
    cost = forecast.forecast(folder, snakemake(folder, options.config), options.config, options.targets)
    print(cost.text, flush=True)
    check_results(folder / "results", cost.disk_mb)
    if uses_plugin(profile):
        check_submission(resources | cost.largest)
    forecast.note(folder, prefix, cost, resumed=resumed)
    command = snakemake(folder, options.config, *profile_arguments(profile, prefix, resources), "--", *options.targets)
    own = {"PERMCONF_JOB_PREFIX": prefix, "PERMCONF_HOME": str(HOME), HELD: "1"}
    return follow(command, environment=os.environ | own, pass_fds=(lock.fileno(),)) != 0
