"""The list of claims is complete and can be checked: every entry is well formed and reads tables that a run makes."""

import inspect
import re
from pathlib import Path

import pytest

from permconf_study.paper.claims.catalogue import claim_tables, load_claims, readings
from permconf_study.paper.claims.checks import CHECKS
from permconf_study.paper.claims.verdicts import VERDICTS

ROOT = Path(__file__).parents[2]
CLAIMS = load_claims(ROOT / "workflow/claims.yaml")
KEYS = {"id", "place", "statement", "quantity", "tables", "join", "where", "sum_by", "check", "needs", "expected"}
KEYS |= {"note", "reason", "quote", "ours", "choice", "choices", "construction", "optional", "revised", "own_expected"}
KEYS |= {"erratum", "rank", "instead"}
SCENARIO_TABLES = {"design.csv", "tests.parquet", "draws.parquet", "curves.csv"}
OTHER_TABLES = {
    "results/arena/cells.csv",
    "results/stress/cells.csv",
    "results/exp1/unconfounded.parquet",
    "results/exp5a/unconfounded.parquet",
    "results/exp5a_forest/unconfounded.parquet",
    "results/stratified.csv",
    "results/theorem_decay.csv",
    "results/tie_term.csv",
    "results/section4/cells.csv",
    "results/section4/relative.csv",
    "results/section4/redraws.csv",
    "results/section4_forest/relative.csv",
    "results/redraws.parquet",
    "results/other_redraws.parquet",
    "results/fig04/association.parquet",
    "results/fig04/examples.csv",
    "results/fig04/selected_draws.parquet",
}


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim["id"] for claim in CLAIMS])
def test_an_entry_is_well_formed(claim, shipped):
    assert set(claim) <= KEYS
    assert claim["expected"] in VERDICTS
    assert claim["expected"] != "depends on an open choice" or "own_expected" in claim
    assert claim.get("erratum", False) == (claim["expected"] == "erratum")
    fails = claim["expected"] in ("not reproduced", "depends on an open choice", "holds asymptotically", "erratum")
    assert not fails or (claim["rank"] and claim["instead"])
    assert claim.get("own_expected", "reproduced") in VERDICTS
    assert bool(claim.get("quote")) != claim.get("ours", False)
    assert (claim["expected"] == "by construction") == claim.get("construction", False)
    assert all(set(change) == {"date", "was", "reason"} for change in claim.get("revised", []))
    if "check" not in claim:
        assert claim["expected"] in ("not examined", "erratum")
        assert claim["reason"]
        return
    assert claim["quantity"]
    options = dict(claim["check"])
    inspect.signature(CHECKS[options.pop("kind")]).bind(None, **options)
    assert set(claim.get("needs", {})) <= {"datasets", "permutations"}
    for path in (*claim_tables([claim]), *claim_tables(readings(claim).values())):
        _, folder, name = ("", *path.split("/"))[-3:]
        assert path in OTHER_TABLES or (folder in shipped and name in SCENARIO_TABLES), path


def test_ids_are_unique():
    ids = [claim["id"] for claim in CLAIMS]
    assert len(ids) == len(set(ids)) >= 100


def test_the_readme_has_the_verdicts_of_the_recorded_ledger():
    readme, recorded = ((ROOT / name).read_text() for name in ("README.md", "docs/REPRODUCTION.md"))
    pattern = r"<!-- table: sentences -->\n(.*?)<!-- end -->"
    found = [re.search(pattern, text, re.DOTALL)[1] for text in (readme, recorded)]
    assert found[0] == found[1] != ""  # permconf page reproduction


def test_the_recorded_ledger_has_every_claim():
    recorded = (ROOT / "workflow/published/claims.md").read_text()
    missing = [claim["id"] for claim in CLAIMS if not re.search(rf"\| {claim['id']}( †)? \|", recorded)]
    assert missing == []  # permconf page reproduction
