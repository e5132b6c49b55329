"""The command that runs the workflow, and what it says at the end."""

import os
import signal
import sys
import threading
import time

import pytest

from permconf_study.commands import run
from permconf_study.commands.run import finished, snakemake
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
