"""Every figure that is listed has a drawing module, scenarios that exist, and a caption that the run can fill in."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from permconf_study.study.scenario import load_scenarios

ROOT = Path(__file__).parents[2]
FIGURES = yaml.safe_load((ROOT / "workflow/figures.yaml").read_text())
KEYS = {"module", "group", "scenarios", "tables", "files", "caption"}
GROUPS = {"paper", "forests", "extension", "stress", "arena"}


@pytest.fixture(scope="module")
def scenarios():
    return load_scenarios(ROOT / "workflow/scenarios", {})


@pytest.mark.parametrize("name", FIGURES)
def test_entries_are_complete_and_known(name, scenarios):
    entry = FIGURES[name]
    assert {"module", "group", "caption"} <= set(entry) <= KEYS
    assert entry["group"] in GROUPS
    assert ("scenarios" in entry) == ("tables" in entry)
    assert set(entry.get("scenarios", {}).values()) <= set(scenarios)
    assert name.startswith(entry["module"])
    assert callable(importlib.import_module(f"permconf_study.paper.figures.{entry['module']}").figure)


@pytest.mark.parametrize("name", FIGURES)
def test_captions_are_filled_with_the_settings_of_the_run(name, scenarios):
    filled = FIGURES[name]["caption"].format(seed=4711, **scenarios)
    assert "{" not in filled
    if FIGURES[name].get("scenarios"):
        assert "4711" in filled
    for scenario in FIGURES[name].get("scenarios", {}).values():
        permutations = scenarios[scenario]["permutations"]
        assert permutations == "test_size" or f"{permutations:,} " in filled
        datasets = scenarios[scenario]["datasets"]
        assert datasets < 10 or f"{datasets:,}" in filled


def test_standard_figures_of_extensions_need_no_scenario_of_the_paper(tmp_path, scenarios):
    """`permconf run scenarios` must not start the forests or anything else of that cost."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1", "--dry-run"]
    done = subprocess.run([*command, "scenarios"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    drawn = set(re.findall(r"figures/scenarios/(\w+)\.pdf", done.stdout + done.stderr))
    assert drawn == {name for name, scenario in scenarios.items() if scenario["group"] == "extension"}
    assert not any("forest" in name and name.startswith(("exp", "section4")) for name in drawn)
