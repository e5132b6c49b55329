"""Targets besides the paper: which steps they take."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def planned(tmp_path):
    """Numbers of jobs by step, and the scenarios, that a target would take with 20 data sets each."""

    def plan(target):
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            str(ROOT / "Snakefile"),
            "--cores",
            "1",
            "--dry-run",
        ]
        done = subprocess.run(
            [*command, "--config", "datasets=20", "--", target], cwd=tmp_path, capture_output=True, text=True
        )
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        jobs = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}
        return jobs, set(re.findall(r"results/(\w+)/tests.parquet", output))

    return plan


@pytest.mark.slow
def test_deviations_need_no_forest_study(planned):
    jobs, scenarios = planned("deviations")
    assert jobs["deviation_tables"] == 1
    assert not any("forest" in name for name in scenarios)
    assert {"exp1", "exp4_best_of_5_design", "fig04"} <= scenarios
    assert (jobs["redraws"], jobs["other_redraws"]) == (1, 1)


@pytest.mark.slow
def test_forests_are_compared_with_logistic_regression(planned):
    jobs, scenarios = planned("forests")
    assert jobs["forest_comparison"] == 1
    assert {"exp1", "exp1_forest"} <= scenarios


@pytest.mark.slow
def test_mlconfound_gets_predictions_of_every_cell(planned):
    jobs, scenarios = planned("mlconfound")
    steps = ("predictions", "compare_mlconfound", "mlconfound_environment", "mlconfound_table")
    assert [jobs[step] for step in steps] == [8, 8, 1, 1]
    assert len(scenarios) == 8
