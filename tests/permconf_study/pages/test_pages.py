"""Pages written from tables of results: every part of a page has a maker, and the parts without files are kept."""

import importlib
import itertools
import json
import os
import shutil

import pandas as pd
import pytest
from PIL import Image

from permconf_study.pages import PAGES, adjustments, cluster, deviations, figures, reproduction, update_page, validity
from permconf_study.paper.claims.catalogue import COLUMNS
from permconf_study.paper.tables.stress_cells import CELLS, GRID, JUDGED, TESTS
from permconf_study.study.tables import write_table


def study_rows(scenario, test, rate, **about):
    """Rows of a table of cells: rejection rates of a test at three levels, nominal if `rate` is None."""
    row = {"scenario": scenario, "n": 200, "of": test, "measure": "rejection_rate", "n_datasets": 100} | about
    return [row | {"alpha": alpha, "value": alpha if rate is None else rate} for alpha in (0.01, 0.05, 0.10)]


@pytest.fixture
def results(tmp_path):
    """Some of the tables of a stress study: nominal rates where the null of a test is true, else 0.9."""
    rows = []
    for name, cell in CELLS.items():
        acts = "C-X" in cell.label
        confounds = acts and not name.startswith(("cx", "two_a", "chance"))
        for test in TESTS:
            alternative = acts if test in ("conditional", "prediction") else confounds
            rate = 0.4 if (name, test) == ("cy", "confounding") else 0.9 if alternative else None
            rows += study_rows(cell.scenario, test, rate, alternative=alternative, **dict(cell.values))
    for study, curvature in [("effects", 0.0), ("effects", 0.5), ("effects", 1.0), ("age_sex", None)]:
        for treatment, beta in itertools.product(("smooth", "5bins", "10bins"), (0.0, 0.4)):
            about = {"beta": beta, "curvature": curvature, "mcse": 0.01}
            rows += study_rows(f"stress_{study}_{treatment}", "response", None, **about)
    paired = {"cell": "cy_cx", "n_test": 100, "n_datasets": 1000, "prediction": 0.6, "conditional_2": 0.4}
    paired |= {"conditional_12": 0.59, "difference": 0.01, "difference_mcse": 0.012}
    p = {f"{test}_p": [0.01, 0.5] for test in (*TESTS, "mlconfound")}
    folder = tmp_path / "results/stress"
    folder.mkdir(parents=True)
    pd.DataFrame(rows).to_csv(folder / "cells.csv", index=False)
    pd.DataFrame([paired]).to_csv(folder / "paired.csv", index=False)
    pd.DataFrame(p | {"cell": "cx_yx", "seconds": 1.5}).to_csv(folder / "mlconfound.csv", index=False)
    return tmp_path / "results"


@pytest.mark.parametrize("name", ["api", "deviations", "validity"])
def test_every_part_of_a_page_is_known(name, request, results):
    page = request.config.rootpath / "docs" / f"{name.upper()}.md"
    module = importlib.import_module(PAGES[name])
    parts = module.parts(results, page)
    text = page.read_text()
    text += "".join((request.config.rootpath / name).read_text() for name in getattr(module, "ALSO", ()))
    marks = [line.split()[2] for line in text.splitlines() if line.startswith("<!-- table: ")]
    assert sorted(marks) == sorted(parts)
    assert text.count("<!-- end -->") == len(marks)


def test_tables_of_the_stress_study(results, tmp_path):
    page, full = tmp_path / "docs/VALIDITY.md", tmp_path / validity.ALSO[0]
    names = ("type1_error", "effects", "mlconfound", "rates", "deviations", "paired", "all_tests", "cost")
    for path, listed in ((page, names[:3]), (full, names[3:])):
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"<!-- table: {name} -->\nold {name}\n<!-- end -->\n" for name in listed))
    assert update_page(validity, results, page) == list(names[:-1])
    short, text = page.read_text(), full.read_text()
    assert "old" not in short
    assert "old cost" in text
    assert text.count("old") == 1
    assert "| C-X | 0.050 | 0.050 | *0.900* | *0.900* | 0.050 |" in short
    assert "| forest, C-X |" not in short  # C is a confounder there
    assert "| C-X, Y-X | *0.500 (0.354)* | 0.500 (0.354) | *0.500 (0.354)* |" in short
    assert "| no link | 100 | 100 | 0.050 | 0.050 | 0.050 | 0.050 | 0.050 |" in text
    assert "| C-Y | 100 | 100 | 0.400\\* | 0.050 |" in text
    assert "| C-X | 100 | 100 | 0.050 | 0.050 | *0.900* | *0.900* | 0.050 |" in text
    assert "| forest | 100 | 100 | - | 0.050 |" in text
    assert "| paper's test |" in text.split("more than 3 errors")[1]
    assert "3 in C-Y |" in text
    assert "| C-Y, C-X | 100 | 1,000 | 0.400 | 0.590 | 0.600 | +0.010 (0.012) |" in text
    assert "| age + sex | 0.050 (0.010) |" in short
    assert "| C-X, Y-X | 2 | 0.500 (0.354) | 0.500 (0.354) | *0.500 (0.354)* |" in text


