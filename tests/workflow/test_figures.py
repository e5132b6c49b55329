"""Every figure that is listed has a drawing module, scenarios that exist, and a caption that the run can fill in."""

import importlib
from pathlib import Path

import pytest
import yaml

from permconf.engine.population import population_counts, share_table

ROOT = Path(__file__).parents[2]
FIGURES = yaml.safe_load((ROOT / "workflow/figures.yaml").read_text())
KEYS = {"module", "group", "scenarios", "tables", "files", "caption", "options"}
GROUPS = {"paper", "forests", "extension", "stress", "arena"}


@pytest.mark.parametrize("name", FIGURES)
def test_entries_are_complete_and_known(name, shipped):
    entry = FIGURES[name]
    assert {"module", "group", "caption"} <= set(entry) <= KEYS
    assert entry["group"] in GROUPS
    assert ("scenarios" in entry) == ("tables" in entry)
    assert set(entry.get("scenarios", {}).values()) <= set(shipped)
    assert name.startswith(entry["module"]) or "options" in entry
    assert callable(importlib.import_module(f"permconf_study.paper.figures.{entry['module']}").figure)


@pytest.mark.parametrize("name", FIGURES)
def test_captions_are_filled_with_the_settings_of_the_run(name, shipped):
    filled = FIGURES[name]["caption"].format(**shipped)
    assert "{" not in filled
    for scenario in FIGURES[name].get("scenarios", {}).values():
        permutations = shipped[scenario]["permutations"]
        assert permutations == "test_size" or f"{permutations:,} " in filled
        datasets = shipped[scenario]["datasets"]
        assert datasets < 10 or f"{datasets:,}" in filled


def test_the_development_test_set_of_section_4_has_the_size_that_the_baseline_sets_get(shipped):
    """The development scenario has to state the size; the population split derives it."""
    development, baseline = shipped["section4_development"], shipped["section4_baseline"]
    n = development["data"]["parameters"]
    available = {(y, c): n[f"n{y}{c}"] for y in (0, 1) for c in (0, 1)}
    counts = population_counts(share_table(baseline["split"]["shares"]), available)
    assert sum(counts.values()) == development["split"]["test_size"] == 1467
