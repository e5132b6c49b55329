"""Verdicts on the paper's claims after a run: `permconf claims`."""

from pathlib import Path

from permconf.errors import ConfigError
from permconf.paper.claims.catalogue import broken, read_ledger, summary, surprises

LEDGER = Path("results/claims.json")


def main(_options=None, path=LEDGER):
    """Print the counts and every unexpected verdict; exit code 1 if a claim that is expected to hold does not."""
    if not Path(path).exists():
        raise ConfigError(f"{path} does not exist; run: permconf run")
    rows = read_ledger(path)
    for row in surprises(rows):
        print(f"{row['id']} ({row['place']}): {row['verdict']}, expected {row['expected']}. {row['statement']}")
        print(f"    {row['quantity']}: {row['estimate']:.4g}, {row['criterion']}")
    print(f"{summary(rows)}; details in {Path(path).with_suffix('.md')}.")
    return min(1, len(broken(rows)))
