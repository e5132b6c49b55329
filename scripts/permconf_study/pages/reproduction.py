"""Parts of docs/REPRODUCTION.md, README.md and workflow/published/claims.md: the run, verdicts, the ledger."""

import re
from datetime import UTC, datetime
from pathlib import Path

from permconf_study.markdown import table
from permconf_study.paper.claims.catalogue import (
    counts,
    found_text,
    is_published,
    load_claims,
    passage_verdict,
    passages,
    read_ledger,
)
from permconf_study.paper.claims.command import CLAIMS
from permconf_study.paper.claims.verdicts import BY_CONSTRUCTION, ERRATUM, MEANINGS, NOT_EXAMINED
from permconf_study.paper.report.facts import run_facts
from permconf_study.paper.report.headlines import failures, sentences
from permconf_study.study.configuration import read_settings
from permconf_study.study.paths import HOME

ALSO = ("README.md", "workflow/published/claims.md")


def parts(results: Path, _page: Path) -> dict[str, str | None]:
    """All parts, from the ledger of the run."""
    ledger = results / "claims.json"
    rows = read_ledger(ledger)
    made = datetime.fromtimestamp(ledger.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = {"command": "`make`"} | run_facts(HOME, read_settings()["seed"]) | {"date": made}
    return ledger_parts(rows, facts)


def ledger_parts(rows: list[dict], facts: dict[str, str]) -> dict[str, str | None]:
    """The parts by name."""
    ours = [row for row in rows if row["ours"]]
    numbers, checks = counts([row for row in rows if not row["ours"]]), counts(ours)
    verdicts = [[name, numbers[name], checks[name], meaning] for name, meaning in MEANINGS.items()]
    return {
        "facts": "\n".join(f"- {name}: {value}" for name, value in facts.items()),
        "sentences": "\n".join(f"- {sentence}" for sentence in sentences(rows)),
        "passages": by_passage(rows),
        "verdicts": table(["verdict", "statements of the paper", "checks of ours", "meaning"], verdicts),
        "failed": failed(rows) or "Nothing.",
        "revised": revised(load_claims(CLAIMS)),
        "ledger": short_ledger(rows),
    }


def failed(rows: list[dict]) -> str:
    """What is the case where claims do not hold, by heading, in the order of consequence for a user."""
    parts = []
    for heading, entries in failures(rows).items():
        lines = [f"- {entry['text']} ({', '.join(map(_found, entry['claims']))})." for entry in entries]
        parts.append(f"**{heading}**\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _found(row):
    return " ".join(filter(None, (row["id"], found_text(row))))


def short_ledger(rows: list[dict]) -> str:
    """Statement, number, criterion and verdict of every claim; those on tables of the published run have a dagger."""
    entries = [
        [row["id"] + " †" * is_published(row), row["statement"], found_text(row), row["criterion"], row["verdict"]]
        for row in rows
    ]
    return table(["id", "statement", "found", "criterion", "verdict"], entries)


def by_passage(rows: list[dict]) -> str:
    """The verdict on each passage that is judged, in the order of the ledger; then those that are not.

    Of several statements of a passage the first is shown, without the panel or experiment that it is about. Passages
    of one place share a row if they share their verdict.
    """
    judged: dict[tuple[str, str], list[str]] = {}
    apart: dict[str, list[str]] = {BY_CONSTRUCTION: [], NOT_EXAMINED: []}
    for statements in passages(rows).values():
        first, verdict = statements[0], passage_verdict(statements)
        text = re.sub(r" \([^()]*\)\.$", ".", first["statement"]) if len(statements) > 1 else first["statement"]
        if verdict in apart:
            apart[verdict].append(first["id"])
        elif verdict != ERRATUM:
            mark = " †" * any(map(is_published, statements))
            judged.setdefault((first["place"] + mark, verdict), []).append(text)
    named = [f"Passages {verdict}: {', '.join(ids)}." for verdict, ids in apart.items() if ids]
    entries = [[place, " ".join(texts), verdict] for (place, verdict), texts in judged.items()]
    return "\n\n".join([table(["place", "what the paper says", "verdict"], entries), *named])


def revised(claims: list[dict]) -> str:
    """Criteria that were changed after a verdict was known; claims with the same change share a row."""
    changes: dict[tuple, list] = {}
    for claim in claims:
        for change in claim.get("revised", []):
            changes.setdefault((change["date"], change["was"], change["reason"]), []).append(claim["id"])
    rows = [[date, ", ".join(ids), was, reason] for (date, was, reason), ids in sorted(changes.items())]
    return table(["date", "claims", "criterion before", "reason"], rows)
