"""The ledger: every claim with its finding and verdict, as CSV, JSON and Markdown."""

import json
import math
from functools import cache

from permconf.markdown import table
from permconf.paper.claims.catalogue import claim_tables, found_text, summary
from permconf.paper.claims.checks import CHECKS
from permconf.paper.claims.sources import source
from permconf.paper.claims.verdicts import NOT_TESTABLE, verdict
from permconf.study.tables import read_table, write_table, written_whole

COLUMNS = (
    *("id", "place", "statement", "quantity", "estimate", "low", "high", "criterion", "verdict", "expected"),
    *("reason", "detail", "datasets", "permutations", "tables"),
)


def ledger(claims):
    """One row (a mapping of COLUMNS) per claim; every table is read once."""
    read = cache(read_table)
    return [checked(claim, read) for claim in claims]


def checked(claim, read=read_table):
    """The row of one claim. A claim without a check has a reason why it cannot be tested."""
    row = {name: claim.get(name, "") for name in ("id", "place", "statement", "quantity")}
    row |= {"expected": claim["expected"], "tables": ", ".join(claim_tables([claim]))}
    if "check" not in claim:
        empty = {"estimate": None, "low": None, "high": None, "criterion": "", "detail": ""}
        return _ordered(row | empty | {"verdict": NOT_TESTABLE, "reason": claim["reason"]})
    options = dict(claim["check"])
    finding = CHECKS[options.pop("kind")](source(claim, read), **options)
    decided, reason = verdict(finding, claim.get("needs", {}))
    found = {name: getattr(finding, name) for name in ("estimate", "low", "high", "criterion", "detail")}
    sizes = {"datasets": finding.datasets, "permutations": finding.permutations}
    return _ordered(row | found | sizes | {"verdict": decided, "reason": reason or claim.get("note", "")})


def _ordered(row):
    """The row in the order of COLUMNS; numbers that are not finite become missing."""
    finite = {key: None if isinstance(x, float) and not math.isfinite(x) else x for key, x in row.items()}
    return {name: finite.get(name) for name in COLUMNS}


def markdown(rows):
    """The ledger as a Markdown table."""
    headings = ["id", "place", "claim", "quantity", "found", "criterion", "verdict"]
    entries = [
        [row["id"], row["place"], row["statement"], row["quantity"], found_text(row), row["criterion"], _verdict(row)]
        for row in rows
    ]
    return f"{summary(rows)}. Intervals are 99 % Monte Carlo intervals.\n\n{table(headings, entries)}\n"


def _verdict(row):
    expected = "" if row["verdict"] == row["expected"] else f" (expected: {row['expected']})"
    remarks = "; ".join(part for part in (row["detail"], row["reason"]) if part)
    return f"**{row['verdict']}**{expected}" + (f": {remarks}" if remarks else "")


def write_ledger(rows, *, csv, json_path, md):
    """Write the ledger as CSV, JSON and Markdown."""
    write_table({name: [row[name] for row in rows] for name in COLUMNS}, csv)
    for path, text in ((json_path, json.dumps(rows, indent=1) + "\n"), (md, markdown(rows))):
        with written_whole(path) as temporary:
            temporary.write_text(text)