def test_tables_of_the_deviations(tmp_path):
    folder, page = tmp_path / "results/deviations", tmp_path / deviations.ALSO[0]
    for path in (folder, page.parent):
        path.mkdir(parents=True)
    columns = {"choice": "as run", "quantity": "response test", "value": [0.5, 0.25], "mcse": 0.01, "n_datasets": 1000}
    pd.DataFrame(columns | {"experiment": ["exp1", "exp2"]}).to_csv(folder / "experiments.csv", index=False)
    pd.DataFrame(columns | {"figure": "3b"}).to_csv(folder / "figures.csv", index=False)
    page.write_text(
        "".join(f"<!-- table: {n} -->\nold {n}\n<!-- end -->\n" for n in ("experiments", "forests", "figures"))
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/DEVIATIONS.md").touch()
    assert update_page(deviations, tmp_path / "results", tmp_path / "docs/DEVIATIONS.md") == ["experiments", "figures"]
    text = page.read_text()
    assert "| choice | quantity | data sets | exp. 1 | exp. 2 |" in text
    assert "| as run | response test | 1,000 | 0.500 (0.010) | 0.250 (0.010) |" in text
    assert "| 3b | as run | 1,000 | response test 0.500 (0.010); response test 0.250 (0.010) |" in text
    assert "old forests" in text


def test_the_ledger_and_what_does_not_hold(tmp_path, request):
    row = dict.fromkeys(COLUMNS) | {"place": "Fig. 0", "statement": "The mean is one.", "quantity": "mean"}
    row |= {"criterion": "", "detail": ""}
    row |= {"estimate": None, "low": None, "high": None, "expected": "reproduced", "reason": "", "ours": False}
    row |= {"quote": "one", "tables": "workflow/published/a.csv", "others": [], "choice": "", "instead": ""}
    rows = [row | {"id": "right", "verdict": "reproduced"}]
    rows.append(row | {"id": "grave", "verdict": "not reproduced", "rank": 1, "instead": "It is two", "estimate": 2.0})
    rows.insert(0, row | {"id": "slight", "verdict": "not reproduced", "rank": 2, "instead": "It varies", "ours": True})
    (tmp_path / "claims.json").write_text(json.dumps(rows))
    os.utime(tmp_path / "claims.json", (0, 0))
    pages = {name: tmp_path / name for name in ("README.md", "docs/REPRODUCTION.md", "workflow/published/claims.md")}
    for name, copy in pages.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((request.config.rootpath / name).read_text())
    readme, page, ledger = pages.values()
    assert update_page(reproduction, tmp_path, page) == [
        *("sentences", "failed", "verdicts", "facts"),
        *("passages", "ledger", "revised"),
    ]
    text = page.read_text()
    assert "- date: 1970-01-01 00:00 UTC" in text
    assert "- It is two (grave 2).\n- It varies (slight)." in text
    assert "| not reproduced | 1 | 1 |" in text
    assert "| right \u2020 | The mean is one. |" in ledger.read_text()
    assert "| Fig. 0 \u2020 | The mean is one. | holds in part |" in ledger.read_text()
    answer = "Not in full: of 1 passage, 0 hold in full, 1 in part or conditionally (1 verdict from published tables)."
    assert answer in text
    assert answer in readme.read_text()


def test_the_gallery_has_every_figure_that_was_drawn(tmp_path, request, monkeypatch):
    monkeypatch.setattr("permconf_study.paper.claims.catalogue.PUBLISHED", tmp_path / "workflow/published")
    run, page = tmp_path / "run", tmp_path / "docs/FIGURES.md"
    (run / "figures").mkdir(parents=True)
    for name in ("fig08_simstudy", "figE5_experiment5_forest"):
        Image.new("RGB", (2100, 1400), "white").save(run / f"figures/{name}.png")
    write_table({"dataset": [0, 1, 2]}, run / "results/exp5a_forest/tests.parquet")
    write_table({"scenario": ["stress_cy", "stress_cy_yx"], "value": [0, 0.05]}, run / "results/stress/cells.csv")
    page.parent.mkdir()
    page.write_text((request.config.rootpath / "docs/FIGURES.md").read_text())
    assert update_page(figures, run / "results", page) == ["gallery"]
    text = page.read_text()
    with Image.open(tmp_path / "docs/images/fig08_simstudy.png") as image:
        assert image.size == (1050, 700)
    assert "## Fig. 8\n\n![Fig. 8](images/fig08_simstudy.png)\n\nRejection rates of" in text
    assert text.count("\n## ") == 2  # what was never drawn has no place
    assert " 3 data sets per experiment. Drawn by `make forests`." in text
    assert (tmp_path / "workflow/published/exp5a_forest/tests.parquet").exists()
    assert (tmp_path / "workflow/published/stress/cells.csv").read_text() == "scenario,value\nstress_cy_yx,0.05\n"


@pytest.fixture
def arena(request):
    """The published tables of the arena."""
    folder = request.config.rootpath / "workflow/published/arena"
    return {name: pd.read_csv(folder / name) for name in adjustments.TABLES}


def published(tables, folder):
    for name, table in tables.items():
        table.to_csv(folder / name, index=False)
    return folder


def test_adjustments_are_current(request):
    """Every number of the page is that of the published tables: `permconf page adjustments` would change nothing."""
    root = request.config.rootpath
    assert (root / "docs/ADJUSTMENTS.md").read_text() == adjustments.text(root / "workflow/published/arena")


def test_adjustments_refuse_tables_that_contradict_them(arena, tmp_path):
    cells = arena["cells.csv"]
    cells.loc[(cells["setting"] == "unacting") & (cells["of"] == "grouped"), "value"] = 0.05
    with pytest.raises(ValueError, match=r"the tables contradict adjustments\.md\.j2: residuals add confounding"):
        adjustments.text(published(arena, tmp_path))


def test_tables_of_a_run_are_published(arena, tmp_path):
    page, run = tmp_path / "docs/ADJUSTMENTS.md", tmp_path / "results/arena"
    for folder in (page.parent, run):
        folder.mkdir(parents=True)
    published(arena, run)
    adjustments.write(tmp_path / "results", page)
    for name in adjustments.TABLES:
        assert (tmp_path / "workflow/published/arena" / name).read_bytes() == (run / name).read_bytes()
    shutil.rmtree(run)
    before = page.read_text()
    adjustments.write(tmp_path / "results", page)  # a run without an arena
    assert page.read_text() == before


def test_other_tables_of_the_stress_study():
    spread = {"test": "t", "median_sd": 0.1, "largest_sd": 0.2, "mean_range": 0.3, "monte_carlo": 0.01}
    assert "| t | 0.1000 | 0.2000 | 0.3000 | 0.0100 |" in validity.spread(pd.DataFrame([spread]))
    power = {"cell": "cy_cx_negative", "n_test": 100, "test": "prediction", "adjusted": False}
    table = validity.power(pd.DataFrame([power | {"theta": -0.5, "rate": 0.6}, power | {"theta": -0.2, "rate": 0.1}]))
    assert "| C-Y, C-X (-) | 100 | prediction | 0.10 | 0.60 |" in table


def test_tables_of_the_metrics_without_confounding():
    measures = {"mean_truth": 0.6, "bias": -0.05, "rmse": 0.07, "above": 0.25, "coverage": 0.94}
    targets = {"observed": ["as_trained"], "reweighted": ["as_trained"], "retrained": ["unconfounded"]}
    targets |= {"corrected": ["as_trained", "unconfounded"]}
    judged = pd.DataFrame(
        [
            {"scenario": scenario, "n": 1100, "of": of, "against": truth, "measure": measure, "value": value}
            for scenario in JUDGED.values()
            for of, truths in targets.items()
            for truth, given in [("", {"mean": 0.5}), *((truth, measures) for truth in truths)]
            for measure, value in given.items()
        ]
    ).assign(mcse=0.01, n_datasets=100, undefined=25)
    cells = validity.errors(judged).splitlines()
    assert len(cells) == 2 + len(JUDGED)
    assert cells[2].endswith("| -0.0500 (0.0100) | 0.070 | 0.070 | 0.940 (0.010) |")
    assert "| 0.250 (0.010) | 0.250 (0.010) | -0.050 (0.010) |" in validity.above(judged)
    assert len(validity.retrained(judged).splitlines()) == 2 + len(GRID)
    row = "| 1000 | -0.050 to -0.050 | 0.070 to 0.070 | 0.070 to 0.070 | 0.940 to 0.940 | 0.200 to 0.200 |"
    assert row in validity.sizes(judged)


@pytest.mark.slow
def test_large_runs_are_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "SIZES", (200, 400))
    parts = cluster.parts(tmp_path, tmp_path)
    _, _, *rows = [line[2:-2].split(" | ") for line in parts["scale"].splitlines()]
    assert [row[:2] for row in rows] == [["200", "2"], ["400", "4"]]
    assert all(int(row[2]) >= 2 * int(row[1]) for row in rows)
    assert all(float(row[k].split()[0]) > 0 for row in rows for k in (3, 4, 5, 7))
