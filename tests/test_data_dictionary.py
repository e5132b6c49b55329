"""results/README.md describes the columns of the tables of every run."""

import re
from pathlib import Path


def dictionary(page):
    """Described columns by table, from the headings and tables of a page."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^## `", page.read_text(), flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| (?!column \||---)([^|]+) \|", part, flags=re.MULTILINE)
        found[part.split("`")[0]] = [name for row in rows for name in row.strip().split(", ")]
    return found


RESULTS = dictionary(Path(__file__).parents[1] / "results/README.md")


def test_every_column_of_tests_is_described_and_every_parameter(scenarios):
    from permconf.inference.assess import RESULTS as ASSESSED
    from permconf.inference.confounder_tests import RESULTS as SHUFFLED
    from permconf_study.study.predictions import undefined

    tested = [*undefined(groups=5), *(f"{kind}_{name}" for kind in ("algorithm2", "conditional") for name in SHUFFLED)]
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
