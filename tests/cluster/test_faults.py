"""What clusters do to jobs, done on purpose. After each fault the tables must be those of the undisturbed run."""

import contextlib
import os
import random
import signal
import subprocess
import time

import pandas as pd
import pytest
from conftest import ROOT, children_of, slurm, slurm_command, wait_until

from permconf_study.commands.cluster import job_prefix, own_jobs


def test_generic_profile_plans_by_a_pilot(study, expected, record):
    one = study(plan=None, seconds=0.0)
    start = time.monotonic()
    one.finish(one.start(profile=ROOT / "workflow/profiles/generic"))
    assert "Timing a pilot of small" in one.log
    assert "To run: 2 jobs" in one.log
    one.assert_mended(expected)
    record("none", "generic profile, planned by a pilot", one, start)


def test_a_killed_job_is_done_again(study, expected, record):
    one = study()
    head = one.start()
    process, _ = one.computing()
    os.kill(process, signal.SIGKILL)
    start = time.monotonic()
    one.finish(head)
    one.assert_mended(expected)
    assert one.states()["FAILED"] == 1
    record("kill -9 of a job's process", "job failed, was submitted again", one, start)


def test_a_dead_head_process_is_resumed(study, expected, record):
    one = study(seconds=40.0)
    head = one.start()
    one.computing()
    one.kill(head)
    start = time.monotonic()
    assert own_jobs(job_prefix(one.folder)), "the jobs outlive the head process"
    one.finish(one.start())
    assert "Cancelled 2 jobs of an interrupted run." in one.log
    one.assert_mended(expected)
    assert one.states()["CANCELLED"] == 2
    record("kill -9 of the head process", "permconf cluster cancels its jobs and resumes", one, start)


