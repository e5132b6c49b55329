"""The settings of a cluster run, tried before anything is submitted: each mistake is named in one sentence.

Otherwise a wrong account would be waited for without a word, and a wrong partition, memory or time would only be seen
after jobs were submitted.
"""

import asyncio
import contextlib
import getpass
import io
import re
import shlex
import subprocess
from pathlib import Path

import yaml

from permconf.errors import ConfigError, nearest, one_line
from permconf_study.study.paths import located

PATIENCE = 20  # seconds for an answer of Slurm
# Options of sbatch, by the resource for which Snakemake's Slurm plugin gives them.
FLAGS = {"slurm_partition": "partition", "slurm_account": "account", "runtime": "time", "mem_mb": "mem"}
FLAGS |= {"mem_mb_per_cpu": "mem-per-cpu", "cpus_per_task": "cpus-per-task"}
FLAGS |= {name: name for name in ("clusters", "nodes", "constraint", "gres", "qos", "reservation")}
OF_PLUGIN = {"slurm_qos": "qos", "slurm_reservation": "reservation"}  # options of the plugin that are such flags
NO_NODE = "Requested node configuration is not available"  # also if all nodes are drained: then jobs would wait


class ClusterError(ConfigError):
    """The cluster cannot be used; the message is one sentence."""


def profile_folder(path):
    """The folder of a profile; Snakemake itself would ignore a wrong path."""
    file = located(path) / "config.yaml"
    if not file.is_file():
        raise ClusterError(f"no cluster profile {path}: {Path(path) / 'config.yaml'} does not exist")
    return file.parent.resolve()


def profile_options(profile):
    """The options that Snakemake reads from a profile, which has to submit jobs to a scheduler."""
    from snakemake.cli import get_argument_parser  # takes a second, and ten if Slurm does not respond

    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            options = get_argument_parser(profiles=[str(profile)]).parse_args([])
    except (SystemExit, Exception) as error:
        reason = said.getvalue().strip().rpartition("error: ")[2] or one_line(error)
        raise ClusterError(f"profile {profile} cannot be used: {reason}") from None
    if (options.executor or "local") == "local":
        raise ClusterError(f"profile {profile} runs locally: it sets no executor")
    return options


def site_resources(profile, *, partition=None, account=None):
    """The default resources in the file of a profile, with the partition and account of the command line."""
    given = {"slurm_partition": partition, "slurm_account": account}
    defaults = yaml.safe_load((profile / "config.yaml").read_text()).get("default-resources") or {}
    return defaults | {key: value for key, value in given.items() if value}


def check_slurm():
    """Raise unless Slurm responds."""
    done = slurm_says(["scontrol", "ping"])
    if " is UP" not in done.stdout:
        said = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[0]
        raise ClusterError(f"Slurm does not respond: {said}")


def check_submission(resources, options=None):
    """Raise unless Slurm would accept a job with these resources, and its account and quality of service exist.

    `options` are those of the profile. If no node is available at all, jobs would wait: that is only noted.
    """
    requested = _evaluated(resources)
    given = {flag: getattr(options, key, None) for key, flag in OF_PLUGIN.items()}
    requested |= {flag: value for flag, value in given.items() if isinstance(value, str)}
    if "mem_mb_per_cpu" in requested:
        requested.pop("mem_mb", None)  # as the plugin does
    user = f"user={getpass.getuser()}"
    _check_known(requested.get("slurm_account"), "account", "one of yours", "associations", user, "format=account")
    _check_known(requested.get("qos"), "quality of service", "known to Slurm", "qos", "format=name")
    flags = {key: f"--{flag}={requested[key]}" for key, flag in FLAGS.items() if key in requested}
    asked = [*flags.values(), *shlex.split(str(requested.get("slurm_extra", "")))]
    if not (reason := _refusal(asked)):
        return
    if reason == NO_NODE and _refusal([flags[key] for key in ("slurm_partition",) if key in flags]) == NO_NODE:
        print("No node of the partition is available at present (see sinfo); jobs will wait.", flush=True)
        return
    raise ClusterError(f"Slurm would not accept a job with {' '.join(asked)}: {reason}")


def _evaluated(resources):
    """Resources as Snakemake understands them (2h are 120 minutes) at the first attempt, without those that depend on
    input files.
    """
    from snakemake.resources import Resources
    from snakemake_interface_common.exceptions import WorkflowError

    known: dict = {"wildcards": None, "input": [], "attempt": 1, "threads": 1, "rulename": "", "async_run": asyncio.run}
    unused = "mem" if "mem_mb" in resources else ""  # two names of one resource
    given = [f"{key}={value}" for key, value in resources.items() if "input." not in str(value) and key != unused]
    try:
        parsed = Resources.parse(given, allow_expressions=True)
        return {key: (one.evaluate(**known) if one.is_evaluable() else one).value for key, one in parsed.items()}
    except WorkflowError as error:
        raise ClusterError(f"default-resources of the profile: {one_line(str(error).splitlines()[0])}") from None


def _check_known(name, kind, what, *query):
    """Raise if Slurm's accounting knows names of this kind, but not this one."""
    if name is None:
        return
    done = slurm_says(["sacctmgr", "--noheader", "--parsable2", "show", *query])
    known = set(done.stdout.split()) if done.returncode == 0 else set()
    if known and str(name) not in known:
        raise ClusterError(f"{kind} {name!r} is not {what}{nearest(name, known)}")


def _refusal(asked):
    """Why Slurm would refuse a job with these requests; empty if it would not."""
    done = slurm_says(["sbatch", "--test-only", *asked, "--wrap", "true"])
    if done.returncode == 0:
        return ""
    said = [line for line in done.stderr.splitlines() if not line.startswith("Try ")] or ["no reason given"]
    return re.sub(r"^(sbatch: |error: |allocation failure: )*", "", said[-1])


def slurm_says(command):
    """The answer of a command of Slurm."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except FileNotFoundError:
        raise ClusterError(f"Slurm is not installed: the command {command[0]} was not found") from None
    except subprocess.TimeoutExpired:
        raise ClusterError(f"Slurm does not respond: {command[0]} timed out after {PATIENCE} seconds") from None
