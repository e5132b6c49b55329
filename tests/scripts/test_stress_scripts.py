"""The stress study from its scripts, on a few data sets of every cell."""

import pandas as pd
import pytest

from permconf.paper.figures import figS3, figS4
from permconf.paper.tables.stress import CELLS, NULL_CELLS, TESTS
from permconf.study.chunks import chunks

DATASETS = 4


@pytest.fixture
def stress_results(run, scenarios, tmp_path):
    """Make design, data sets, tests and unconfounded metrics of one scenario; the files by kind."""

    def make(name):
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
            output={"tests": folder / "tests.parquet", "draws": folder / "draws.parquet"},
        )
        truth = run(
            "unconfounded",
            **at,
            params={"data": data, "analysis": scenario, "datasets": DATASETS, **seeded},
            input={"design": design.design},
            output={"unconfounded": folder / "unconfounded.parquet"},
        )
        pd.read_csv(design.design).head(DATASETS).to_csv(folder / "design.csv", index=False)
        return {"tests": tested.tests, "designs": str(folder / "design.csv"), "unconfounded": truth.unconfounded}

    return make


def test_every_cell_is_in_the_tables_and_figures(stress_results, run, tmp_path):
    made = {cell: stress_results(f"stress_{cell}") for cell in CELLS}
    inputs = {kind: [files[kind] for files in made.values()] for kind in ("tests", "designs", "unconfounded")}
    names = ("levels", "power", "inner", "correction_summary")
    outputs = {name: tmp_path / f"{name}.csv" for name in names} | {"corrections": tmp_path / "corrections.parquet"}
    done = run("stress_tables", input=inputs, output=outputs)
    levels, power, inner = (pd.read_csv(getattr(done, name)) for name in ("levels", "power", "inner"))
    assert set(levels["cell"]) == set(CELLS)
    assert set(levels["test"]) == set(TESTS)
    assert levels["n_test"].unique().tolist() == [20, 100, 1000]
    corrections = pd.read_parquet(done.corrections)
    assert len(corrections) == DATASETS * len(CELLS)
    assert corrections["unconfounded"].between(0.4, 1).all()
    drawing = figS3.figure({"levels": levels})
    assert len(drawing.axes) == 3 * len(NULL_CELLS)
    drawing = figS4.figure({"power": power, "inner": inner, "corrections": corrections})
    assert [ax.get_title(loc="left") for ax in drawing.axes] == list("abcdefgh")
