import numpy as np
import pandas as pd
import pytest

from permconf.method.random_streams import Streams
from permconf.paper.tables import test_costs as stress_cost
from permconf.paper.tables.predictions import N_TEST, cell_columns
from permconf.paper.tables.stress import TESTS
from permconf.study.datasets import simulate, write_datasets
from permconf.study.design import design_block


@pytest.fixture
def scenario(request, tmp_path, monkeypatch):
    """A cell of the grid with 12 data sets in two chunks, four of them with a test set of N_TEST rows."""
    from permconf.study.scenario import load_scenarios

    folder = request.config.rootpath / "workflow/scenarios"
    scenario = load_scenarios(folder, {"datasets": 12, "chunk": 6})["stress_cy_yx"]
    monkeypatch.chdir(tmp_path)
    design = design_block(scenario["data"], 0, Streams(1, "x", 0))
    for first, name in ((0, "00000-00005"), (6, "00006-00011")):
        rows = {k: v[first : first + 6] for k, v in design.items()}
        write_datasets(
            simulate(scenario["data"], rows, stream="x", seed=1), f"results/stress_cy_yx/datasets/{name}.npz"
        )
    tests = pd.DataFrame({"dataset": np.arange(12), "n_test": design["n"][:12] - 100, "status": "ok"})
    tests.assign(**{f"{test}_p": tests["dataset"] / 100 for test in TESTS}).to_parquet(
        "results/stress_cy_yx/tests.parquet"
    )
    return scenario


def test_predictions_are_those_of_the_data_sets_with_that_test_size(scenario):
    columns = cell_columns(scenario, 10)
    assert columns["dataset"].tolist() == [1, 4, 7, 10]
    assert columns["y"].shape == columns["c"].shape == columns["yhat"].shape == (4, N_TEST)
    np.testing.assert_allclose(columns["combined_p"], [0.01, 0.04, 0.07, 0.10])
    assert ((columns["yhat"] > 0) & (columns["yhat"] < 1)).all()
    assert np.mean(columns["yhat"][columns["y"] == 1]) > np.mean(columns["yhat"][columns["y"] == 0])
    assert cell_columns(scenario, 2)["dataset"].tolist() == [1, 4]


def test_every_test_is_timed(tmp_path, monkeypatch):
    monkeypatch.setattr(stress_cost, "TEST_ROWS", (20, 30))
    monkeypatch.setattr(stress_cost, "REPEATS", 1)
    stress_cost.main(tmp_path / "cost.csv")
    table = pd.read_csv(tmp_path / "cost.csv")
    assert table.groupby("n_test")["test"].nunique().to_dict() == {20: 5, 30: 5}
    assert (table["milliseconds"] > 0).all()