@pytest.mark.alone
def test_killed_heads_and_edits_never_mix(study, record):
    """Head processes die at random moments after their jobs are submitted; an edit follows at another random moment.

    Their jobs are left alone: some finish, some see the edit and stop. Every setting is left and returned to. The runs
    are started by Snakemake itself: `permconf cluster` would cancel the jobs of its predecessor.
    """
    one, kills, rng = study(seconds=1.0), int(os.environ.get("PERMCONF_KILLS", "2")), random.Random(1)
    start, killed = time.monotonic(), 0
    for kill in range(kills):
        one.edit(permutations=19 + 2 * (kill // 4) + kill % 2)
        head = one.start_snakemake()
        before = one.submitted()
        wait_until(lambda: one.submitted() > before or head.poll() is not None, what="a submitted job")  # noqa: B023
        time.sleep(rng.uniform(0, 8))
        killed += head.poll() is None
        one.kill(head)
        time.sleep(rng.uniform(0, 25))
        one.assert_unmixed()
    finished = len(list(one.results.glob("chunks/*/[0-9]*.parquet")))
    assert finished, "no job finished beside a killed head process: nothing was tested"
    one.edit(permutations=80)
    one.finish(one.start())
    assert 80 in one.assert_unmixed()
    assert set(pd.read_parquet(one.results / "tests.parquet")["n_permutations"]) == {80}
    fault = f"kill -9 of {killed} head processes with jobs, an edit after each"
    record(fault, f"{finished} chunks were finished; none is mixed", one, start)


def test_cancelled_and_preempted_jobs_are_done_again(study, expected, record):
    """One job is cancelled by hand, its successor loses its node to an urgent job, and that node is drained."""
    one = study(seconds=20.0)
    head = one.start()
    _, node = one.computing()
    start = time.monotonic()
    (job,) = slurm_command("squeue", "--noheader", "--nodelist", node, "--format=%i")
    slurm_command("scancel", job)
    wait_until(lambda: one.states()["CANCELLED"] == 1, what="a cancelled job")
    _, node = one.computing(besides=job)
    urgent = [
        "sbatch",
        "--parsable",
        "--partition=urgent",
        f"--nodelist={node}",
        "--output=/dev/null",
        "--wrap=sleep 5",
    ]
    slurm_command(*urgent)
    wait_until(lambda: one.states()["PREEMPTED"] == 1, what="a preempted job")
    slurm_command("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    try:
        one.finish(head)
    finally:
        slurm_command("scontrol", "update", f"nodename={node}", "state=resume")
    one.assert_mended(expected)
    record("scancel of a job, preemption of another, drain of its node", "both submitted again", one, start)


def test_a_suspended_head_and_a_deleted_chunk(study, expected, record):
    """The head sleeps while a job ends; a finished chunk is deleted meanwhile. The same command mends it."""
    one = study()
    head = one.start()
    one.computing()
    (snakemake,) = children_of(head.pid)
    start = time.monotonic()
    for process in (head.pid, snakemake):
        os.kill(process, signal.SIGSTOP)
    chunk = wait_until(lambda: next(one.results.glob("chunks/*/[0-9]*.parquet"), None), what="a finished chunk")
    chunk.unlink()
    time.sleep(10)
    for process in (head.pid, snakemake):
        os.kill(process, signal.SIGCONT)
    head.wait(timeout=600)
    one.finish(one.start())
    assert one.tables() == expected
    record("head suspended for 10 s, a finished chunk deleted", "chunk computed again", one, start)


def test_two_undisturbed_clones_at_once(study, expected, record):
    both = study(), study()
    start = time.monotonic()
    heads = [one.start() for one in both]
    for one, head in zip(both, heads, strict=True):
        one.finish(head)
        assert "To run: 2 jobs" in one.log
        one.assert_mended(expected)
    record("none", "two clones at once, two jobs each", both[0], start)


def test_a_living_head_process_is_left_alone(study, expected):
    one = study()
    head = one.start()
    one.computing()
    one.fail(one.start())
    assert f"a run in this folder is still active (process {head.pid} on" in one.log
    one.finish(head)
    one.assert_mended(expected)


def test_a_job_over_its_memory_gets_more(study, expected, record):
    one = study(plan={"memory_mb": 400})  # a job needs about 670 MB, for Snakemake twice and a step
    start = time.monotonic()
    one.finish(one.start())
    one.assert_mended(expected)
    assert one.states()["FAILED"] == 2
    assert any(
        "exceeded memory limit" in path.read_text() for path in one.folder.glob(".snakemake/slurm_logs/**/*.log")
    )
    record("jobs over their memory", "killed, submitted again with twice the memory", one, start)


def test_a_job_over_its_time_gets_more(study, expected, record):
    one = study(seconds=70.0, plan={"runtime": 1})
    for path in one.files("datasets"):  # simulating them has a time of its own
        one.run_here(path)
    start = time.monotonic()
    one.finish(one.start())
    one.assert_mended(expected)
    assert one.states()["TIMEOUT"] >= 1
    record("jobs over their time", "ended by Slurm, submitted again with twice the time", one, start)


def test_a_full_disk_stops_the_run_and_space_lets_it_go_on(study, expected, record):
    one = study(plan={"disk_mb": 0.0})
    plan = (one.folder / "results/plan.yaml").read_text()
    with mounted(one.folder / "results", "-t", "tmpfs", "-o", "size=4m", "tmpfs") as results:
        (results / "plan.yaml").write_text(plan)
        head = one.start(profile=one.profile_without_retries())
        one.computing()
        fill(results / "filler")
        one.fail(head)
        assert "Error in rule permutation_nulls" in one.log
        assert not (one.results / "curves.csv").exists()
        fill(results / "filler")
        one.fail(one.start())
        assert "results cannot be written: No space left on device" in one.log
        (results / "filler").unlink()
        start = time.monotonic()
        one.finish(one.start())
        one.assert_mended(expected)
        record("full disk while jobs run", "run stops; the same command resumes once there is room", one, start)


def test_read_only_results_stop_the_run_until_they_can_be_written(study, expected, record):
    one = study()
    results = one.folder / "results"
    head = one.start(profile=one.profile_without_retries())
    one.computing()
    with mounted(results, "-o", "bind,ro", str(results)):
        one.fail(head)
        one.fail(one.start())
        assert "results cannot be written: Read-only file system" in one.log
    start = time.monotonic()
    one.finish(one.start())
    one.assert_mended(expected)
    record("results become read-only", "run stops; the same command resumes once they can be written", one, start)


def test_a_run_that_does_not_fit_is_not_submitted(study):
    one = study(plan={"disk_mb": 1e9})
    one.fail(one.start())
    assert "but the run needs about 1000000000 MB" in one.log
    assert one.states().total() == 0


def test_a_damaged_chunk_is_noticed_and_redone(study, expected, record):
    one = study(seconds=0.0)
    one.run_here()
    chunk = one.folder / one.files("chunks")[1]
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[: len(whole) // 2])
    for name in ("curves.csv", "tests.parquet"):
        (one.results / name).unlink()
    start = time.monotonic()
    one.finish(one.start())
    assert f"{chunk} was truncated and will be recomputed" in one.log
    assert chunk.read_bytes() == whole
    one.assert_mended(expected, completed=1)
    record("truncated chunk file left behind", "removed before the run, only that chunk done again", one, start)


@pytest.mark.alone
def test_a_crashed_node(study, expected, record):
    one = study()
    head = one.start()
    _, node = one.computing()
    slurm("crash", node)
    start = time.monotonic()
    time.sleep(20)
    slurm("revive", node)
    one.finish(head)
    one.assert_mended(expected)
    assert sum(one.states().values()) > 2
    record("crash of a node, back after 20 s", "its job lost, submitted again elsewhere", one, start)


@pytest.mark.alone
def test_the_controller_goes_away_for_a_while(study, expected, record):
    one = study()
    head = one.start()
    one.computing()
    slurm("pause")
    start = time.monotonic()
    time.sleep(40)
    slurm("resume")
    one.finish(head)
    one.assert_mended(expected)
    record("slurmctld away for 40 s", "jobs run on, head process waits", one, start)


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system mounted on a folder for as long as a block lasts."""
    folder.mkdir(exist_ok=True)
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
