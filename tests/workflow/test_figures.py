"""Every figure that is listed has a drawing module, scenarios that exist, and a caption that the run can fill in."""

import importlib
from pathlib import Path

import pytest
import yaml

from permconf_study.study.scenario import load_scenarios

ROOT = Path(__file__).parents[2]
FIGURES = yaml.safe_load((ROOT / "workflow/figures.yaml").read_text())
KEYS = {"module", "group", "scenarios", "tables", "files", "caption", "options"}
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
    assert name.startswith(entry["module"]) or "options" in entry
    assert callable(importlib.import_module(f"permconf_study.paper.figures.{entry['module']}").figure)


@pytest.mark.parametrize("name", FIGURES)
def test_captions_are_filled_with_the_settings_of_the_run(name, scenarios):
    filled = FIGURES[name]["caption"].format(**scenarios)
    assert "{" not in filled
    for scenario in FIGURES[name].get("scenarios", {}).values():
        permutations = scenarios[scenario]["permutations"]
        assert permutations == "test_size" or f"{permutations:,} " in filled
        datasets = scenarios[scenario]["datasets"]
        assert datasets < 10 or f"{datasets:,}" in filled
