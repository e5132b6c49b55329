"""Other choices, applied to tables and designs small enough to follow."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from permconf.deviations import __main__ as command

from permconf.paper.tables import deviations_experiments as experiments
from permconf.paper.tables import deviations_figures as figures
from permconf.study.scenario import load_scenarios

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def scenarios():
    return load_scenarios(ROOT / "workflow/scenarios", {"datasets": 3})


def test_p_value_of_the_text():
    tests = pd.DataFrame({"response_p": [1 / 101, 0.5], "n_permutations": [100, 99]})
    assert experiments._p_of_the_text(tests)["response_p"].tolist() == pytest.approx([0, 49 / 99])


def test_two_sided():
    tests = pd.DataFrame({"confounding_z": [1.96, -1.96]})
    assert experiments._two_sided(tests)["confounding_p"].tolist() == pytest.approx([0.05, 0.05], abs=1e-4)


@pytest.mark.parametrize("variant", experiments.RERUNS[1:])
def test_another_hypercube_keeps_to_the_ranges(scenarios, variant):
    datasets = experiments._with_hypercube(scenarios["exp1"], None if "plain" in variant else "maximin", seed=3)
    assert len(datasets) == 3
    assert all(200 <= len(d.y) <= 600 for d in datasets)
    tests = experiments.rerun(variant, scenarios["exp4"] | {"permutations": 5}, seed=3)
    assert tests["status"].tolist() == ["ok"] * 3


def test_row_of_the_study():
    tests = pd.DataFrame({"response_p": [0.01, 0.5], "confounding_p": [0.01, 0.02], "corrected": [0.6, 0.8]})
    row = experiments._row("x", dict.fromkeys(experiments.EXPERIMENTS, tests))
    assert (row["response 1"], row["confounding 4"], row["corrected 2"]) == (0.5, 1.0, pytest.approx(0.7))
    assert command._formatted(row)["response test, exp. 1-4"] == "0.500 0.500 0.500 0.500"


def test_single_figures(scenarios, monkeypatch):
    monkeypatch.setattr(figures, "REPEATS", 2)
    monkeypatch.setattr(figures, "DRAWS", 10)
    (row,) = figures.illustration(scenarios["fig03"], 1, sizes=(500,), correlations=(0.5,))
    nulls = [float(part.split()[1]) for part in row["found"].split(", ")]
    assert np.abs(np.array(nulls) - [0.88, 0.74, 0.5]).max() < 0.06  # two data sets, ten draws
    (row,) = figures.unpenalised(scenarios["fig06"], 1)
    assert "of fits" in row["found"]
    rows = list(figures.regression_effects(scenarios["fig05"] | {"permutations": 20}, 1, effects=((1.5, 1.5, 0.5),)))
    assert "standard" in rows[0]["found"]


def test_table_and_the_marks_in_the_register():
    assert command.table([{"a": "1", "b": "2"}]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    register = command.REGISTER.read_text()
    assert register.index(command.BEGIN) < register.index(command.END)
