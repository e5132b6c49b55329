"""The list of claims and their verdicts, without the code that checks them."""

import itertools
import json
import re
from collections import Counter
from pathlib import Path

import yaml

from permconf.errors import ConfigError, one_line
from permconf.wording import count
from permconf_study.paper.claims.verdicts import (
    ASYMPTOTIC,
    BY_CONSTRUCTION,
    DEPENDS,
    ERRATUM,
    HOLDS,
    NOT_EXAMINED,
    NOT_REPRODUCED,
    REPRODUCED,
    UNRESOLVED,
    VERDICTS,
)
from permconf_study.study.paths import HOME
from permconf_study.study.scenario_files import CLAIMS as OWN
from permconf_study.study.tables import faults_named

NOT_RUN = "not run"
COLUMNS = (
    *("id", "place", "statement", "quantity", "estimate", "low", "high", "criterion", "verdict", "expected"),
    *("reason", "detail", "datasets", "permutations", "tables", "quote", "ours", "choice", "others", "command"),
    *("own_verdict", "own_expected", "full_size", "rank", "instead"),
)
PART = "holds in part"
PHRASES = {  # of a passage, by its verdict: singular and plural
    REPRODUCED: ("holds in full", "hold in full"),
    PART: ("holds in part", "hold in part"),
    ASYMPTOTIC: ("holds only as n grows", "hold only as n grows"),
    DEPENDS: ("depends on what the paper leaves open", "depend on what the paper leaves open"),
    NOT_REPRODUCED: ("does not hold", "do not hold"),
    UNRESOLVED: ("is unresolved", "are unresolved"),
    ERRATUM: ("is a misprint", "are misprints"),
    BY_CONSTRUCTION: ("is true by construction", "are true by construction"),
    NOT_EXAMINED: ("is not examined", "are not examined"),
}
PUBLISHED = HOME / "workflow/published"


def load_claims(path):
    """The claims of a file, in order; those of a study of one's own need no more than `id`, `statement` and `check`."""
    file = Path(path).name
    try:
        entries = yaml.load(Path(path).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ConfigError(f"{file} is not valid YAML: {one_line(error)}") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{file} must be a list of claims, each a mapping of keys to values")
    claims = [claim for entry in entries for claim in _claims_of(entry)]
    if not file.endswith(OWN):
        return claims
    study = file.removesuffix(OWN)
    given = {"place": study, "ours": True, "expected": REPRODUCED, "tables": [f"results/{study}/cells.csv"]}
    for number, claim in enumerate(claims, 1):
        for key in (key for key in ("id", "statement", "check") if key not in claim):
            raise ConfigError(f"{file}: claim {number} needs the key {key!r}")
    return [given | claim for claim in claims]


def _claims_of(entry):
    """One claim for each combination of the values under `each`, which replace <names> in the entry."""
    if "each" not in entry:
        return [entry]
    rows = itertools.product(*entry.pop("each"))
    return [_with_values(entry, {name: value for part in row for name, value in part.items()}) for row in rows]


def _with_values(entry, values):
    if isinstance(entry, dict):
        return {_with_values(key, values): _with_values(value, values) for key, value in entry.items()}
    if isinstance(entry, list):
        return [_with_values(value, values) for value in entry]
    if not isinstance(entry, str):
        return entry
    alone = re.fullmatch(r"<(\w+)>", entry)
    return values[alone[1]] if alone else re.sub(r"<(\w+)>", lambda name: str(values[name[1]]), entry)


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

    def renamed(text):
        names = "|".join(map(re.escape, changes))
        return re.sub(rf"(?<!\w)({names})(?!\w)", lambda match: changes[match[0]], text) if names else text

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


def passages(rows):
    """The statements of the paper by the passage they are from."""
    found: dict[str, list] = {}
    for row in rows:
        if not row["ours"]:
            found.setdefault(row["quote"], []).append(row)
    return found


def passage_verdict(rows):
    """The verdict on a passage: that of its statements if they agree, else that it holds in part."""
    found = {row["verdict"] for row in rows}
    judged = found - {BY_CONSTRUCTION, NOT_EXAMINED}
    if not judged:
        return BY_CONSTRUCTION if BY_CONSTRUCTION in found else NOT_EXAMINED
    failing = judged - {REPRODUCED}
    if len(failing) > 1 or (failing and failing != {DEPENDS} and len(judged) > 1):
        return PART
    return next(iter(failing or judged))


def is_published(row):
    """Whether a verdict rests on tables of the published run, and not of this one."""
    against = {REPRODUCED, NOT_REPRODUCED} - {row["own_verdict"]} if row["verdict"] == DEPENDS else ()
    tables = [row["tables"], *(other["tables"] for other in row["others"] if other["verdict"] in against)]
    return any("workflow/published" in names for names in tables)


def passage_counts(rows):
    """By verdict, how many passages have it, in words, and how many of them rest on tables of the published run."""
    found: dict[str, list] = {}
    for statements in passages(rows).values():
        found.setdefault(passage_verdict(statements), []).append(any(map(is_published, statements)))
    texts = {}
    for verdict, forms in PHRASES.items():
        if marks := found.get(verdict):
            published = f" ({sum(marks)} by tables of the published run)" if any(marks) else ""
            texts[verdict] = f"{len(marks)} {forms[len(marks) > 1]}{published}"
    return texts


def verdict_counts(rows):
    """The counts in one line: passages of the paper, and apart from them our own checks."""
    ours, texts = [row for row in rows if row["ours"]], []
    if found := passages(rows):
        texts.append(f"{count(len(found), 'passage')} of the paper: {', '.join(passage_counts(rows).values())}")
    if ours:
        listed = ", ".join(f"{name} {number}" for name, number in counts(ours).items() if number)
        texts.append(f"{count(len(ours), 'check')} of ours: {listed}")
    return "; ".join(texts)


def found_text(row):
    """Estimate with its interval, to three digits."""
    if row["estimate"] is None:
        return ""
    if row["low"] == row["high"] or None in (row["low"], row["high"]):
        return f"{row['estimate']:.3g}"
    return f"{row['estimate']:.3g} ({row['low']:.3g} to {row['high']:.3g})"


def differences(other, row):
    """In which criterion and number of data sets another reading differs from ours; "" if in neither."""
    found = [other["criterion"]] if other["criterion"] not in ("", row["criterion"]) else []
    if other["datasets"] not in (None, row["datasets"]):
        found.append(count(other["datasets"], "data set"))
    return ", ".join(found)


def reading_text(other, row):
    """Verdict and estimate under another reading, and in what it differs from ours."""
    return ", ".join(filter(None, (f"{other['verdict']} {found_text(other)}".strip(), differences(other, row))))


SHOWN_WITH = {"Section 2.1": "Fig. 3", "Section 3.2": "Table 1", "Section 4": "Fig. 11"}


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
