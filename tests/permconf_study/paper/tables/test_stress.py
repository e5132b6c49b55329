import numpy as np
import pandas as pd
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables import stress
from permconf_study.paper.tables.stress_cells import CELLS, GRID, TESTS, cell_rates, null_cells
from permconf_study.study.cells import Part, cell_table, common_alternatives
from permconf_study.study.design import design_block

UNIFORM, SMALL = (np.arange(100) + 1) / 100, np.where(np.arange(100) % 10, 0.001, 0.9)


def assessed(p, n_test=20, **columns):
    """A table of tests with these p-values for every test."""
    p = np.asarray(p, float)
    base = {"dataset": np.arange(p.size), "metric": "auc", "n_test": n_test, "status": "ok"}
    base |= {f"{test}_p": p for test in TESTS}
    base |= {"confounding_z": -p, "algorithm2_statistic": -p, "algorithm2_mean": 0.0, "algorithm2_sd": 1.0}
    return pd.DataFrame(base | columns)


@pytest.fixture
def grid():
    """Tests of the grid: uniform p-values without confounder, one in ten above 0.05 with."""
    theta = np.linspace(0.1, 1, 100)
    signs = {cell: -1 if "negative" in cell else 1 for cell in GRID}
    return {cell: assessed(SMALL if "cy_cx" in cell else UNIFORM, theta=sign * theta) for cell, sign in signs.items()}


@pytest.mark.parametrize("name", CELLS)
def test_scenarios_state_the_truth_of_their_cells(name, scenarios, monkeypatch):
    monkeypatch.setattr("permconf_study.study.design.BLOCK", 60)
    cell, scenario = CELLS[name], scenarios[CELLS[name].scenario]
    design = pd.DataFrame(design_block(scenario["data"], 0, Streams(1, name, 0)))
    rows = cell.rows(design.assign(scenario=cell.scenario))
    assert len(rows)
    found = common_alternatives(rows, scenario["cell"], scenario["truth"])
    acts = "C-X" in cell.label
    confounds = acts and name not in ("cx", "cx_negative", "cx_yx", "cx_yx_negative", "two_apart", "two_act", "chance")
    assert (found["acts"], found["confounding"]) == (acts, confounds)
    assert found["confounding"] <= found["associated"]
    if name in GRID:
        assert (found["associated"], found["response"]) == ("C-Y" in cell.label, "Y-X" in cell.label)
        assert bool((rows["theta"] < 0).all()) == cell.label.endswith("(-)")


def test_rates_of_the_cells_come_from_the_table_of_cells():
    number = np.arange(100)
    design = pd.DataFrame({"dataset": number, "n": 120, "theta": np.where(number < 50, 0.0, 0.7)})
    truth = {"acts": "theta != 0", "confounding": "theta != 0"}
    parts = [
        Part("stress_cy", assessed(UNIFORM), design.assign(theta=0), truth=truth, varied=("n",)),
        Part("stress_forest", assessed(UNIFORM), design, truth=truth, varied=("n", "theta")),
    ]
    rates = cell_rates(cell_table(parts))
    null = rates[rates["cell"] == "cy"]
    np.testing.assert_allclose(null["rate"], null["alpha"])
    np.testing.assert_allclose(null["deviation"], 0, atol=1e-9)
    assert (set(null["test"]), set(null["n_test"]), null["null"].all()) == (set(TESTS), {20}, True)
    assert null_cells(rates) == ["cy", "forest"]
    acts = rates[rates["cell"] == "forest_inflates"]
    assert not acts["null"].any()
    assert "confounding" not in set(acts["test"])


def test_invalid_tests_are_size_adjusted(grid):
    power = stress.power_table(grid)
    assert set(power["cell"]) == set(stress.POWER_CELLS)
    assert power.groupby("test")["adjusted"].all().to_dict() == {test: test in stress.SIZE_ADJUSTED for test in TESTS}
    everywhere = power.groupby("test").apply(lambda rows: np.average(rows["rate"], weights=rows["n_datasets"]))
    np.testing.assert_allclose(everywhere, 0.9)
    assert (np.sign(power["theta"]) == np.where(power["cell"].str.contains("negative"), -1, 1)).all()
    assert power.groupby(["cell", "test"])["n_datasets"].sum().unique().tolist() == [100]
    power = stress.power_table(grid | {"cy": assessed(np.full(100, 0.0005))})
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
