"""The stress study from its scripts, on a few data sets of every cell."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from permconf_study.paper.figures import figS3, figS4, figS5
from permconf_study.paper.tables.stress_cells import CELLS, NULL_CELLS, REWEIGHTED_CELLS, TESTS
from permconf_study.study.chunks import chunks

SCRIPTS = Path(__file__).parents[2] / "scripts"
DATASETS = 10  # all combinations of parameters of every scenario
MLCONFOUND = """
from types import SimpleNamespace

def partial_confound_test(y, yhat, c, random_state, **options):
    assert y.shape == yhat.shape == c.shape == (100,)
    return SimpleNamespace(p=random_state / 4)
"""


@pytest.fixture
def stress_results(run, scenarios, tmp_path):
    """Make design, data sets, tests and unconfounded metrics of one scenario; the files by kind."""

    def make(name, truth=False):
        scenario = scenarios[name]
        folder, chunk = tmp_path / name, chunks(DATASETS, DATASETS)[0]
        data = {"stream": scenario["stream"], **scenario["data"]}
        at = {"wildcards": {"scenario": name, "chunk": chunk, "block": "000"}}
        seeded = {"seed": 3}
        design = run("design", **at, params={"data": data, **seeded}, output={"design": folder / "000.csv"})
        made = run(
            "simulate",
            **at,
            params={"data": data, **seeded},
            input={"design": design.design},
            output={"datasets": folder / "datasets.npz"},
        )
        tested = run(
            "permutation_nulls",
            **at,
            params={"analysis": scenario, **seeded},
            input={"datasets": made.datasets},
            output={"chunk": folder / "tests.parquet"},
        )
        pd.read_csv(design.design).head(DATASETS).to_csv(folder / "design.csv", index=False)
        tables = {"tests": tested.chunk, "designs": str(folder / "design.csv"), "datasets": made.datasets}
        if not truth:
            return tables
        unconfounded = run(
            "unconfounded",
            **at,
            params={"data": data, "analysis": scenario, "datasets": DATASETS, **seeded},
            input={"design": design.design, "datasets": [made.datasets]},
            output={"unconfounded": folder / "unconfounded.parquet"},
        )
        return tables | {"unconfounded": unconfounded.unconfounded}

    return make


@pytest.mark.slow
def test_every_cell_is_in_the_tables_and_figures(stress_results, run, scenarios, tmp_path):
    names = [name for name, scenario in scenarios.items() if scenario["group"] == "stress"]
    judged = {name for name, _ in REWEIGHTED_CELLS.values()}
    made = {name: stress_results(name, truth=name in judged) for name in names}
    kinds = ("tests", "designs", "unconfounded")
    paths = {kind: {name: files[kind] for name, files in made.items() if kind in files} for kind in kinds}
    tables = ("rates", "power", "paired", "effects", "correction_summary")
    outputs = {name: tmp_path / f"{name}.csv" for name in tables} | {"corrections": tmp_path / "corrections.parquet"}
    done = run("stress_tables", params={"tables": paths}, output=outputs)
    read = {name: pd.read_csv(getattr(done, name)) for name in tables}
    assert set(read["rates"]["cell"]) == set(CELLS)
    assert set(read["rates"]["test"]) == set(TESTS)
    assert set(read["rates"]["n_test"]) == {20, 100, 1000}
    assert set(read["power"]["adjusted"]) == {True, False}
    assert set(read["effects"]["treatment"]) == {"smooth", "5bins", "10bins"}
    read["corrections"] = pd.read_parquet(done.corrections)
    assert set(read["corrections"]["cell"]) == set(REWEIGHTED_CELLS)
    assert read["corrections"]["unconfounded"].between(0.4, 1).all()
    assert read["corrections"]["as_trained"].between(0, 1).all()  # below 1/2 where a masking confounder was learnt
    for module, panels in ((figS3, 8 + 4 + 2), (figS4, 4), (figS5, 4)):
        assert len(module.figure(read).axes) == panels
    assert len([cell for cell in NULL_CELLS if CELLS[cell].grid]) == 8


def test_cells_of_a_study_have_rates_and_errors(stress_results, run, tmp_path):
    files = stress_results("stress_cy_cx_yx", truth=True)
    about = {"scenario": "stress_cy_cx_yx", "cell": {"links": "all"}, "varied": ("n",), "has_truth": True}
    truth = {"response": "beta != 0", "confounding": True}
    done = run(
        "cells",
        wildcards={"family": "stress_links"},
        params={"parts": [about | {"truth": truth}]},
        input={"tests": [files["tests"]], "designs": [files["designs"]], "truths": [files["unconfounded"]]},
        output={"cells": tmp_path / "cells.csv"},
    )
    cells = pd.read_csv(done.cells)
    assert set(cells["n"]) == {120, 200, 1100}
    assert cells.loc[cells["of"] == "response", "alternative"].all()
    assert {"rejection_rate", "bias", "coverage"} <= set(cells["measure"])


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


def test_the_comparison_imports_nothing_of_permconf(request):
    text = (request.config.rootpath / "scripts/compare_mlconfound.py").read_text()
    assert "import permconf" not in text
    assert "from permconf" not in text


def test_every_test_is_timed(run, tmp_path, monkeypatch):
    monkeypatch.setattr("permconf_study.paper.tables.test_costs.TEST_ROWS", (20, 30))
    monkeypatch.setattr("permconf_study.paper.tables.test_costs.REPEATS", 1)
    table = pd.read_csv(run("test_costs", output={"table": tmp_path / "cost.csv"}).table)
    assert table.groupby("n_test")["test"].nunique().to_dict() == {20: 9, 30: 9}
    assert (table["milliseconds"] > 0).all()
