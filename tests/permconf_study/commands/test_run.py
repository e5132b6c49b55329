"""The command that runs the workflow, and what it says at the end."""

import os
import signal
import sys
import threading
import time

import pytest

from permconf_study.commands import run
from permconf_study.commands.run import finished, remove_temporary, snakemake
from permconf_study.study.configuration import read_settings
from permconf_study.study.tables import write_table


@pytest.mark.parametrize(
    ("given", "passed_on", "value"),
    [("seed=010", "seed=8", 8), ("datasets=null", "datasets=", None), ("max_failed=.1", "max_failed=0.1", 0.1)],
)
def test_snakemake_is_given_the_values_that_other_commands_read(given, passed_on, value):
    command = snakemake("folder", [given])
    assert command[command.index("--config") + 1 :] == [passed_on]
    assert read_settings([given])[given.partition("=")[0]] == value


def test_a_damaged_table_of_another_scenario_does_not_matter(tmp_path):
    write_table({"dataset": [0, 1], "status": ["ok", "failed"]}, tmp_path / "results/a/tests.parquet")
    (tmp_path / "results/b").mkdir()
    (tmp_path / "results/b/tests.parquet").write_text("garbage")
    (said,) = finished(tmp_path, 3.2)
    assert "Done in 3 s: 0 figures in " in said
    assert "from 2 scenarios and 2 assessments (1 failed)" in said


def test_a_command_that_does_not_end_after_a_signal_is_killed(monkeypatch):
    monkeypatch.setattr(run, "PATIENCE", 1)
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"
    threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGTERM)).start()
    start = time.monotonic()
    assert run.follow([sys.executable, "-c", deaf]) == -signal.SIGKILL
    assert time.monotonic() - start < 30


SAID = """\
- Building DAG of jobs...
+ Job stats:
+ job      count
- [Mon Nov 16 04:42:46 2026]
- rule simulate:
-     input: results/exp1/design/000.csv
-     reason: Missing output files
-
- [Mon Nov 16 04:42:46 2026] Group job chunk (jobs in lexicogr. order):
-
-     [Mon Nov 16 04:42:46 2026]
-     rule permutation_nulls:
-         input: x.npz
+ Job 1 has been submitted with SLURM jobid 4 (log: 4.log).
- [Mon Nov 16 04:43:28 2026]
- localrule aggregate:
-     input: y.parquet
- [Mon Nov 16 04:43:28 2026]
- Finished jobid: 7 (Rule: simulate)
+ 3 of 10 steps (30%) done
- [Mon Nov 16 04:43:29 2026]
+ Error in rule simulate:
+     message: SLURM-job '4' failed, SLURM status is: 'TIMEOUT'.
+     log: results/logs/simulate/exp1/00000-00009.log (check log file(s) for error details)
- [Mon Nov 16 04:43:29 2026]
+     message: Error in group chunk
+     jobs:
+         rule simulate:
+             jobid: 3
+ WorkflowError:
+ At least one job did not complete successfully.
"""


def test_progress_and_errors_are_shown_and_jobs_are_not():
    lines = SAID.splitlines(keepends=True)
    shown = run.shown(line[2:] or "\n" for line in lines)
    assert list(shown) == [line[2:] for line in lines if line.startswith("+")]


@pytest.mark.parametrize("name", ["exp1/.tests.77.parquet", "exp1/chunks/f/.00000-00009.77.parquet", ".claims.77.csv"])
def test_what_killed_jobs_were_writing_is_removed(tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    for path in (tmp_path / name, kept := tmp_path / ".gitignore"):
        path.touch()
    remove_temporary(tmp_path)
    assert not (tmp_path / name).exists()
    assert kept.exists()
