"""Print what became of the paper's claims; fail if one that is expected to hold does not."""

import sys
from pathlib import Path

from permconf.paper.claims.catalogue import broken, read_ledger, summary, surprises

LEDGER = Path("results/claims.json")


def main(path=LEDGER):
    """Print the summary and every surprise; the exit status is the number of broken claims, at most 1."""
    rows = read_ledger(path)
    for row in surprises(rows):
        print(f"{row['id']} ({row['place']}): {row['verdict']}, expected {row['expected']}. {row['statement']}")
        print(f"    {row['quantity']}: {row['estimate']:.4g}, {row['criterion']}")
    print(summary(rows) + f"; all of them in {Path(path).with_suffix('.md')}.")
    return min(1, len(broken(rows)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
