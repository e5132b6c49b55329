"""Pages written from tables of results: every part of a page has a maker, and the parts without files are kept."""

import importlib
import json
import os

import pandas as pd
import pytest

from permconf.pages import PAGES, api, deviations, reproduction, validity
from permconf.paper.tables import stress


def assessed(p):
    """A table of tests with these p-values for every test."""
    base = {"dataset": range(len(p)), "n_test": 20, "status": "ok", "conditional_inner": 3}
    base |= {
        "confounding_z": [-x for x in p],
        "algorithm2_statistic": 0.0,
        "algorithm2_mean": 0.0,
        "algorithm2_sd": 1.0,
    }
    return pd.DataFrame(base | {f"{test}_p": p for test in stress.TESTS})


@pytest.fixture
def results(tmp_path):
    """Some of the tables of a stress study: uniform p-values without confounder, one in ten above 0.05 with it."""
    uniform, small = [(k + 1) / 100 for k in range(100)], [0.001 if k % 10 else 0.9 for k in range(100)]
    tests = {cell: assessed(uniform if cell in stress.NULL_CELLS else small) for cell in stress.CELLS}
    design = pd.DataFrame({"dataset": range(100), "theta": [0.1 + 0.009 * k for k in range(100)]})
    folder = tmp_path / "results/stress"
    folder.mkdir(parents=True)
    stress.type1_error_table(tests | {"stress_chance": assessed(small)}).to_csv(folder / "type1_error.csv", index=False)
    stress.power_table(tests, dict.fromkeys(tests, design)).to_csv(folder / "power.csv", index=False)
    stress.inner_table([tests["cy_cx_yx"]]).to_csv(folder / "inner.csv", index=False)
    mlconfound = [table.assign(cell=cell, mlconfound_p=0.5, seconds=1.5) for cell, table in tests.items()]
    pd.concat(mlconfound).to_csv(folder / "mlconfound.csv", index=False)
    return tmp_path / "results"


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"audit"}))  # tests/pages/test_examples.py has the guide
def test_every_part_of_a_page_is_known(name, request, results):
    page = request.config.rootpath / "docs" / f"{name.upper()}.md"
    write = importlib.import_module(PAGES[name]).write
    assert callable(write)
    parts = {
        "api": api.parts(),
        "deviations": deviations.parts(results),
        "reproduction": reproduction.parts([], {}),
        "validity": validity.parts(results / "stress"),
    }[name]
    marks = [line.split()[2] for line in page.read_text().splitlines() if line.startswith("<!-- table: ")]
    assert sorted(marks) == sorted(parts)
    assert page.read_text().count("<!-- end -->") == len(marks)


def test_tables_of_the_stress_study(results, tmp_path):
    page = tmp_path / "page.md"
    names = ("type1_error", "others", "power", "inner", "mlconfound", "cost")
    page.write_text("".join(f"<!-- table: {name} -->\nold {name}\n<!-- end -->\n" for name in names))
    assert validity.write(results, page) == list(names[:-1])
    text = page.read_text()
    assert "old cost" in text
    assert text.count("old") == 1
    assert "| no link | 20 | 100 | 0.0500 | 0.0500 | 0.0500 | 0.0500 |" in text
    assert "| C-X, Y-X, strong, 20 inner draws | 20 | 100 | 0.9000* |" in text
    assert text.count("size-adjusted") == 4
    assert "| test size | 3 inner draws |" in text
    assert "| C-Y, C-X | yes | 100 | 0.900 (0.030) |" in text


def test_tables_of_the_deviations(tmp_path):
    folder, page = tmp_path / "results/deviations", tmp_path / "page.md"
    folder.mkdir(parents=True)
    columns = {"choice": "as run", "quantity": "response test", "value": [0.5, 0.25], "mcse": 0.01, "n_datasets": 1000}
    pd.DataFrame(columns | {"experiment": ["exp1", "exp2"]}).to_csv(folder / "experiments.csv", index=False)
    pd.DataFrame(columns | {"figure": "3b"}).to_csv(folder / "figures.csv", index=False)
    page.write_text(
        "".join(f"<!-- table: {n} -->\nold {n}\n<!-- end -->\n" for n in ("experiments", "forests", "figures"))
    )
    assert deviations.write(tmp_path / "results", page) == ["experiments", "figures"]
    text = page.read_text()
    assert "| choice | quantity | data sets | exp. 1 | exp. 2 |" in text
    assert "| as run | response test | 1,000 | 0.500 (0.010) | 0.250 (0.010) |" in text
    assert "| 3b | as run | 1,000 | response test 0.500 (0.010); response test 0.250 (0.010) |" in text
    assert "old forests" in text


def test_the_ledger_and_what_does_not_hold(tmp_path, request):
    row = {"place": "Fig. 0", "statement": "The mean is one.", "quantity": "mean", "criterion": "", "detail": ""}
    row |= {"estimate": None, "low": None, "high": None, "expected": "reproduced", "reason": ""}
    rows = [row | {"id": "right", "verdict": "reproduced"}]
    rows.append(row | {"id": "wrong", "verdict": "not reproduced", "reason": "it is two"})
    (tmp_path / "claims.json").write_text(json.dumps(rows))
    os.utime(tmp_path / "claims.json", (0, 0))
    page = tmp_path / "page.md"
    page.write_text((request.config.rootpath / "docs/REPRODUCTION.md").read_text())
    assert reproduction.write(tmp_path, page) == ["facts", "verdicts", "failed", "ledger"]
    text = page.read_text()
    assert "- date: 1970-01-01 00:00 UTC" in text
    assert "- **Fig. 0** (wrong): The mean is one. It is two." in text
    assert text.count("(wrong)") == 1
    assert "| not reproduced | 1 |" in text
    assert "| right | Fig. 0 | The mean is one. | mean |" in text
