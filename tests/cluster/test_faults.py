"""What clusters do to jobs, done on purpose. After each fault the tables must be those of the undisturbed run.

A run of the workflow costs more than a fault, so each test does as much to one study as can be told apart.
"""

import contextlib
import os
import random
import re
import signal
import subprocess
import time

import pandas as pd
import pytest
from conftest import ROOT, children_of, slurm, slurm_command, wait_until

from permconf_study.commands.cluster import job_prefix, own_jobs

SITE = {"mem_mb": 1000, "runtime": 30}  # default resources of the profile
WRONG = [  # changes of the profile, options of the command, what is said
    ({}, ["--account", "nobdy"], "account 'nobdy' is not one of yours; choose from root"),
    ({}, ["--partition", "mian"], "--partition=mian.*: Invalid partition name specified"),
    ({}, ["--partition", "urgent"], "--time=30 .*: Requested time limit is invalid"),  # it has ten minutes
    ({"mem_mb": 64000}, [], "--mem=64000: Requested node configuration is not available"),
    ({"runtime": "tomorrow"}, [], "'runtime' with value 'tomorrow' could not be parsed as minutes"),
    ({"qos": "hihg"}, [], "quality of service 'hihg' is not known to Slurm; choose from normal"),
    ({"constraint": "gpu"}, [], "--constraint=gpu: Invalid feature specification"),
    ({"slurm_extra": "'--gres=gpu:1'"}, [], "--gres=gpu:1: Invalid generic resource"),
    ({"reservation": "mine"}, [], "--reservation=mine: Requested reservation is invalid"),
    ({"nodes": 99}, [], "--nodes=99: .*"),
    ({}, ["--profile", "workflow/profiles/slrum"], "no cluster profile workflow/profiles/slrum: .*does not exist"),
    ({"jbos": 100}, [], "cannot be used: unrecognized arguments: --jbos=100"),
    ({"executor": "slrum"}, [], "cannot be used: argument --executor/-e: invalid choice: 'slrum'"),
    ({"executor": "local"}, [], "runs locally: it sets no executor"),
]


@pytest.mark.alone
def test_wrong_settings_are_named_before_anything_is_submitted(study, record):
    """Also more memory in the plan than any node has, and a controller that is away; nor does a dry run submit."""
    one = study()
    assert one.start(more=["--dry-run"]).wait(timeout=60) == 0
    assert "To run: 2 jobs" in one.log

    def refused(what, message, *options):
        start = time.monotonic()
        head = one.start(profile, more=options)
        one.fail(head, timeout=30)
        said = next(line for line in one.log.splitlines()[before:] if line.startswith("permconf: "))
        assert re.search(message, said), one.log
        record(f"wrong setting: {what}", said.removeprefix("permconf: "), one, start)

    for changes, options, message in WRONG:
        site = {key: value for key, value in changes.items() if key not in ("jbos", "executor")}
        other = {key: value for key, value in changes.items() if key not in site}
        profile, before = one.profile(**other, **{"default-resources": SITE | site}), len(one.log.splitlines())
        refused(", ".join([*(f"{key}: {value}" for key, value in changes.items()), *options]), message, *options)
    profile, before = one.profile(), len(one.log.splitlines())
    one.plan(memory_mb=64000)
    refused("64000 MB in the plan", "--mem=64000: Requested node configuration is not available")
    before = len(one.log.splitlines())
    slurm("pause")
    try:
        refused("the controller is away", "Slurm does not respond: ")
    finally:
        slurm("resume")
    assert one.states().total() == 0


def test_jobs_over_their_memory_and_then_over_their_time_get_more(study, expected, record):
    """The first attempt has too little memory; the time of the second is cut to a minute."""
    one = study(plan={"memory_mb": 300})  # a job needs more, for Snakemake twice and a step, but not twice as much
    head, start = one.start(hold=True), time.monotonic()
    wait_until(lambda: one.states()["FAILED"] == 2, what="jobs over their memory")
    logs = one.folder.glob(".snakemake/slurm_logs/**/*.log")
    assert any("exceeded memory limit" in path.read_text() for path in logs)
    record("jobs over their memory", "killed, submitted again with twice the memory", one, start)
    for number in one.computing():
        slurm_command("scontrol", "update", f"jobid={number}", "timelimit=1")
    wait_until(lambda: one.states()["TIMEOUT"] == 2, what="jobs over their time")
    one.release()
    one.finish(head)
    assert one.log.count("It ran out of memory. It is submitted again") == 2
    assert one.log.count("'TIMEOUT'") == 2
    one.assert_mended(expected)
    record("jobs over their time as well", "ended by Slurm, submitted again with more time", one, start)


