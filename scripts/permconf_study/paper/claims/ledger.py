"""The ledger: every claim with its finding and verdict, as CSV, JSON and Markdown."""

import json
import math
from functools import cache

from permconf.errors import ConfigError, nearest, one_line
from permconf_study.markdown import table
from permconf_study.paper.claims.catalogue import (
    COLUMNS,
    NOT_RUN,
    available,
    claim_tables,
    found_text,
    reading_text,
    readings,
    verdict_counts,
)
from permconf_study.paper.claims.checks import CHECKS
from permconf_study.paper.claims.sources import source
from permconf_study.paper.claims.verdicts import (
    DEPENDS,
    ERRATUM,
    NOT_EXAMINED,
    NOT_REPRODUCED,
    REPRODUCED,
    shortage,
    verdict,
)
from permconf_study.study.paths import HOME
from permconf_study.study.tables import read_table, write_table, written_whole

FOUND = ("estimate", "low", "high", "criterion", "detail")
UNKNOWN = dict.fromkeys(("estimate", "low", "high", "datasets", "permutations"))
NOTHING_FOUND = UNKNOWN | {"criterion": "", "detail": "", "full_size": False}


def ledger(claims):
    """One row (a mapping of COLUMNS) per claim; every table is read once."""
    read = cache(read_table)
    return [checked(claim, read) for claim in claims]


def checked(claim, read=read_table):
    """The row of one claim.

    `others` are the findings under other readings of an open choice: the verdict depends on the choice if they differ.
    `own_verdict` is that under our own reading.
    """
    texts = ("id", "place", "statement", "quantity", "quote", "choice", "instead")
    row = {name: claim.get(name, "") for name in texts} | {"rank": claim.get("rank")}
    row |= {"expected": claim["expected"], "own_expected": claim.get("own_expected", claim["expected"])}
    row |= {"ours": claim.get("ours", False)}
    found = judged(claim, read)
    others = [{"choice": name} | judged(reading, read) for name, reading in readings(claim).items()]
    row |= found | {"others": others, "own_verdict": found["verdict"]}
    if {REPRODUCED, NOT_REPRODUCED} <= {found["verdict"], *(other["verdict"] for other in others)}:
        row["verdict"] = DEPENDS
    row["command"] = f"permconf claims {claim['id']}" if "check" in claim else ""
    row["reason"] = "; ".join(filter(None, (found["reason"], claim.get("note", ""))))
    return {name: row.get(name) for name in COLUMNS}


def judged(claim, read):
    """Finding, verdict, reason and tables of a claim, read as it stands.

    Tables of an optional claim that this run lacks are those of the published run; without either it was not run.
    """
    tables = {path: available(path) if claim.get("optional") else path for path in claim_tables([claim])}
    missing = [path for path, table in tables.items() if table is None]
    if missing or "check" not in claim:
        reason = f"{NOT_RUN}: permconf run {' '.join(missing)}" if missing else claim["reason"]
        decided = ERRATUM if claim.get("erratum") else NOT_EXAMINED
        return NOTHING_FOUND | {"verdict": decided, "reason": reason, "tables": ", ".join(tables)}
    options = dict(claim["check"])
    if (kind := options.pop("kind", None)) not in CHECKS:
        raise ConfigError(f"claim {claim['id']}: check: unknown kind {kind!r}{nearest(str(kind), CHECKS)}")
    try:
        rows = source(claim, lambda path: read(tables[path]))
        finding = CHECKS[kind](rows, **options)
    except ConfigError:  # about a table
        raise
    except (NameError, SyntaxError, TypeError, ValueError) as error:  # such as a column that the tables do not have
        raise ConfigError(f"claim {claim['id']}: {one_line(error)}") from error
    sizes = {"datasets": rows.attempted, "permutations": rows.permutations}
    lacking = shortage(sizes, claim.get("needs", {}))
    special = {name: claim.get(name, False) for name in ("construction", "erratum")}
    decided, reason = verdict(finding, lacking, **special)
    found = {name: _finite(getattr(finding, name)) for name in FOUND} | sizes | {"full_size": not lacking}
    used = ", ".join(path.removeprefix(f"{HOME}/") for path in tables.values())
    return found | {"verdict": decided, "reason": reason, "tables": used}


def _finite(value):
    """Numbers that are not finite become missing."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def ledger_table(rows):
    """The ledger as a Markdown table."""
    headings = ["id", "place", "claim", "quantity", "found", "criterion", "verdict", "tables"]
    entries = [
        [
            *(row["id"], row["place"], _claim(row), row["quantity"], found_text(row), row["criterion"], _verdict(row)),
            ", ".join(f"`{path}`" for path in row["tables"].split(", ") if path),
        ]
        for row in rows
    ]
    about = "Intervals are 99 % Monte Carlo intervals. `permconf claims ID` recomputes a row from its tables"
    return f"{verdict_counts(rows)}. {about}.\n\n{table(headings, entries)}\n"


def _claim(row):
    return f"{row['statement']} (check of ours)" if row["ours"] else f"{row['statement']} \u201c{row['quote']}\u201d"


def _verdict(row):
    expected = "" if row["verdict"] == row["expected"] else f" (in the published run: {row['expected']})"
    remarks = "; ".join(part for part in (row["detail"], row["reason"], others_text(row)) if part)
    return f"**{row['verdict']}**{expected}" + (f": {remarks}" if remarks else "")


def others_text(row):
    """The findings under other readings of an open choice, in words."""

    def place(other):
        return " (published run)" if "workflow/published" in other["tables"] else ""

    return "; ".join(f"{other['choice']}{place(other)}: {reading_text(other, row)}" for other in row["others"])


def write_ledger(rows, *, csv, json_path, md):
    """Write the ledger as CSV, JSON and Markdown."""
    flat = [row | {"others": others_text(row)} for row in rows]
    write_table({name: [row[name] for row in flat] for name in COLUMNS}, csv)
    for path, text in ((json_path, json.dumps(rows, indent=1) + "\n"), (md, ledger_table(rows))):
        with written_whole(path) as temporary:
            temporary.write_text(text)
