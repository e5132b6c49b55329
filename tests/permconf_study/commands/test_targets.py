"""What a run can be asked for."""

import re

import pytest

from permconf.errors import ConfigError
from permconf_study.commands.targets import GROUPS, files_of

FAMILIES = {"mine": None, "study_a": "study", "study_b": "study", "own": None}
SCENARIOS = {name: {"family": family, "table": name == "own", "file": "x.yaml"} for name, family in FAMILIES.items()}


def test_a_scenario_stands_for_its_figure_and_other_targets_stay():
    wanted = ["mine", "forests", "results/mine/tests.parquet"]
    assert files_of(wanted, SCENARIOS) == ["figures/scenarios/mine.pdf", "results/mine/cells.csv", *wanted[1:]]
    assert files_of(["own"], SCENARIOS) == ["figures/scenarios/own.pdf"]


def test_a_family_stands_for_the_figure_of_its_cells():
    assert files_of(["study"], SCENARIOS) == ["figures/studies/study.pdf"]
    shown = SCENARIOS | {"mine": SCENARIOS["mine"] | {"figure": {"y": "bias"}}}
    assert files_of(["mine"], shown) == ["figures/scenarios/mine.pdf", "figures/studies/mine.pdf"]


def test_an_unknown_target_is_refused():
    with pytest.raises(ConfigError, match="unknown target 'mne', did you mean 'mine'"):
        files_of(["mne"], SCENARIOS)


def test_groups_are_rules_of_the_workflow(request):
    rules = re.findall(r"^rule (\w+):", (request.config.rootpath / "Snakefile").read_text(), re.MULTILINE)
    assert set(GROUPS) == set(rules) - {"all"}