def test_jobs_are_killed_cancelled_preempted_and_lose_their_node(study, expected, record):
    """One job is killed, its successor preempted; the other is cancelled, the node of its successor crashes."""
    one = study()
    head, start = one.start(hold=True), time.monotonic()
    (first, (process, _)), (second, _) = one.computing().items()
    os.kill(process, signal.SIGKILL)
    slurm_command("scancel", second)
    (_, preempted), (_, crashed) = one.computing(besides=(first, second)).values()
    assert one.states()["FAILED"] == one.states()["CANCELLED"] == 1
    urgent = ["--partition=urgent", f"--nodelist={preempted}", "--output=/dev/null", "--wrap=sleep 5"]
    slurm_command("sbatch", "--parsable", *urgent)
    wait_until(lambda: one.states()["PREEMPTED"] == 1, what="a preempted job")
    slurm_command("scontrol", "update", f"nodename={preempted}", "state=drain", "reason=test")
    slurm("crash", crashed)
    one.release()
    try:
        wait_until(lambda: one.states()["NODE_FAIL"] == 1, what="a job that lost its node", timeout=60)
    finally:
        slurm("revive", crashed)
        slurm_command("scontrol", "update", f"nodename={preempted}", "state=resume")
    one.finish(head)
    one.assert_mended(expected)
    fault = "kill -9 and scancel of jobs; preemption and a crashed node for their successors; a drained node"
    record(fault, "all submitted again", one, start)


def test_heads_are_ended_killed_and_suspended(study, expected, record):
    """A head is left alone while it lives, ends soon after SIGTERM or Ctrl-C, is resumed after SIGKILL and SIGSTOP."""
    one = study()
    head = one.start(ROOT / "workflow/profiles/slurm", hold=True)
    one.computing()
    one.fail(one.start())
    assert f"a run in this folder is still active (process {head.pid} on" in one.log
    for ended, number in enumerate((signal.SIGTERM, signal.SIGINT), 1):
        start = time.monotonic()
        head.send_signal(number)
        assert head.wait(timeout=30) == 1
        assert one.log.count("the same command resumes") == ended
        assert not own_jobs(job_prefix(one.folder))
        record(f"{number.name} to the head process", "cancels its jobs and ends", one, start)
        head = one.start(hold=True)
        jobs = one.computing()
    one.kill(head)
    start = time.monotonic()
    assert len(own_jobs(job_prefix(one.folder))) == 2, "the jobs outlive the head process"
    one.release()
    head = one.start(hold=True)
    wait_until(lambda: "Cancelled 2 jobs of an interrupted run." in one.log, what="cancelled jobs")
    one.computing(besides=jobs)
    (snakemake,) = children_of(head.pid)
    for process in (head.pid, snakemake):
        os.kill(process, signal.SIGSTOP)
    one.release()
    chunk = wait_until(lambda: next(one.results.glob("chunks/*/[0-9]*.parquet"), None), what="a finished chunk")
    chunk.unlink()
    wait_until(lambda: not own_jobs(job_prefix(one.folder)), what="the end of its jobs")
    for process in (head.pid, snakemake):
        os.kill(process, signal.SIGCONT)
    if head.wait(timeout=300):
        one.finish(one.start())
    assert one.tables() == expected
    fault = "kill -9 of the head process; suspension of the next, a finished chunk deleted meanwhile"
    record(fault, "its jobs are cancelled, the run resumes; the chunk is computed again", one, start)


