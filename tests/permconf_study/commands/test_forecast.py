import subprocess

import pytest
import yaml

from permconf.errors import ConfigError
from permconf_study.commands import forecast
from permconf_study.commands.forecast import add_up, pending_chunks
from permconf_study.commands.plan import Plan

PLAN = {"datasets": 100, "seconds_per_dataset": 36.0, "memory_mb": 700, "disk_mb": 50.0, "chunk": 50, "runtime": 90}
SUMMARY = """\
output_file\tdate\trule\tlog-file(s)\tstatus\tplan
results/exp1/chunks/f0f0/00000-00049.parquet\t-\tpermutation_nulls\t-\tmissing\tupdate pending
results/exp1/chunks/f0f0/00050-00099.parquet\t-\tpermutation_nulls\t-\tok\tno update
results/exp2/chunks/f0f0/00000-00099.parquet\t-\tpermutation_nulls\t-\tmissing\tupdate pending
results/exp2/tests.parquet\t-\taggregate\t-\tmissing\tupdate pending
"""


def _says(monkeypatch, text, code=0):
    monkeypatch.setattr(
        forecast.subprocess, "run", lambda *_a, **_k: subprocess.CompletedProcess("snakemake", code, text, "")
    )


def test_only_chunks_that_are_to_be_made_count(monkeypatch):
    _says(monkeypatch, SUMMARY)
    assert pending_chunks(["snakemake"], []) == {"exp1": ["00000-00049"], "exp2": ["00000-00099"]}


def test_costs_of_the_rest_of_a_study_add_up():
    cost = add_up({"exp1": ["00000-00049"], "exp2": ["00000-00049", "00050-00099"]}, {"exp1": PLAN, "exp2": PLAN})
    assert cost.jobs == 3
    assert cost.core_hours == pytest.approx((150 * 36 + 3 * forecast.JOB_OVERHEAD_SECONDS) / 3600)
    assert cost.disk_mb == pytest.approx(75)
    assert "To run: 3 jobs, 1.51 core-hours, 75 MB of disk." in cost.text
    assert "exp2: 100 data sets in 2 jobs of 30 min, 700 MB and 90 min requested" in cost.text
    assert cost.local_text(2).startswith("Forecast: 3 chunks, 45 min on 2 cores, 75 MB")
    assert add_up({}, {}).text == add_up({}, {}).local_text(2) == "Nothing costly to run."


def test_a_pilot_is_run_only_for_scenarios_without_a_plan(monkeypatch, tmp_path):
    _says(monkeypatch, SUMMARY)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/plan.yaml").write_text(yaml.safe_dump({"exp1": PLAN}))
    asked = []
    monkeypatch.setattr(
        forecast, "make_plan", lambda scenario, _seed: asked.append(scenario["name"]) or Plan(1, 1.0, 1, 1.0, 1)
    )
    monkeypatch.setattr(
        forecast, "write_plans", lambda _plans, path: path.write_text(yaml.safe_dump({"exp1": PLAN, "exp2": PLAN}))
    )
    assert forecast.forecast(tmp_path, ["snakemake"], [], []).jobs == 2
    assert asked == ["exp2"]


def test_a_run_whose_pilot_fails_throughout_is_not_started(monkeypatch, tmp_path):
    _says(monkeypatch, SUMMARY)
    failed = Plan(1, 1.0, 1, 1.0, 1, failed="9 of 9 failed, the first with ValueError: x", usable=False)
    monkeypatch.setattr(forecast, "make_plan", lambda _scenario, _seed: failed)
    with pytest.raises(
        ConfigError, match=r"every data set in the pilot of exp1 failed \(9 of 9 failed, the first with"
    ):
        forecast.forecast(tmp_path, ["snakemake"], [], [])
