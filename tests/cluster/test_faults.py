"""What clusters do to jobs, done on purpose. After each fault the tables must be those of the undisturbed run."""

import os
import signal
import subprocess
import time

import pandas as pd
import pytest
from conftest import assert_clean, queue, script_processes, slurm, wait_until

pytestmark = pytest.mark.usefixtures("cluster")


def _a_job_computes():
    return wait_until(script_processes, what="a running permutation_nulls job")


def test_undisturbed(study, undisturbed):
    one = study()
    one.finish(one.start())
    assert_clean(one, undisturbed)


def test_generic_profile(study, undisturbed):
    one = study()
    one.finish(one.start(profile="generic"))
    assert_clean(one, undisturbed)


def test_a_killed_job_is_done_again(study, undisturbed):
    one = study()
    head = one.start()
    os.kill(_a_job_computes()[0], signal.SIGKILL)
    one.finish(head)
    assert_clean(one, undisturbed)


def test_a_crashed_node(study, undisturbed):
    one = study()
    head = one.start()
    _a_job_computes()
    node = queue("R")[0][1]
    slurm("crash", node)
    time.sleep(20)
    slurm("revive", node)
    one.finish(head)
    assert_clean(one, undisturbed)


def test_a_dead_head_process_is_resumed(study, undisturbed):
    one = study()
    head = one.start()
    _a_job_computes()
    os.killpg(head.pid, signal.SIGKILL)
    head.wait()
    assert queue("all"), "the jobs outlive the head process"
    one.finish(one.start(resume=True))
    assert_clean(one, undisturbed)


def test_a_second_run_beside_orphans_is_refused(study):
    one = study()
    head = one.start()
    _a_job_computes()
    os.killpg(head.pid, signal.SIGKILL)
    head.wait()
    assert one.start().wait(timeout=60) != 0
    assert "use make cluster-resume" in (one.folder / "head.log").read_text()
    jobs = [job for job, _ in queue("R")]
    subprocess.run(["scancel", *jobs], check=True)
    wait_until(lambda: not queue("all"), what="an empty queue")


def test_a_job_over_its_memory_gets_more(study, undisturbed):
    one = study(plan={"memory_mb": 130, "runtime": 10})
    one.finish(one.start())
    assert_clean(one, undisturbed)
    states = subprocess.run(
        ["sacct", "-X", "-n", "-S", "now-1hour", "-o", "State"], capture_output=True, text=True
    ).stdout
    assert "OUT_OF_ME" in states or "FAILED" in states or "CANCELLED" in states


def test_a_job_over_its_time_gets_more(study):
    one = study(datasets=2, chunk=2, trees=60_000, plan={"memory_mb": 600, "runtime": 1})
    head = one.start()
    one.finish(head, timeout=900)
    states = subprocess.run(
        ["sacct", "-X", "-n", "-S", "now-1hour", "-o", "State"], capture_output=True, text=True
    ).stdout
    assert "TIMEOUT" in states
    assert len(pd.read_parquet(one.folder / "results/small/tests.parquet")) == 2


def test_the_controller_goes_away_for_a_while(study, undisturbed):
    one = study()
    head = one.start()
    _a_job_computes()
    slurm("pause")
    time.sleep(40)
    slurm("resume")
    one.finish(head)
    assert_clean(one, undisturbed)


def test_a_full_disk_stops_the_run_and_space_lets_it_go_on(study, undisturbed):
    one = study()
    results = one.folder / "results"
    results.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(results)], check=True)
    try:
        assert one.start().wait(timeout=600) != 0
        assert not list(results.glob("small/curves.csv"))
        subprocess.run(["mount", "-o", "remount,size=200m", str(results)], check=True)
        one.finish(one.start(resume=True))
        assert_clean(one, undisturbed)
    finally:
        subprocess.run(["umount", "-l", str(results)], check=True)


def test_a_damaged_chunk_is_noticed_and_redone(study, undisturbed):
    one = study()
    one.finish(one.start())
    chunk = sorted((one.folder / "results/small/chunks").glob("*.tests.parquet"))[1]
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[: len(whole) // 2])
    assert one.start().wait(timeout=300) != 0
    assert "is damaged and was removed" in (one.folder / "results/logs/aggregate/small.log").read_text()
    assert not chunk.exists()
    one.finish(one.start(resume=True))
    assert chunk.read_bytes() == whole
    assert_clean(one, undisturbed)
