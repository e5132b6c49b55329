"""Run the workflow on a cluster, and go on after the head process died: `make cluster`, `make cluster-resume`."""

import argparse
import os
import subprocess
import sys
import time
from hashlib import blake2b
from pathlib import Path

import yaml


class ClusterError(RuntimeError):
    """The cluster cannot be used; the message is one sentence."""


def job_prefix(folder):
    """Job-name prefix of the runs in one folder, so that they are told from everybody else's jobs."""
    return f"permconf-{blake2b(str(Path(folder).resolve()).encode(), digest_size=4).hexdigest()}"


def check_profile(path):
    """The profile's folder, if it is one that sends jobs to a scheduler; Snakemake itself would ignore a wrong path."""
    file = Path(path) / "config.yaml"
    if not file.is_file():
        raise ClusterError(f"there is no cluster profile {path}: {file} does not exist")
    profile = yaml.safe_load(file.read_text())
    executor = profile.get("executor", "local") if isinstance(profile, dict) else "local"
    if executor == "local":
        raise ClusterError(f"profile {path} runs on this machine: it names no executor")
    return Path(path)


def check_slurm():
    """Raise unless Slurm answers."""
    try:
        done = subprocess.run(["sinfo", "--noheader"], capture_output=True, text=True, timeout=20, check=False)
    except FileNotFoundError:
        raise ClusterError("Slurm is not here: the command sinfo was not found") from None
    except subprocess.TimeoutExpired:
        raise ClusterError("Slurm does not answer: sinfo said nothing for 20 seconds") from None
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no reason given").splitlines()[0]
        raise ClusterError(f"Slurm does not answer: {reason}")


def own_jobs(prefix):
    """Numbers of this run's jobs that are still in the queue."""
    lines = subprocess.run(
        ["squeue", "--noheader", "--me", "--format=%i %j"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [number for number, name in (line.split(maxsplit=1) for line in lines) if name.startswith(prefix)]


def cancel_own_jobs(prefix, *, patience=120.0):
    """Cancel what a dead head process left in the queue, and wait until it is gone."""
    jobs = own_jobs(prefix)
    if not jobs:
        return 0
    subprocess.run(["scancel", *jobs], check=True)
    deadline = time.monotonic() + patience
    while own_jobs(prefix):
        if time.monotonic() > deadline:
            raise ClusterError(f"jobs {', '.join(own_jobs(prefix))} do not go away; try again later")
        time.sleep(1)
    return len(jobs)


def snakemake_command(profile, prefix, arguments):
    """The command that runs the workflow under a profile."""
    executor = yaml.safe_load((profile / "config.yaml").read_text())["executor"]
    command = [sys.executable, "-m", "snakemake", "--workflow-profile", str(profile)]
    command += ["--slurm-jobname-prefix", prefix] if executor == "slurm" else []
    return [*command, *arguments]


def run(profile, arguments, *, resume):
    """Run (or resume) the workflow in this folder; returns Snakemake's exit code."""
    profile = check_profile(profile)
    check_slurm()
    prefix = job_prefix(".")
    environment = os.environ | {"PERMCONF_EXECUTOR": "cluster", "PERMCONF_JOB_PREFIX": prefix}
    if resume:
        cancelled = cancel_own_jobs(prefix)
        print(f"{cancelled} jobs of the interrupted run cancelled.", flush=True)
        subprocess.run([sys.executable, "-m", "snakemake", "--unlock", "--cores", "1"], check=True, capture_output=True)
    elif jobs := own_jobs(prefix):
        raise ClusterError(
            f"{len(jobs)} jobs of an earlier run in this folder are still in the queue; use make cluster-resume"
        )
    return subprocess.run(snakemake_command(profile, prefix, arguments), env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__)
    parser.add_argument("--profile", default="workflow/profiles/slurm")
    parser.add_argument("--resume", action="store_true", help="cancel what an interrupted run left behind, then go on")
    options, arguments = parser.parse_known_args()
    try:
        raise SystemExit(run(options.profile, arguments, resume=options.resume))
    except ClusterError as error:
        raise SystemExit(f"permconf: {error}.") from None


if __name__ == "__main__":
    main()
