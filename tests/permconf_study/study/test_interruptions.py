"""One run at a time; what a killed run leaves behind is put in order; what was made from a lost file is made again."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from base64 import urlsafe_b64decode as b64decode

import pytest

from permconf_study.study.interruptions import HELD, FolderInUse, held, mark_unfinished, put_in_order


@pytest.fixture
def record(tmp_path):
    """Write Snakemake's record of a file; returns where its marker would be."""

    def write(name, inputs, text=None):
        key = base64.urlsafe_b64encode(name.encode()).decode()
        path = tmp_path / ".snakemake/metadata" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"input": inputs}) if text is None else text)
        return tmp_path / ".snakemake/incomplete" / key

    return write


def test_what_was_made_from_a_missing_file_is_unfinished(tmp_path, record):
    (tmp_path / "there").touch()
    finished, unfinished = record("a", ["there"]), record("b", ["there", "gone"])
    damaged, without = record("c", [], text='{"input": ["the'), record("d", [])
    mark_unfinished(tmp_path)
    assert [path.exists() for path in (finished, unfinished, damaged, without)] == [False, True, True, False]
    assert json.loads(unfinished.read_text()) == {"external_jobid": None}


def test_results_without_records_are_unfinished(tmp_path, record):
    for name in ("results/a/t.csv", "results/" + 250 * "x", "figures/f.pdf", "data/mine.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    mark_unfinished(tmp_path)
    marked = {b64decode(path.name).decode() for path in (tmp_path / ".snakemake/incomplete").iterdir()}
    assert marked == {"results/a/t.csv", "figures/f.pdf"}
    record("b", [])
    for path in (tmp_path / ".snakemake/incomplete").iterdir():
        path.unlink()
    mark_unfinished(tmp_path)
    assert not list((tmp_path / ".snakemake/incomplete").iterdir())


def test_files_from_the_future_get_the_present_time(tmp_path):
    past, future = tmp_path / "results/a/past.csv", tmp_path / "figures/future.png"
    for path, seconds in ((past, 1e9), (future, 1e10)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (seconds, seconds))
    put_in_order(tmp_path).close()
    assert past.stat().st_mtime == 1e9
    assert abs(future.stat().st_mtime - time.time()) < 60


def test_one_run_at_a_time_in_a_folder(tmp_path):
    with held(tmp_path) as (_, before):
        assert before == ""
        sentence = rf"a run in this folder is still active \(process {os.getpid()} on "
        with pytest.raises(FolderInUse, match=sentence), held(tmp_path, patience=0.1):
            pass
        assert put_in_order(tmp_path) is None
    with held(tmp_path) as (_, before):
        assert before == "", "a run that ended is no interrupted run"


def test_a_killed_holder_leaves_its_name_and_no_lock(tmp_path):
    code = (
        "import os, sys\nfrom permconf_study.study.interruptions import held\n"
        "with held(sys.argv[1]): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    with held(tmp_path, patience=0) as (_, before):
        assert before.startswith("process ")


@pytest.mark.parametrize("parent_holds", [False, True])
def test_stale_locks_of_snakemake_are_removed_by_the_holder(tmp_path, monkeypatch, parent_holds):
    stale = tmp_path / ".snakemake/locks/0.output.lock"
    stale.parent.mkdir(parents=True)
    stale.touch()
    with held(tmp_path):
        if parent_holds:
            monkeypatch.setenv(HELD, "1")
        put_in_order(tmp_path)
        assert stale.exists() is not parent_holds
    file = put_in_order(tmp_path)
    assert not stale.exists()
    if file:
        file.close()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_step_ends_with_the_process_that_started_it():
    step = "import time; from permconf_study.study.processes import end_with_parent; end_with_parent();"
    step += "print(1, flush=True); time.sleep(60)"
    parent = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {step!r}]); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"1\n"
    process.send_signal(signal.SIGKILL)
    assert process.stdout.read() == b""  # the pipe closes when the step has ended
    process.wait()
    process.stdout.close()
