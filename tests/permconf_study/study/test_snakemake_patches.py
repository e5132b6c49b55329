"""Every end of a Slurm job is one that the plugin takes for an end; no file has a time in the future."""

import asyncio
import inspect
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from permconf_study.study import snakemake_patches as patches
from permconf_study.study.snakemake_patches import failure_sentence, patch_slurm_plugin, understood

plugin = pytest.importorskip("snakemake_executor_plugin_slurm")
ENDS = "BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REVOKED SPECIAL_EXIT TIMEOUT"
KNOWN = set(re.findall(r'"([A-Z_]+)"', inspect.getsource(plugin.Executor.check_active_jobs))) - {"PREEMPTED"}


@pytest.mark.parametrize("state", [*ENDS.split(), "CANCELLED by 1000"])
def test_every_end_is_understood(state):
    assert understood(state, requeued=False) in KNOWN


def test_a_preempted_job_is_left_to_slurm_where_slurm_requeues():
    assert understood("PREEMPTED", requeued=True) == "PREEMPTED"


def test_the_plugin_gets_words_that_it_understands(monkeypatch):
    async def sacct(_command, _logger):
        return {"1": "CANCELLED by 0", "2": "PREEMPTED", "3": "RUNNING"}, 0.1

    monkeypatch.setattr(plugin, "query_job_status", sacct)
    workflow = SimpleNamespace(executor_settings=SimpleNamespace(requeue=False))
    patch_slurm_plugin(workflow)
    patched = plugin.query_job_status
    patch_slurm_plugin(workflow)
    assert plugin.query_job_status is patched
    states, _ = asyncio.run(plugin.query_job_status("sacct", None))
    assert states == {"1": "CANCELLED", "2": "FAILED", "3": "RUNNING"}


def test_an_accounting_that_does_not_respond_stays_that(monkeypatch):
    async def silent(_command, _logger):
        return None, None

    monkeypatch.setattr(plugin, "query_job_status", silent)
    patch_slurm_plugin(SimpleNamespace(executor_settings=SimpleNamespace(requeue=None)))
    assert asyncio.run(plugin.query_job_status("sacct", None)) == (None, None)


def test_a_failed_job_says_why_and_whether_it_is_tried_again(tmp_path):
    (tmp_path / "1.log").write_text("slurmstepd: error: Job 1 exceeded memory limit (501 > 400), being killed\n")
    said = "SLURM-job '1' failed, SLURM status is: 'FAILED'. "
    again = "It is submitted again with more memory and time (attempt 2 of 3)."
    assert failure_sentence(said, [tmp_path / "1.log"], 1, 3) == f"{said}It ran out of memory. {again}"
    assert failure_sentence(said, [tmp_path / "none.log"], 3, 3) == said.strip()
    assert "It ran out of memory." in failure_sentence("SLURM status is: 'OUT_OF_MEMORY'.", (), 3, 3)


def test_the_sentence_about_a_group_of_jobs_reaches_the_log(monkeypatch):
    from snakemake import jobs
    from snakemake.logging import logger

    said = Counter()
    monkeypatch.setattr(jobs.GroupJob, "log_error", lambda *_arguments, **_details: said.update(["the original"]))
    monkeypatch.setattr(logger, "error", lambda message: said.update([message]))
    for _ in range(2):
        patches.patch_group_errors()
    jobs.GroupJob.log_error(SimpleNamespace(attempt=3, restart_times=2), "sbatch failed.", None)
    assert said == {"sbatch failed.": 1, "the original": 1}


FORKED = """
import subprocess, time
from pathlib import Path
from types import SimpleNamespace
from snakemake.script import PythonScript
from permconf_study.study import snakemake_patches

snakemake_patches.fork_scripts()
step = SimpleNamespace(threads=1, conda_env=None, container_img=None, env_modules=None, bench_record=None)
step.resources = {"tmpdir": "/t"}
for text in ("FOUND = 'before'", "FOUND = 'after the edit'"):
    Path("edited.py").write_text(text)
    PythonScript.execute_script(step, "good.py")
try:
    PythonScript.execute_script(step, "bad.py")
except subprocess.CalledProcessError as error:
    print(error, flush=True)
PythonScript.execute_script(step, "long.py")
"""
GOOD = """
import os, sys
drawn = sys.modules["numpy"].random.random()
loaded = [name for name in ("numba", "pandas") if name in sys.modules]
sys.path.insert(0, "")
import edited
print(drawn, edited.FOUND, os.environ["OPENBLAS_NUM_THREADS"], os.environ["TMP"], loaded, __name__, flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")
def test_a_forked_script_is_like_a_process_of_its_own(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text("raise SystemExit('permconf: why')")
    (tmp_path / "long.py").write_text("import time; print('waits', flush=True); time.sleep(60)")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FORKED], cwd=tmp_path, **pipes) as run:
        before, after, failed, _waits = (run.stdout.readline().rstrip() for _ in range(4))
        run.kill()
        assert run.stdout.read() == "", "the pipe closes when the script that waits has ended, too"
        assert run.stderr.read() == "permconf: why\n"
    (drawn, before), (drawn_after, after) = before.split(maxsplit=1), after.split(maxsplit=1)
    assert drawn != drawn_after, "scripts do not share the state of numpy.random"
    assert before == "before 1 /t ['numba', 'pandas'] __main__"
    assert after == "after the edit 1 /t ['numba', 'pandas'] __main__"
    assert failed == "Command 'python bad.py' returned non-zero exit status 1."


def test_no_timer_keeps_a_finished_run():
    from snakemake.scheduling.job_scheduler import JobScheduler

    patches.end_when_done()
    before = set(threading.enumerate())
    JobScheduler._schedule_reevalutation(SimpleNamespace(_open_jobs=threading.Semaphore(0)), 600)
    (timer,) = set(threading.enumerate()) - before
    assert timer.daemon
    timer.cancel()


def test_files_from_the_future_get_the_present_time(tmp_path):
    past, future = tmp_path / "results/a/past.csv", tmp_path / "figures/future.png"
    for path, seconds in ((past, 1e9), (future, 1e10)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (seconds, seconds))
    patches.prepare_run_folder(tmp_path).close()
    assert past.stat().st_mtime == 1e9
    assert abs(future.stat().st_mtime - time.time()) < 60
