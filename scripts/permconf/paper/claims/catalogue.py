"""The list of claims and their verdicts, without the code that checks them."""

import json
from collections import Counter
from pathlib import Path

import yaml

from permconf.paper.claims.verdicts import NOT_REPRODUCED, REPRODUCED, VERDICTS


def load_claims(path):
    """The claims of a file, in order."""
    return yaml.load(Path(path).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def claim_tables(claims):
    """All tables used by claims."""
    paths = [path for claim in claims for path in (*claim.get("tables", ()), *claim.get("join", {}).values())]
    return sorted(set(paths))


def read_ledger(path):
    """The rows of a ledger written as JSON."""
    return json.loads(Path(path).read_text())


def surprises(rows):
    """Claims that are expected to hold and do not, or vice versa."""
    opposite = {REPRODUCED: NOT_REPRODUCED, NOT_REPRODUCED: REPRODUCED}
    return [row for row in rows if row["verdict"] == opposite.get(row["expected"])]


def broken(rows):
    """Claims that are expected to hold and do not."""
    return [row for row in surprises(rows) if row["expected"] == REPRODUCED]


def counts(rows):
    """Number of claims by verdict."""
    found = Counter(row["verdict"] for row in rows)
    return {name: found[name] for name in VERDICTS}


def summary(rows):
    """The counts in one line, with the number of failures that were expected."""
    numbers = counts(rows)
    foreseen = sum(row["expected"] == NOT_REPRODUCED for row in rows if row["verdict"] == NOT_REPRODUCED)
    parts = [f"{numbers[name]} {name}" for name in VERDICTS]
    if numbers[NOT_REPRODUCED]:
        parts[1] += f" ({foreseen} of them as expected)"
    return f"{len(rows)} claims of the paper: " + ", ".join(parts)


def found_text(row):
    """Estimate with its interval."""
    if row["estimate"] is None:
        return ""
    if row["low"] == row["high"] or None in (row["low"], row["high"]):
        return f"{row['estimate']:.4g}"
    return f"{row['estimate']:.4g} ({row['low']:.4g} to {row['high']:.4g})"
