"""Keep the ledger of a run: docs/REPRODUCTION.md, with date, versions and command."""

from datetime import UTC, datetime
from pathlib import Path

from permconf.paper.claims.catalogue import counts, read_ledger
from permconf.paper.claims.ledger import markdown
from permconf.paper.report.facts import run_facts

HOME = Path(__file__).parents[3]
PAGE = HOME / "docs" / "REPRODUCTION.md"


def record(rows, facts):
    """The page: what was run and when, the counts, what did not hold, and the ledger."""
    listed = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    totals = "\n".join(f"| {name} | {number} |" for name, number in counts(rows).items())
    failed = "\n".join(
        f"- **{row['place']}** ({row['id']}): {row['statement']} {_sentence(row['reason'])}".rstrip()
        for row in rows
        if row["verdict"] == "not reproduced"
    )
    return f"""# Reproduction: the paper's claims, one by one

Written by `make reproduction` from the run of `make`. How a verdict is reached is said in
`scripts/permconf/claims/verdicts.py`; the claims are in `workflow/claims.yaml`; what the paper leaves open or has wrong
is in [DEVIATIONS.md](DEVIATIONS.md).

The criteria put numbers to the paper's words ("close to", "reasonable", "poor"). They were written by people who had
seen first runs, and the notes in `workflow/claims.yaml` say which were revised after a verdict: the ledger protects
what is known, and is no blind test. The effects in scenario `section23` were chosen so that Section 2.3's case occurs.

- command: `make`
{listed}

| verdict | claims |
|---|---:|
{totals}

## What does not hold

{failed or "Nothing."}

## The ledger

{markdown(rows)}"""


def _sentence(text):
    return f"{text[0].upper()}{text[1:]}." if text else ""


def main(ledger="results/claims.json", page=PAGE):
    """Write the page."""
    import yaml

    seed = yaml.safe_load((HOME / "config.yaml").read_text())["seed"]
    made = datetime.fromtimestamp(Path(ledger).stat().st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
    Path(page).write_text(record(read_ledger(ledger), run_facts(HOME, seed) | {"date": made}))
    print(f"Wrote {page}.")


if __name__ == "__main__":
    main()
