"""The stress study from its scripts, on a few data sets of every cell."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from permconf.paper.figures import figS3, figS4
from permconf.paper.tables.stress import CELLS, NULL_CELLS, TESTS
from permconf.study.chunk_tables import chunk_design, chunk_tests
from permconf.study.chunks import chunks
from permconf.study.tables import read_arrow, write_table

SCRIPTS = Path(__file__).parents[2] / "scripts"
DATASETS = 4
MLCONFOUND = """
from types import SimpleNamespace

def partial_confound_test(y, yhat, c, random_state, **options):
    assert y.shape == yhat.shape == c.shape == (100,)
    return SimpleNamespace(p=random_state / 4)
"""


@pytest.fixture
def stress_results(run, scenarios, tmp_path):
    """Make design, data sets, tests and unconfounded metrics of one scenario; the files by kind."""

    def make(name):
        scenario = scenarios[name]
        folder, chunk = tmp_path / name, chunks(DATASETS, DATASETS)[0]
        data = {"stream": scenario["stream"], **scenario["data"]}
        at = {"wildcards": {"scenario": name, "chunk": chunk}}
        params = {"data": data, "analysis": scenario, "datasets": DATASETS, "seed": 3}
        made = run("permutation_nulls", **at, params=params, output={"chunk": folder / "chunk.parquet"})
        table = read_arrow(made.chunk)
        paths = {"tests": folder / "tests.parquet", "designs": folder / "design.csv"}
        write_table(chunk_tests(table), paths["tests"])
        write_table(chunk_design(table), paths["designs"])
        output = {"unconfounded": folder / "unconfounded.parquet"}
        run("unconfounded", **at, params=params, input={"design": paths["designs"]}, output=output)
        return {kind: str(path) for kind, path in (paths | output).items()} | {"data": data}

    return make


def test_every_cell_is_in_the_tables_and_figures(stress_results, run, tmp_path):
    made = {cell: stress_results(f"stress_{cell}") for cell in CELLS}
    kinds = ("tests", "designs", "unconfounded")
    paths = {kind: {cell: files[kind] for cell, files in made.items()} for kind in kinds}
    names = ("type1_error", "power", "inner", "correction_summary")
    outputs = {name: tmp_path / f"{name}.csv" for name in names} | {"corrections": tmp_path / "corrections.parquet"}
    inputs = {"inner": [paths["tests"]["cy_cx_yx"]]}
    done = run("stress_tables", params={"tables": paths}, input=inputs, output=outputs)
    rates, power, inner = (pd.read_csv(getattr(done, name)) for name in ("type1_error", "power", "inner"))
    assert set(rates["cell"]) == set(CELLS)
    assert set(rates["test"]) == set(TESTS)
    assert rates["n_test"].unique().tolist() == [20, 100, 1000]
    assert set(power["adjusted"]) == {True, False}
    corrections = pd.read_parquet(done.corrections)
    assert len(corrections) == DATASETS * len(CELLS)
    assert corrections["unconfounded"].between(0.4, 1).all()
    drawing = figS3.figure({"type1_error": rates})
    assert len(drawing.axes) == 3 * len(NULL_CELLS)
    drawing = figS4.figure({"power": power, "inner": inner, "corrections": corrections})
    assert [ax.get_title(loc="left") for ax in drawing.axes] == list("abcdefgh")


def test_predictions_go_to_mlconfound_and_back(stress_results, run, tmp_path):
    files = stress_results("stress_cy_yx")
    analysis = {"stream": "stress_cy_yx", "split": {"name": "first", "train_size": 100}, "learner": "logistic"}
    made = run(
        "predictions",
        wildcards={"cell": "cy_yx"},
        params={"data": files["data"], "analysis": analysis, "datasets": 5, "seed": 3},
        input={"tests": files["tests"]},
        output={"predictions": tmp_path / "cy_yx.npz"},
    )
    package = tmp_path / "packages/mlconfound"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "stats.py").write_text(MLCONFOUND)
    command = [sys.executable, SCRIPTS / "compare_mlconfound.py", made.predictions, tmp_path / "cy_yx.csv"]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(package.parent)})
    paths = {"cells": ["cy_yx"]}
    done = run("mlconfound_table", params=paths, input=[tmp_path / "cy_yx.csv"], output={"table": tmp_path / "all.csv"})
    table = pd.read_csv(done.table)
    assert set(table) == {"cell", "dataset", "mlconfound_p", "seconds", *(f"{test}_p" for test in TESTS)}
    (row,) = table.to_dict("records")
    assert (row["cell"], row["dataset"], row["mlconfound_p"]) == (
        "cy_yx",
        1,
        0.25,
    )  # one data set has a test set of 100
    assert row["conditional_p"] == pd.read_parquet(files["tests"])["conditional_p"][1]


def test_the_comparison_imports_nothing_of_permconf(request):
    text = (request.config.rootpath / "scripts/compare_mlconfound.py").read_text()
    assert "import permconf" not in text
    assert "from permconf" not in text


def test_every_test_is_timed(run, tmp_path, monkeypatch):
    monkeypatch.setattr("permconf.paper.tables.test_costs.TEST_ROWS", (20, 30))
    monkeypatch.setattr("permconf.paper.tables.test_costs.REPEATS", 1)
    table = pd.read_csv(run("test_costs", output={"table": tmp_path / "cost.csv"}).table)
    assert table.groupby("n_test")["test"].nunique().to_dict() == {20: 5, 30: 5}
    assert (table["milliseconds"] > 0).all()
