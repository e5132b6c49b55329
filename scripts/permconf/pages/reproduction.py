"""Parts of docs/REPRODUCTION.md: facts about the run, the verdicts on the paper's claims, and the ledger."""

from datetime import UTC, datetime
from pathlib import Path

from permconf.markdown import table, update
from permconf.paper.claims.catalogue import counts, read_ledger
from permconf.paper.claims.ledger import markdown
from permconf.paper.claims.verdicts import NOT_REPRODUCED
from permconf.paper.report.facts import run_facts
from permconf.study.configuration import read_settings
from permconf.study.paths import HOME


def write(results: Path, page: Path) -> list[str]:
    """Update all parts of the page from the ledger of the run, and return their names."""
    ledger = results / "claims.json"
    made = datetime.fromtimestamp(ledger.stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
    facts = {"command": "`make`"} | run_facts(HOME, read_settings()["seed"]) | {"date": made}
    return update(page, parts(read_ledger(ledger), facts))


def parts(rows: list[dict], facts: dict[str, str]) -> dict[str, str | None]:
    """The parts by name."""
    failed = [
        f"- **{row['place']}** ({row['id']}): {row['statement']} {_sentence(row['reason'])}".rstrip()
        for row in rows
        if row["verdict"] == NOT_REPRODUCED
    ]
    return {
        "facts": "\n".join(f"- {name}: {value}" for name, value in facts.items()),
        "verdicts": table(["verdict", "claims"], list(counts(rows).items())),
        "failed": "\n".join(failed) or "None.",
        "ledger": markdown(rows).rstrip("\n"),
    }


def _sentence(text):
    return f"{text[0].upper()}{text[1:]}." if text else ""
