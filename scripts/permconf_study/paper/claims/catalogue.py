"""The list of claims and their verdicts, without the code that checks them."""

import json
import re
from collections import Counter
from pathlib import Path

import yaml

from permconf.wording import count
from permconf_study.paper.claims.verdicts import HOLDS, NOT_EXAMINED, NOT_REPRODUCED, UNRESOLVED, VERDICTS
from permconf_study.study.paths import HOME
from permconf_study.study.tables import faults_named

NOT_RUN = "not run"
COLUMNS = (
    *("id", "place", "statement", "quantity", "estimate", "low", "high", "criterion", "verdict", "expected"),
    *("reason", "detail", "datasets", "permutations", "tables", "quote", "ours", "choice", "others", "command"),
    *("own_verdict", "own_expected", "full_size"),
)
PUBLISHED = HOME / "workflow/published"


def load_claims(path):
    """The claims of a file, in order."""
    return yaml.load(Path(path).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def claim_tables(claims):
    """All tables used by claims under our own choices."""
    paths = [path for claim in claims for path in (*claim.get("tables", ()), *claim.get("join", {}).values())]
    return sorted(set(paths))


def readings(claim):
    """The claim under the other readings of a choice that the paper leaves open, by name; their tables are optional.

    `choices` maps the name of a reading to names that replace others in the claim's tables and rows, such as {"random
    forests": {exp1: exp1_forest}}; under `check` and `needs` it may have its own.
    """
    return {name: _reread(claim, dict(changes)) for name, changes in claim.get("choices", {}).items()}


def _reread(claim, changes):
    own = {key: changes.pop(key) for key in ("check", "needs") if key in changes}
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, changes))})(?!\w)")

    def renamed(text):
        return pattern.sub(lambda match: changes[match[0]], text)

    reading = claim | own | {"optional": True, "tables": [renamed(path) for path in claim["tables"]]}
    reading |= {"join": {prefix: renamed(path) for prefix, path in claim.get("join", {}).items()}}
    return reading | ({"where": renamed(claim["where"])} if "where" in claim else {})


def optional_tables(claims):
    """Tables that `make` does not compute: of other readings and of optional claims. They are used where they exist."""
    others = [reading for claim in claims for reading in readings(claim).values()]
    found = claim_tables([*others, *(claim for claim in claims if claim.get("optional"))])
    return sorted(set(found) - set(required_tables(claims)))


def available(path):
    """An optional table of this run or, if it has none, of the published run; None if neither has it."""
    kept = PUBLISHED / Path(path).relative_to("results")
    return next((str(table) for table in (path, kept) if Path(table).exists()), None)


def required_tables(claims):
    """Tables that the claims cannot do without."""
    return claim_tables([claim for claim in claims if not claim.get("optional")])


def read_ledger(path):
    """The rows of a ledger written as JSON."""
    with faults_named(path):
        rows = [{name: row[name] for name in COLUMNS} for row in json.loads(Path(path).read_text())]
        if not rows:
            raise ValueError("a ledger has rows")
        return rows


def surprises(rows):
    """Claims on which this run decides otherwise than the published one, under our own reading or over all."""

    def changed(row, reading):
        return row[f"{reading}verdict"] not in (row[f"{reading}expected"], NOT_EXAMINED)

    return [row for row in rows if not _too_small(row) and (changed(row, "") or changed(row, "own_"))]


def _too_small(row):
    """Whether a run leaves a claim open, under our own reading, because of its size."""
    return row["own_verdict"] == UNRESOLVED and not row["full_size"]


def undecided(rows):
    """Claims that this run is too small for, and the published one was not."""
    return [row for row in rows if _too_small(row) and row["own_expected"] != UNRESOLVED]


def broken(rows):
    """Claims that held under our own reading and now do not: refuted by a run of any size, or open at full size.

    Other readings may use tables of the published run, which say nothing about the code of this one.
    """
    return [
        row
        for row in rows
        if row["own_expected"] in HOLDS
        and (row["own_verdict"] == NOT_REPRODUCED or (row["full_size"] and row["own_verdict"] not in HOLDS))
    ]


def counts(rows):
    """Number of claims by verdict."""
    found = Counter(row["verdict"] for row in rows)
    return {name: found[name] for name in VERDICTS}


def verdict_counts(rows):
    """The counts in one line: the paper's statements, and apart from them our own checks."""
    ours = [row for row in rows if row["ours"]]
    text = f"{count(len(rows) - len(ours), 'statement')} of the paper: {_listed([r for r in rows if not r['ours']])}"
    return f"{text}; {count(len(ours), 'check')} of ours: {_listed(ours)}" if ours else text


def _listed(rows):
    foreseen = sum(row["expected"] == row["verdict"] for row in rows if row["verdict"] == NOT_REPRODUCED)
    notes = {NOT_REPRODUCED: f" ({foreseen} as in the published run)"}
    return ", ".join(f"{name} {number}{notes.get(name, '')}" for name, number in counts(rows).items() if number)


def found_text(row):
    """Estimate with its interval."""
    if row["estimate"] is None:
        return ""
    if row["low"] == row["high"] or None in (row["low"], row["high"]):
        return f"{row['estimate']:.4g}"
    return f"{row['estimate']:.4g} ({row['low']:.4g} to {row['high']:.4g})"


def differences(other, row):
    """In which criterion and number of data sets another reading differs from ours; "" if in neither."""
    found = [other["criterion"]] if other["criterion"] not in ("", row["criterion"]) else []
    if other["datasets"] not in (None, row["datasets"]):
        found.append(count(other["datasets"], "data set"))
    return ", ".join(found)


def reading_text(other, row):
    """Verdict and estimate under another reading, and in what it differs from ours."""
    return ", ".join(filter(None, (f"{other['verdict']} {found_text(other)}".strip(), differences(other, row))))


SHOWN_WITH = {"Section 2.1": "Fig. 3", "Section 2.2": "Fig. 7", "Section 3.2": "Table 1", "Section 4": "Fig. 11"}


def group_of(place):
    """The figure under which a claim is shown, or its section: "Fig. 8a" and "Section 2.1" are Figs. 8 and 3."""
    for pattern, group in ((r"Fig\. \w?\d+", None), ("Algorithm 2", "Fig. S1"), ("Theorem", "Fig. S2")):
        if match := re.search(pattern, place):
            return group or match[0]
    match = re.search(r"Table 1|Section \d(\.\d)?|Discussion", place)
    first = match[0] if match else place
    return SHOWN_WITH.get(first, first)


def grouped(rows):
    """Rows of a ledger by the figure or section under which they are shown."""
    groups: dict[str, list] = {}
    for row in rows:
        groups.setdefault(group_of(row["place"]), []).append(row)
    return groups
