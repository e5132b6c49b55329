"""Targets besides the paper: which steps they take."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Numbers of jobs by step, and the scenarios, that targets would take with 20 data sets each."""

    def plan(*targets):
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            ROOT / "workflow/Snakefile",
            "--cores",
            "1",
            "--dry-run",
        ]
        command += ["--config", "datasets=20", "--", *targets]
        folder = tmp_path_factory.mktemp("plan")
        done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        jobs = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}
        return jobs, set(re.findall(r"results/(\w+)/tests.parquet", output))

    return plan


@pytest.mark.slow
def test_deviations_and_extensions_need_no_forest_study(planned, scenarios):
    jobs, needed = planned("deviations", "scenarios")
    assert (jobs["deviation_tables"], jobs["redraws"], jobs["other_redraws"]) == (1, 1, 1)
    assert {"exp1", "exp4_best_of_5_design", "fig04"} <= needed
    assert not any("forest" in name and name.startswith(("exp", "section4")) for name in needed)
    extensions = [name for name, scenario in scenarios.items() if scenario["group"] == "extension"]
    assert jobs["scenario_figure"] == len(extensions)


@pytest.mark.slow
def test_forests_and_mlconfound_take_their_comparisons(planned):
    jobs, needed = planned("forests", "mlconfound")
    steps = ("forest_comparison", "predictions", "compare_mlconfound", "mlconfound_environment", "mlconfound_table")
    assert [jobs[step] for step in steps] == [1, 5, 5, 1, 1]
    assert {"exp1", "exp1_forest", "stress_cy_yx"} <= needed