def test_killed_heads_and_edits_never_mix(study, record):
    """Head processes die at random moments after their jobs are submitted; an edit follows at another random moment.

    Their jobs are left alone: some finish, some see the edit and stop. Every setting is left and returned to. The runs
    are started by Snakemake itself: `permconf cluster` would cancel the jobs of its predecessor.
    """
    one, kills = study(), int(os.environ.get("PERMCONF_KILLS", "2"))
    rng = random.Random(kills)
    start, killed, edits = time.monotonic(), 0, 0
    while killed < kills and edits < 3 * kills:
        one.edit(permutations=19 + 2 * (edits // 4) + edits % 2)
        edits += 1
        head, before = one.start_snakemake(), one.submitted()
        wait_until(lambda: one.submitted() > before or head.poll() is not None, what="a submitted job")  # noqa: B023
        time.sleep(rng.uniform(0, 6))
        killed += one.submitted() > before and head.poll() is None
        one.kill(head)
        time.sleep(rng.uniform(0, 15))
        one.assert_unmixed()
    assert killed == kills
    wait_until(lambda: not own_jobs(job_prefix(one.folder)), what="the end of the last jobs")
    one.assert_unmixed()
    finished = len(list(one.results.glob("chunks/*/[0-9]*.parquet")))
    assert finished, "no job finished beside a killed head process: nothing was tested"
    one.edit(permutations=80)
    one.finish(one.start())
    assert 80 in one.assert_unmixed()
    assert set(pd.read_parquet(one.results / "tests.parquet")["n_permutations"]) == {80}
    fault = f"kill -9 of {killed} head processes with jobs, an edit after each"
    record(fault, f"{finished} chunks were finished; none is mixed", one, start)


def test_disks_that_are_small_full_or_read_only(study, expected, record):
    one = study(plan={"disk_mb": 1e9})
    one.fail(one.start())
    assert "but the run needs about 1000000000 MB" in one.log
    assert one.states().total() == 0
    with mounted(one.folder / "results", "-t", "tmpfs", "-o", "size=4m", "tmpfs") as results:
        one.plan(disk_mb=0.0)
        head = one.start(one.profile(retries=0), hold=True)
        one.computing()
        fill(results / "filler")
        one.release()
        one.fail(head)
        assert "Error in rule permutation_nulls" in one.log
        assert not (one.results / "curves.csv").exists()
        fill(results / "filler")
        one.fail(one.start())
        assert "results cannot be written: No space left on device" in one.log
        (results / "filler").unlink()
        start = time.monotonic()
        head = one.start(one.profile(retries=0), hold=True)
        one.computing()
        subprocess.run(["mount", "-o", "remount,ro", results], check=True)
        one.release()
        one.fail(head)
        one.fail(one.start())
        assert "results cannot be written: Read-only file system" in one.log
        subprocess.run(["mount", "-o", "remount,rw", results], check=True)
        one.finish(one.start())
        one.assert_mended(expected)
        record("full disk, then read-only results", "run stops; the same command resumes", one, start)


@pytest.mark.alone
def test_two_clones_with_both_profiles_while_the_controller_goes_away(study, expected, record):
    one, other = study(), study(plan=None)
    start = time.monotonic()
    heads = one.start(hold=True), other.start(other.profile("generic"))
    wait_until(lambda: "To run: 2 jobs" in other.log, what="a plan by a pilot")
    assert "Timing a pilot of small" in other.log
    other.hold.touch()
    for clone in (one, other):
        clone.computing()
    slurm("pause")
    for clone in (one, other):
        clone.release()
    time.sleep(20)
    slurm("resume")
    for clone, head in zip((one, other), heads, strict=True):
        clone.finish(head)
        clone.assert_mended(expected)
    record("two clones at once, slurmctld away for 20 s", "jobs run on, head processes wait", one, start)


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system mounted on a folder for as long as a block lasts."""
    subprocess.run(["mount", *options, str(folder)], check=True)
    try:
        yield folder
    finally:
        unmount = ["umount", str(folder)]
        wait_until(lambda: subprocess.run(unmount, check=False).returncode == 0, what="unmounting", timeout=30)


def fill(path):
    """Write to a file until the disk is full."""
    with open(path, "ab", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
