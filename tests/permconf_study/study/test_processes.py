"""One run at a time in a folder; a killed one leaves no lock; steps end with their parent."""

import os
import signal
import subprocess
import sys

import pytest

from permconf_study.study.processes import HELD, FolderInUse, held
from permconf_study.study.snakemake_patches import prepare_run_folder


def test_one_run_at_a_time_in_a_folder(tmp_path):
    with held(tmp_path) as (_, before):
        assert before == ""
        sentence = rf"a run in this folder is still active \(process {os.getpid()} on "
        with pytest.raises(FolderInUse, match=sentence), held(tmp_path, patience=0.1):
            pass
        assert prepare_run_folder(tmp_path) is None
    with held(tmp_path) as (_, before):
        assert before == "", "a run that ended is no interrupted run"


def test_a_killed_holder_leaves_its_name_and_no_lock(tmp_path):
    code = (
        "import os, sys\nfrom permconf_study.study.processes import held\n"
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
        prepare_run_folder(tmp_path)
        assert stale.exists() is not parent_holds
    file = prepare_run_folder(tmp_path)
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
