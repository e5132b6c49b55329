"""results/README.md and figures/README.md describe every column of every table."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
SAME = {  # tables with the columns of another
    "other_redraws.parquet": "redraws.parquet",
    "selected_draws.parquet": "<scenario>/draws.parquet",
    "section4/redraws.csv": "section4/relative.csv",
    "section4_forest/relative.csv": "section4/relative.csv",
    "section4_forest/cells.csv": "section4/cells.csv",
    "/claims.csv": "claims.csv",
    "deviations/forests.csv": "deviations/experiments.csv",
}
NOT_DESCRIBED = (
    "design/",
    "chunks/",
    "truths/",
    "logs/",
    "made/",
    "benchmarks/",
    "/arena/",
    "predictions/",
    "mlconfound/",
    "smoke/",
    "parity/",
)


def dictionary(page):
    """Described columns by table, from the headings and tables of a page."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^## `", page.read_text(), flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| (?!column \||---)([^|]+) \|", part, flags=re.MULTILINE)
        found[part.split("`")[0]] = [name for row in rows for name in row.strip().split(", ")]
    return found


RESULTS, FIGURES = (dictionary(ROOT / folder / "README.md") for folder in ("results", "figures"))


def described(path):
    """The described columns of a table, by its path below results or figures."""
    known = RESULTS | FIGURES
    name = next((other for end, other in SAME.items() if path.endswith(end)), path)
    return known.get(name) or known.get(f"<scenario>/{Path(name).name}")


def test_no_column_is_described_twice():
    for table, columns in (RESULTS | FIGURES).items():
        assert len(columns) == len(set(columns)), table


def columns_of(path):
    names = list((pd.read_csv(path, nrows=1) if path.suffix == ".csv" else pd.read_parquet(path)).columns)
    own = path.name == "cells.csv" and "measure" in names  # variables of the study stand before the metric
    return names[names.index("metric") :] if own else names


def undescribed(folder):
    """Tables and columns below a folder with results and figures that the pages lack."""
    missing = {}
    for path in sorted(p for kind in ("csv", "parquet") for p in folder.rglob(f"*.{kind}")):
        name = path.relative_to(folder).as_posix().removeprefix("results/").removeprefix("figures/")
        if not any(part in name for part in NOT_DESCRIBED):
            known = described(name)
            lacking = ["(table)"] if known is None else [c for c in columns_of(path) if c not in known]
            missing |= {name: lacking} if lacking else {}
    return missing


@pytest.mark.skipif(not (ROOT / "results/claims.csv").exists(), reason="there is no run in results/")
def test_the_tables_of_the_last_run_are_described():
    tables = [p for folder in ("results", "figures") for p in (ROOT / folder).rglob("*.csv")]
    assert len(tables) > 20
    assert undescribed(ROOT / "results") | undescribed(ROOT / "figures") == {}


def test_every_column_of_tests_is_described_and_every_parameter(scenarios):
    from permconf.inference.assess import RESULTS as ASSESSED
    from permconf.inference.confounder_tests import RESULTS as SHUFFLED
    from permconf_study.study.predictions import UNDEFINED

    tested = [*UNDEFINED, *(f"{kind}_{name}" for kind in ("algorithm2", "conditional") for name in SHUFFLED)]
    expected = ["dataset", "metric", *ASSESSED, *tested, "status", "error", "traceback"]
    assert set(expected) <= set(RESULTS["<scenario>/tests.parquet"])
    parameters = {name for s in scenarios.values() for name in s["data"]["parameters"]}
    parameters |= {name for s in scenarios.values() for row in s["data"].get("rows", []) for name in row}
    assert parameters <= set(RESULTS["<scenario>/design.csv"])


def test_the_ledger_and_the_redraws_are_described():
    from permconf_study.paper.claims.ledger import COLUMNS
    from permconf_study.paper.tables.redraws import COPIED
    from permconf_study.study.cells import RESULTS as CELL_COLUMNS

    assert set(RESULTS["claims.csv"]) == set(COLUMNS)
    assert set(RESULTS["<scenario>/cells.csv"]) == {"scenario", *CELL_COLUMNS}
    assert {"scenario", *COPIED} <= set(RESULTS["redraws.parquet"])


def test_an_unknown_column_is_found(tmp_path):
    (tmp_path / "results/mine").mkdir(parents=True)
    pd.DataFrame({"dataset": [0], "new": [1]}).to_csv(tmp_path / "results/mine/design.csv", index=False)
    pd.DataFrame({"a": [0]}).to_csv(tmp_path / "results/other.csv", index=False)
    assert undescribed(tmp_path) == {"mine/design.csv": ["new"], "other.csv": ["(table)"]}
