"""A scenario costs those that do not use it nothing; when it grows or changes, it costs the new part."""

import copy
import re
from collections import Counter

import pandas as pd
import pytest

pytestmark = pytest.mark.slow
TABLE = "results/cheap/tests.parquet"
FIGURE = "figures/scenarios/cheap.pdf"
ANALYSIS = {"permutation_nulls": 2, "aggregate": 1, "scenario_figure": 1}
EVERYTHING = {"design": 1, "simulate": 2, **ANALYSIS}
EDITS = [  # what edits make due: by scenario the edit, and the number of jobs by step
    {
        "cheap": ({"learner": "linear_regression", "split": "half"}, ANALYSIS),
        "other": ({"title": "a new title"}, {"scenario_figure": 1}),
        "newcomer": ({}, EVERYTHING),
    },
    {"cheap": ({"metrics": ["mse"]}, ANALYSIS), "other": ({"parameters": {"beta_xy": 0.25}}, EVERYTHING)},
]
DUE = r"^ *(?:local)?rule (\w+):$(?:\n(?! *(?:local)?rule ).*)*?\n *wildcards: scenario=(\w+)"


@pytest.fixture(scope="module")
def scenario(cheap):
    """Twenty data sets in chunks of ten."""
    return cheap | {"data": cheap["data"] | {"datasets": 20}, "chunk": 10}


@pytest.fixture(scope="module")
def finished(project, scenario):
    """A finished run of two scenarios."""
    for name in ("cheap", "other"):
        project.write(name, scenario)
    project.snakemake("scenarios")
    return scenario


def edited(scenario, change):
    """A copy of a scenario with a change."""
    changed = copy.deepcopy(scenario) | {key: value for key, value in change.items() if key != "parameters"}
    changed["data"]["parameters"] |= change.get("parameters", {})
    return changed


@pytest.mark.parametrize("edits", EDITS)
def test_an_edit_makes_due_what_depends_on_it_and_nothing_else(project, finished, edits):
    """In one run with a file that is not valid, which is named and stops nothing."""
    for name, (change, _) in edits.items():
        project.write(name, edited(finished, change))
    project.write("broken", edited(finished, {"metrix": ["mse"]}))
    said, _ = project.snakemake("scenarios", options=["--cores", "2", "--dry-run"])
    due = [f"{scenario} {step}" for step, scenario in re.findall(DUE, said, re.MULTILINE)]
    expected = {f"{name} {step}": count for name, (_, steps) in edits.items() for step, count in steps.items()}
    assert Counter(due) == expected
    assert "permconf: left out: broken.yaml: unknown key 'metrix', did you mean 'metrics'?" in said.splitlines()
    for name in ("newcomer", "broken"):
        (project.folder / f"scenarios/{name}.yaml").unlink(missing_ok=True)
    for name in ("cheap", "other"):
        project.write(name, finished)


def test_a_broken_scenario_that_is_asked_for_stops_the_run_with_its_sentence(project, finished):
    project.write("broken", edited(finished, {"metrix": ["mse"]}))
    said, code = project.snakemake("figures/scenarios/broken.pdf", check=False)
    (project.folder / "scenarios/broken.yaml").unlink()
    assert code == 2
    assert said.splitlines()[-1].startswith("permconf: broken.yaml: unknown key 'metrix'")


def test_what_cannot_be_made_is_named_before_anything_is_computed(project, finished):
    """Snakemake adds a traceback to what a function of a rule raises."""
    project.write("cheap", edited(finished, {"parameters": {"p": 2}}))
    said, code = project.command("run", FIGURE, check=False)
    project.write("cheap", finished)
    assert code == 2
    sentence = "generator 'linear_confounding' cannot draw data with data.parameters: p must be a probability, not 2"
    assert said == f"permconf: cheap.yaml: {sentence}\n"


# Last, since it changes the finished run.
def test_growth_computes_only_the_new_parts_and_keeps_the_rows(project, finished):
    first = pd.read_parquet(project.folder / TABLE)
    chunks = sorted(project.folder.glob("results/cheap/chunks/*/*"))
    times = [path.stat().st_mtime_ns for path in chunks]
    project.write("cheap", finished | {"data": finished["data"] | {"datasets": 40}})
    assert project.jobs(FIGURE) == {"simulate": 2, **ANALYSIS}
    both = pd.read_parquet(project.folder / TABLE)
    assert list(both["dataset"]) == list(range(40))
    pd.testing.assert_frame_equal(both[:20], first)
    assert not both[20:]["observed"].isin(first["observed"]).any()
    assert [path.stat().st_mtime_ns for path in chunks] == times
