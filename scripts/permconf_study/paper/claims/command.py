"""Verdicts on claims after a run: `permconf claims`, or `permconf claims ID` to recompute some.

Claims are the paper's or, with `--study NAME`, those of a study in its own ledger.
"""

from pathlib import Path

from permconf.errors import ConfigError, nearest
from permconf_study.paper.claims.catalogue import (
    broken,
    found_text,
    load_claims,
    read_ledger,
    reading_text,
    surprises,
    undecided,
    verdict_counts,
)
from permconf_study.study.configuration import claims_file, configured
from permconf_study.study.fingerprints import read_record, why_outdated
from permconf_study.study.paths import HOME

LEDGER = Path("results/claims.json")
CLAIMS = HOME / "workflow/claims.yaml"


def main(options=None, path=LEDGER):
    """Print every verdict that differs from the published one, and the counts; or recompute claims from their tables.

    The exit code is 1 if a claim that held in the published run, under our own reading, does not hold in this one.
    """
    study, claims = options.study if options is not None else None, CLAIMS
    if study:
        claims = claims_file(study, configured(options.config, engines=False)[1])
        path = Path("results", study, LEDGER.name)
        if not claims.exists():
            raise ConfigError(f"{study} has no claims: write {claims}")
    if options is not None and options.ids:
        return recomputed(options.ids, claims)
    rows = read_ledger(path)
    csv = Path(path).with_suffix(".csv")
    if read_record(csv) and (reason := why_outdated(csv)):
        raise ConfigError(f"{path} is out of date, because {reason}; run: {' '.join(['permconf run', study or ''])}")
    for row in rows if study else surprises(rows):
        published = "" if study else f", {row['expected']} in the published run{_own(row)}"
        print(f"{row['id']} ({row['place']}): {row['verdict']}{published}. {row['statement']}")
        print(f"    {row['quantity']}: {found_text(row)}, {row['criterion']}")
    if undecided(rows):
        print(f"Unresolved in this run only: {', '.join(row['id'] for row in undecided(rows))}.")
    print(f"{verdict_counts(rows)}; details in {Path(path).with_suffix('.md')}.")
    return min(1, len(broken(rows)))


def _own(row):
    """The verdict under our own reading, where it is another one."""
    if row["own_verdict"] == row["verdict"]:
        return ""
    return f"; with {row['choice']} {row['own_verdict']}, {row['own_expected']} in the published run"


def recomputed(ids, path=CLAIMS):
    """Check claims again from the tables of the run, and print how."""
    from permconf_study.paper.claims.ledger import checked

    claims = {claim["id"]: claim for claim in load_claims(path)}
    for name in ids:
        if name not in claims:
            raise ConfigError(f"there is no claim {name!r}{nearest(name, claims)}")
    rows = [checked(claims[name]) for name in ids]
    for row in rows:
        print(_report(row, claims[row["id"]]))
    return min(1, len(broken(rows)))


def _report(row, claim):
    said = "check of ours" if row["ours"] else f'the paper: "{row["quote"]}"'
    lines = {
        f"{row['id']} ({row['place']})": said,
        "statement": row["statement"],
        "quantity": row["quantity"],
        "tables": row["tables"],
        "rows": claim.get("where", "all"),
        "check": claim.get("check", ""),
        "found": found_text(row),
        "criterion": row["criterion"],
        f"with {row['choice']}": row["own_verdict"] if row["choice"] else "",
        "verdict": f"{row['verdict']} (in the published run: {row['expected']})",
        "remarks": "; ".join(filter(None, (row["detail"], row["reason"]))),
    }
    lines |= {f"with {other['choice']}": reading_text(other, row) for other in row["others"]}
    return "\n    ".join(f"{name}: {text}" for name, text in lines.items() if text)
