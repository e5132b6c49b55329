"""The stress study from its scripts, on a few data sets of every cell."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from permconf_study.pages import validity
from permconf_study.paper.figures import figS3, figS4, figS5
from permconf_study.paper.tables.stress import TWELVE_INNER_DRAWS
from permconf_study.paper.tables.stress_cells import CELLS, GRID, JUDGED, TESTS, cell_rates, null_cells
from permconf_study.study.chunks import chunks
from permconf_study.study.estimators import COLUMNS, has_truth
from permconf_study.study.parameters import varied_parameters

pytestmark = pytest.mark.usefixtures("readable_in_print")
SCRIPTS = Path(__file__).parents[2] / "scripts"
DATASETS = 10  # all combinations of parameters of every scenario
MLCONFOUND = """
from types import SimpleNamespace

def partial_confound_test(y, yhat, c, random_state, **options):
    assert y.shape == yhat.shape == c.shape == (100,)
    return SimpleNamespace(p=random_state / 4)
"""


@pytest.fixture
def stress_results(run, parts_of, scenarios, tmp_path):
    """Make design, data sets, tests and unconfounded metrics of one scenario; the files by kind."""

    def make(name, truth=False):
        folder, chunk = tmp_path / name, chunks(DATASETS, DATASETS)[0]
        parts = parts_of(scenarios[name], folder, chunk)
        pd.read_csv(parts.design).head(DATASETS).to_csv(folder / "design.csv", index=False)
        tables = {"tests": parts.chunks[0], "designs": str(folder / "design.csv"), "datasets": parts.datasets[0]}
        if not truth:
            return tables
        made = run(
            "true_metrics",
            wildcards={"scenario": name, "chunk": chunk},
            params=parts.params | {"columns": COLUMNS},
            input={"design": parts.design, "datasets": parts.datasets[0]},
            output={"truths": folder / "truths.parquet"},
        )
        all_of = {"unconfounded": folder / "unconfounded.parquet"}
        table = run("unconfounded", wildcards={"scenario": name}, input={"truths": [made.truths]}, output=all_of)
        return tables | {"unconfounded": table.unconfounded}

    return make


@pytest.mark.slow
def test_every_cell_is_in_the_tables_and_figures(stress_results, run, scenarios, tmp_path):
    chosen = [scenario for scenario in scenarios.values() if scenario["group"] == "stress"]
    made = {one["name"]: stress_results(one["name"], truth=has_truth(one)) for one in chosen}
    assert set(JUDGED.values()) <= {name for name, files in made.items() if "unconfounded" in files}
    parts = [
        {
            **{key: one[key] for key in ("cell", "truth")},
            "scenario": one["name"],
            "varied": varied_parameters(one["data"]),
            "has_truth": has_truth(one),
        }
        for one in chosen
    ]
    files = {kind: [of[kind] for of in made.values() if kind in of] for kind in ("tests", "designs", "unconfounded")}
    cells = run(
        "cells",
        wildcards={"family": "stress"},
        params={"parts": parts},
        input={"tests": files["tests"], "designs": files["designs"], "truths": files["unconfounded"]},
        output={"cells": tmp_path / "cells.csv"},
    )
    grid = [CELLS[name].scenario for name in GRID]
    of_grid = {kind: [made[name][kind] for name in grid] for kind in ("tests", "designs")}
    done = run(
        "stress_tables",
        params={"grid": grid},
        input=of_grid | {"twelve": [made[name]["tests"] for name in TWELVE_INNER_DRAWS.values()]},
        output={"power": tmp_path / "power.csv", "paired": tmp_path / "p.csv"},
    )
    read = {"cells": pd.read_csv(cells.cells), "power": pd.read_csv(done.power)}
    rates = cell_rates(read["cells"])
    assert (set(rates["cell"]), set(rates["test"]), set(rates["n_test"])) == (set(CELLS), set(TESTS), {20, 100, 1000})
    assert len([cell for cell in null_cells(rates) if cell in GRID]) == 8
    assert set(read["power"]["adjusted"]) == {True, False}
    assert "smooth" in validity.effects(read["cells"])
    assert "| forest | 100 |" in validity.rejections(read["cells"])
    for module, panels in ((figS3, 8 + 4 + 2), (figS4, 4), (figS5, 3)):
        assert len(module.figure(read).axes) == panels


def test_predictions_go_to_mlconfound_and_back(stress_results, run, tmp_path):
    files = stress_results("stress_cy_yx")
    analysis = {"stream": "stress_cy_yx", "split": {"name": "first", "train_size": 100}, "learner": "logistic"}
    made = run(
        "predictions",
        wildcards={"cell": "cy_yx"},
        params={"analysis": analysis, "datasets": 5, "seed": 3},
        input={"tests": files["tests"], "datasets": [files["datasets"]]},
        output={"predictions": tmp_path / "cy_yx.npz"},
    )
    package = tmp_path / "packages/mlconfound"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "stats.py").write_text(MLCONFOUND)
    command = [sys.executable, SCRIPTS / "compare_mlconfound.py", made.predictions, tmp_path / "cy_yx.csv"]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(package.parent)})
    paths = {"cells": ["cy_yx"]}
    done = run(
        "mlconfound_table",
        params=paths,
        input={"cells": [tmp_path / "cy_yx.csv"]},
        output={"table": tmp_path / "all.csv"},
    )
    table = pd.read_csv(done.table)
    assert set(table) == {"cell", "dataset", "mlconfound_p", "seconds", *(f"{test}_p" for test in TESTS)}
    assert table["dataset"].tolist() == [1, 4, 7]  # those with a test set of 100
    row = table.iloc[0]
    assert (row["cell"], row["mlconfound_p"]) == ("cy_yx", 0.25)
    assert row["conditional_p"] == pd.read_parquet(files["tests"])["conditional_p"][1]


def test_every_test_is_timed(run, tmp_path, monkeypatch):
    monkeypatch.setattr("permconf_study.paper.tables.test_costs.TEST_ROWS", (20, 30))
    monkeypatch.setattr("permconf_study.paper.tables.test_costs.REPEATS", 1)
    table = pd.read_csv(run("test_costs", output={"table": tmp_path / "cost.csv"}).table)
    assert table.groupby("n_test")["test"].nunique().to_dict() == {20: 9, 30: 9}
    assert (table["milliseconds"] > 0).all()
