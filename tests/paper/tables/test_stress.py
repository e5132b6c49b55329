import numpy as np
import pandas as pd
import pytest

from permconf.paper.tables import stress


def assessed(p, n_test=20, **columns):
    """A table of tests with these p-values for every test."""
    p = np.asarray(p, float)
    base = {"dataset": np.arange(p.size), "n_test": n_test, "status": "ok", "conditional_inner": 3}
    base |= {f"{test}_p": p for test in stress.TESTS}
    base |= {"confounding_z": -p, "algorithm2_statistic": -p, "algorithm2_mean": 0.0, "algorithm2_sd": 1.0}
    return pd.DataFrame(base | columns)


@pytest.fixture
def grid():
    """Tests and designs of all cells: uniform p-values without confounder, one in ten above 0.05 with it."""
    uniform, small = (np.arange(100) + 1) / 100, np.where(np.arange(100) % 10, 0.001, 0.9)
    tests = {cell: assessed(uniform if cell in stress.NULL_CELLS else small) for cell in stress.CELLS}
    design = pd.DataFrame({"dataset": np.arange(100), "theta": np.linspace(0.1, 1, 100), "beta": 1.0})
    return tests, dict.fromkeys(stress.CELLS, design)


def test_a_confounder_has_both_of_its_links():
    assert len(stress.CELLS) == 8
    assert set(stress.CONFOUNDED_CELLS) == {"cy_cx", "cy_cx_yx"}
    assert stress.label("cy_yx") == "C-Y, Y-X"
    assert stress.label("none") == "no link"


def test_the_cells_are_scenarios_that_state_their_truth(request):
    from permconf.study.scenario import load_scenarios

    scenarios = load_scenarios(request.config.rootpath / "workflow/scenarios", {})
    for cell in stress.CELLS:
        scenario = scenarios[f"stress_{cell}"]
        parameters = scenario["data"]["parameters"]
        assert scenario["truth"]["confounding"] == (cell in stress.CONFOUNDED_CELLS)
        assert (parameters["theta"] != 0) == ("cx" in stress.CELLS[cell])
        assert (parameters["beta"] != 0) == scenario["truth"]["response"] == ("yx" in stress.CELLS[cell])
        assert ("renormalise" in scenario["data"]) != ("cy" in stress.CELLS[cell])
        if cell in stress.NULL_CELLS:
            datasets = scenario["datasets"] // len(parameters["n"]["values"])
            assert np.sqrt(0.05 * 0.95 / datasets) < 0.003


def test_the_type1_error_of_uniform_p_values_is_nominal(grid):
    rates = stress.type1_error_table(grid[0])
    null = rates[rates["cell"] == "cy"]
    np.testing.assert_allclose(null["rate"], null["alpha"])
    np.testing.assert_allclose(null["deviation"], 0, atol=1e-9)
    assert set(null["test"]) == set(stress.TESTS)
    assert (null["n_datasets"] == 100).all()


def test_failed_data_sets_do_not_count(grid):
    table = grid[0]["cy"].copy()
    table.loc[:9, "status"] = "failed"
    assert (stress.type1_error_table({"cy": table})["n_datasets"] == 90).all()
    cell = stress.CONFOUNDED_CELLS[0]
    confounded = grid[0][cell].copy()
    confounded.loc[:9, "status"] = "failed"
    power = stress.power_table(grid[0] | {cell: confounded}, grid[1])
    made = power[(power["cell"] == cell) & (power["test"] == "conditional")]
    assert made["n_datasets"].sum() == len(confounded) - 10


def test_invalid_tests_are_size_adjusted(grid):
    power = stress.power_table(*grid)
    assert set(power["cell"]) == set(stress.CONFOUNDED_CELLS)
    assert power.groupby("test")["adjusted"].all().to_dict() == {
        "confounding": True,
        "algorithm2": True,
        "conditional": False,
        "combined": False,
    }
    everywhere = power.groupby("test").apply(lambda rows: np.average(rows["rate"], weights=rows["n_datasets"]))
    np.testing.assert_allclose(everywhere, 0.9)
    lenient, designs = grid[0] | {"cy": assessed(np.full(100, 0.0005))}, grid[1]
    power = stress.power_table(lenient, designs)
    rates = power[power["cell"] == "cy_cx"].groupby("test")["rate"].max()
    assert rates["confounding"] == rates["algorithm2"] == 0  # no larger than in the matching null cell
    assert rates["conditional"] > 0.8


def test_power_by_inner_draws():
    tables = [assessed([0.01, 0.2], conditional_inner=inner) for inner in (12, 1)]
    inner = stress.inner_table(tables)
    assert inner["inner"].tolist() == [1, 12]
    assert inner["rate"].tolist() == [0.5, 0.5]


def test_errors_of_the_corrected_metric():
    design = pd.DataFrame({"dataset": [0, 1], "theta": 0.5, "beta": 0.0})
    tests = {"cy": assessed([0.1, 0.2], observed=[0.8, 0.7], corrected=[0.5, 0.6])}
    truth = {"cy": pd.DataFrame({"dataset": [0, 1], "unconfounded": [0.6, 0.6]})}
    summary = stress.correction_summary(stress.correction_table(tests, {"cy": design}, truth)).iloc[0]
    assert summary["observed_error"] == pytest.approx(0.15)
    assert summary["corrected_error"] == pytest.approx(-0.05)
    assert summary["corrected_rms"] == pytest.approx(np.sqrt(0.005))
    assert summary["corrected_mcse"] == pytest.approx(0.05)
