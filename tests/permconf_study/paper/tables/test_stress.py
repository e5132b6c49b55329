import numpy as np
import pandas as pd
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables import stress
from permconf_study.paper.tables.stress_cells import CELLS, CONFOUNDED_CELLS, GRID, TESTS, label, null_holds
from permconf_study.study.cells import common_alternatives
from permconf_study.study.design import design_block

UNIFORM, SMALL = (np.arange(100) + 1) / 100, np.where(np.arange(100) % 10, 0.001, 0.9)


def assessed(p, n_test=20, **columns):
    """A table of tests with these p-values for every test."""
    p = np.asarray(p, float)
    base = {"dataset": np.arange(p.size), "n_test": n_test, "status": "ok"} | {f"{test}_p": p for test in TESTS}
    base |= {"confounding_z": -p, "algorithm2_statistic": -p, "algorithm2_mean": 0.0, "algorithm2_sd": 1.0}
    return pd.DataFrame(base | columns)


@pytest.fixture
def grid():
    """Tests of all cells, designs of all scenarios: uniform p-values without confounder, one in ten above 0.05 with."""
    tests = {cell: assessed(SMALL if cell in CONFOUNDED_CELLS else UNIFORM) for cell in CELLS}
    theta = np.linspace(0.1, 1, 100)
    columns = {"dataset": np.arange(100), "theta": theta, "beta": 1.0}
    signs = {cell.scenario: -1 if "negative" in name else 1 for name, cell in CELLS.items()}
    return tests, {name: pd.DataFrame(columns | {"theta": sign * theta}) for name, sign in signs.items()}


def test_a_confounder_has_both_of_its_links():
    assert len(GRID) == 12
    assert {cell for cell in GRID if cell in CONFOUNDED_CELLS} == set(stress.POWER_CELLS)
    assert label("cy_yx") == "C-Y, Y-X"
    assert label("none") == "no link"
    assert label("cx_negative") == "C-X (-)"
    assert (null_holds("prediction", "cx"), null_holds("combined", "cx")) == (False, True)
    assert not null_holds("combined", "two_masks")
    assert null_holds("combined", "two_apart")


@pytest.mark.parametrize("name", CELLS)
def test_scenarios_state_the_truth_of_their_cells(name, scenarios, monkeypatch):
    monkeypatch.setattr("permconf_study.study.design.BLOCK", 60)
    cell, scenario = CELLS[name], scenarios[CELLS[name].scenario]
    design = pd.DataFrame(design_block(scenario["data"], 0, Streams(1, name, 0)))
    rows = cell.rows(design, design)
    found = common_alternatives(rows, scenario["cell"], scenario["truth"])
    assert (found["acts"], found["confounding"]) == (cell.acts, cell.confounds)
    assert found["confounding"] <= found["associated"]
    if cell.grid:
        assert (found["associated"], found["response"]) == ("cy" in name, "yx" in name)
        assert bool((rows["theta"] < 0).all()) == name.endswith("negative")


def test_every_cell_has_the_columns_of_its_tests_and_the_parameters_that_select_it(scenarios):
    for cell in CELLS.values():
        scenario = scenarios[cell.scenario]
        made = {"prediction", "combined", *scenario["confounder_tests"]}
        made |= {"confounding"} if scenario["permutations"] == "test_size" else set()
        assert set(cell.tests) <= made
        data = scenario["data"]
        for name, value in cell.values:
            given = [row.get(name) for row in data.get("rows", [])] or data["parameters"][name]["values"]
            assert value in given


def test_cells_of_one_scenario_share_no_data_sets():
    design = pd.DataFrame({"dataset": range(3), "theta": [-0.4, 0.0, 0.4]})
    tests = assessed([0.1, 0.2, 0.3])
    chosen = [CELLS[name].rows(tests, design)["dataset"].tolist() for name in ("continuous_masks", "continuous")]
    assert chosen == [[0], [1]]


def test_the_type1_error_of_uniform_p_values_is_nominal(grid):
    rates = stress.rate_table(grid[0])
    assert set(rates["cell"]) == set(CELLS)
    null = rates[rates["cell"] == "cy"]
    np.testing.assert_allclose(null["rate"], null["alpha"])
    np.testing.assert_allclose(null["deviation"], 0, atol=1e-9)
    assert set(null["test"]) == set(TESTS)
    assert null["null"].all()
    assert not rates[rates["cell"] == "cy_cx"]["null"].any()
    assert set(rates[rates["cell"] == "forest"]["test"]) == {"prediction", "combined"}


def test_invalid_tests_are_size_adjusted(grid):
    power = stress.power_table(*grid)
    assert set(power["cell"]) == set(stress.POWER_CELLS)
    assert power.groupby("test")["adjusted"].all().to_dict() == {test: test in stress.SIZE_ADJUSTED for test in TESTS}
    everywhere = power.groupby("test").apply(lambda rows: np.average(rows["rate"], weights=rows["n_datasets"]))
    np.testing.assert_allclose(everywhere, 0.9)
    assert (np.sign(power["theta"]) == np.where(power["cell"].str.contains("negative"), -1, 1)).all()
    assert power.groupby(["cell", "test"])["n_datasets"].sum().unique().tolist() == [100]
    lenient = grid[0] | {"cy": assessed(np.full(100, 0.0005))}
    power = stress.power_table(lenient, grid[1])
    rates = power[power["cell"] == "cy_cx"].groupby("test")["rate"].max()
    assert rates["confounding"] == rates["algorithm2"] == 0  # no larger than in the matching null cell
    assert rates["prediction"] > 0.8


def test_paired_powers_are_of_the_same_data_sets():
    own = assessed([0.01, 0.01, 0.3, 0.4], conditional_p=[0.2, 0.2, 0.2, 0.01])
    twelve = assessed([0.01, 0.2, 0.01], status=["ok", "ok", "ok"])
    (row,) = stress.paired_table({"cy_cx": own}, {"cy_cx": twelve}).to_dict("records")
    assert row["n_datasets"] == 3  # the fourth has no result with 12 inner draws
    assert [row[name] for name in ("prediction", "conditional_2", "conditional_12")] == pytest.approx([2 / 3, 0, 2 / 3])
    assert row["difference"] == 0
    assert row["difference_mcse"] == pytest.approx(1 / np.sqrt(3))


def test_effects_are_named_by_curvature():
    tests = pd.DataFrame({"dataset": range(4), "status": "ok", "response_p": [0.01, 0.2, 0.01, 0.01]})
    design = pd.DataFrame({"dataset": range(4), "curvature": [0, 0, 1, 1], "beta": [0, 0, 0, 0.4]})
    keys = [("effects", "smooth"), ("age_sex", "smooth")]
    designs = dict(zip(keys, (design, design.drop(columns="curvature")), strict=True))
    table = stress.effect_table(dict.fromkeys(keys, tests), designs)
    assert table.set_index(["effect", "beta"])["rate"].unstack().loc["age_sex"].tolist() == [2 / 3, 1]
    assert table.set_index(["effect", "beta"])["rate"]["square"].tolist() == [1, 1]
    assert table.set_index(["effect", "beta"])["rate"]["linear"].tolist() == [0.5]
