"""Run the workflow on a cluster, and resume an interrupted run: `permconf cluster [--resume]`."""

import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import time
from hashlib import blake2b
from pathlib import Path

import yaml

from permconf.errors import ConfigError
from permconf.operations import accounting, cleanup, forecast
from permconf.operations.run import follow, snakemake
from permconf.study.configuration import configured
from permconf.study.paths import HOME


class ClusterError(ConfigError):
    """The cluster cannot be used; the message is one sentence."""


def job_prefix(folder):
    """Job-name prefix of the runs in one folder, which identifies their jobs."""
    return f"permconf-{blake2b(str(Path(folder).resolve()).encode(), digest_size=4).hexdigest()}"


def check_profile(path):
    """The folder of a profile that submits jobs to a scheduler; Snakemake itself would ignore a wrong path."""
    file = Path(path) / "config.yaml"
    if not file.is_file():
        raise ClusterError(f"no cluster profile {path}: {file} does not exist")
    profile = yaml.safe_load(file.read_text())
    executor = profile.get("executor", "local") if isinstance(profile, dict) else "local"
    if executor == "local":
        raise ClusterError(f"profile {path} runs locally: it sets no executor")
    return Path(path).resolve()


def check_slurm():
    """Raise unless Slurm responds."""
    try:
        done = subprocess.run(["sinfo", "--noheader"], capture_output=True, text=True, timeout=20, check=False)
    except FileNotFoundError:
        raise ClusterError("Slurm is not installed: the command sinfo was not found") from None
    except subprocess.TimeoutExpired:
        raise ClusterError("Slurm does not respond: sinfo timed out after 20 seconds") from None
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no reason given").splitlines()[0]
        raise ClusterError(f"Slurm does not respond: {reason}")


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


def hold(folder):
    """Lock a folder against other runs. The lock is held by this process and by Snakemake until both end."""
    path = folder / ".snakemake" / "cluster.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "a+")  # noqa: SIM115 - stays open during the run
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ClusterError(f"a run in this folder is still active ({path.read_text().strip()})") from None
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    file.flush()
    os.set_inheritable(file.fileno(), True)
    return file


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


def check_no_remains(folder, prefix):
    """Raise if an earlier run in the folder was interrupted."""
    if jobs := own_jobs(prefix):
        raise ClusterError(f"{len(jobs)} jobs of an earlier run here are in the queue; use permconf cluster --resume")
    locks = folder / ".snakemake" / "locks"
    if locks.is_dir() and any(locks.iterdir()):
        raise ClusterError("an earlier run in this folder was interrupted; use permconf cluster --resume")


def profile_arguments(profile, prefix):
    """Arguments that make Snakemake use a profile, and prefix the names of its jobs."""
    executor = yaml.safe_load((profile / "config.yaml").read_text())["executor"]
    named = ["--slurm-jobname-prefix", prefix] if executor == "slurm" else []
    return ["--workflow-profile", str(profile), *named, "--quiet", "host", "reason"]


def clear_up(folder, settings, prefix):
    """Cancel the jobs of an interrupted run, and remove its lock."""
    print(f"{cancel_own_jobs(prefix)} jobs of the interrupted run cancelled.", flush=True)
    subprocess.run(snakemake(folder, settings, "--unlock", "--cores", "1"), check=True, capture_output=True)


def main(options):
    """Check, plan and run (or resume), with this process as the head; then compare the cost with the forecast."""
    profile = check_profile(options.profile)
    configured(options.config, engines=False)
    check_slurm()
    folder = Path(options.directory).resolve()
    prefix = job_prefix(folder)
    lock = hold(folder)
    if options.resume:
        clear_up(folder, options.config, prefix)
    else:
        check_no_remains(folder, prefix)
    check_results(folder / "results", 0)
    for path in cleanup.remove(folder / "results"):
        print(f"{path} was truncated and will be recomputed.")
    cost = forecast.forecast(folder, snakemake(folder, options.config), options.config, options.targets)
    print(cost.text, flush=True)
    check_results(folder / "results", cost.disk_mb)
    forecast.note(folder, prefix, cost, resumed=options.resume)
    command = snakemake(folder, options.config, *profile_arguments(profile, prefix), "--", *options.targets)
    own = {"PERMCONF_JOB_PREFIX": prefix, "PERMCONF_HOME": str(HOME)}
    failed = follow(command, environment=os.environ | own, pass_fds=(lock.fileno(),))
    if not failed:
        accounting.show(folder)
    return 1 if failed else 0
