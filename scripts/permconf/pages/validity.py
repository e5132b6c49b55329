"""Markdown tables of the stress study, from its CSV files: printed, or put into the places of a page that name them.

`python -m permconf.pages.validity` prints them; with `--page docs/VALIDITY.md` it renews every block of that page
between `<!-- table: NAME -->` and `<!-- end -->`.
"""

import argparse
import re
from pathlib import Path

import pandas as pd

from permconf.paper.tables.stress import ALPHAS, CELLS, NULL_CELLS, TESTS, label

FOLDER = Path("results/stress")
NAMES = {
    "confounding": "paper's test",
    "algorithm2": "Algorithm 2",
    "conditional": "conditional",
    "combined": "combined",
    "mlconfound": "mlconfound",
}
OTHERS = {
    "chance": "C-X, Y-X, strong, 20 inner draws",
    "regression_10": "regression, C-Y, Y-X, 10 groups",
    "regression_20": "regression, C-Y, Y-X, 20 groups",
}
LIMIT = 3  # Monte Carlo standard errors from nominal that are marked


def levels(folder, cells=None, alpha=0.05):
    """Rejection rates at one level by cell and test size; a star marks rates more than three errors from nominal."""
    cells = cells or {cell: label(cell) for cell in NULL_CELLS}
    table = pd.read_csv(folder / "levels.csv")
    table = table[(table["alpha"] == alpha) & table["cell"].isin(cells)]
    tests = [test for test in TESTS if test in set(table["test"])]
    rows = []
    for cell in cells:
        for n_test, group in table[table["cell"] == cell].groupby("n_test"):
            by_test = group.set_index("test")
            rates = [_rate(by_test.loc[test]) if test in by_test.index else "-" for test in tests]
            rows.append([cells[cell], n_test, f"{group['n_datasets'].max():,}", *rates])
    return _markdown(["links", "test size", "data sets", *(NAMES[test] for test in tests)], rows)


def others(folder):
    """The same for the scenarios beside the grid."""
    return levels(folder, OTHERS)


def _rate(row):
    return f"{row['rate']:.4f}" + ("*" if abs(row["deviation"]) > LIMIT else "")


def exactness(folder):
    """How far each test is from its nominal level in Monte Carlo errors: smallest to largest over test sizes."""
    table = pd.read_csv(folder / "levels.csv")
    rows = []
    for cell in NULL_CELLS:
        for test in TESTS:
            here = table[(table["cell"] == cell) & (table["test"] == test)]
            ranges = [_span(here[here["alpha"] == alpha]) for alpha in ALPHAS]
            rows.append([label(cell), NAMES[test], *ranges])
    return _markdown(["links", "test", *(f"deviations at {alpha:.2f}" for alpha in ALPHAS)], rows)


def _span(rows):
    return f"{rows['deviation'].min():+.1f} to {rows['deviation'].max():+.1f}"


def power(folder):
    """Power at level 0.05 by theta in the cells where C is a confounder; every test."""
    table = pd.read_csv(folder / "power.csv")
    rows = []
    for (cell, n_test, test), group in table.groupby(["cell", "n_test", "test"], sort=False):
        adjusted = " (size-adjusted)" if group["adjusted"].any() else ""
        rates = [f"{rate:.2f}" for rate in group.sort_values("theta")["rate"]]
        rows.append([label(str(cell)), n_test, NAMES[str(test)] + adjusted, *rates])
    thetas = sorted(table["theta"].unique())
    return _markdown(["links", "test size", "test", *(f"theta {theta:.2g}" for theta in thetas)], rows)


def inner(folder):
    """Power of the conditional test by test size and number of inner draws."""
    table = pd.read_csv(folder / "inner.csv")
    draws = sorted(table["inner"].unique())
    rows = [
        [n_test, *(f"{r:.3f} ({e:.3f})" for r, e in zip(group["rate"], group["mcse"], strict=True))]
        for n_test, group in table.sort_values("inner").groupby("n_test")
    ]
    return _markdown(["test size", *(f"{d} inner draws" for d in draws)], rows)


def corrections(folder):
    """Observed and corrected AUC against the AUC without association of C and Y, by cell, largest test size."""
    table = pd.read_csv(folder / "correction_summary.csv").set_index("cell")
    rows = []
    for cell in CELLS:
        row = table.loc[[cell]].sort_values("n_test").iloc[-1]
        errors = [f"{row[f'{name}_error']:+.3f} ({row[f'{name}_mcse']:.3f})" for name in ("observed", "corrected")]
        values = [f"{row[name]:.3f}" for name in ("unconfounded", "observed", "corrected")]
        rows.append([label(cell), int(row["n_test"]), f"{int(row['n_datasets']):,}", *values, *errors])
    metrics = ["unconfounded", "observed", "corrected", "observed error", "corrected error"]
    return _markdown(["links", "test size", "data sets", *metrics], rows)


def mlconfound(folder):
    """Rejection rates at 0.05 beside mlconfound's partial confounder test, on the same data sets."""
    table = pd.read_csv(folder / "mlconfound.csv")
    tests = [*TESTS, "mlconfound"]
    rows = []
    for cell in CELLS:
        here = table[table["cell"] == cell]
        rates = [(here[f"{test}_p"] <= 0.05 + 1e-12).mean() for test in tests]
        errors = [(rate * (1 - rate) / len(here)) ** 0.5 for rate in rates]
        shown = [f"{rate:.3f} ({error:.3f})" for rate, error in zip(rates, errors, strict=True)]
        confounds = "no" if cell in NULL_CELLS else "yes"
        rows.append([label(cell), confounds, len(here), *shown, f"{here['seconds'].mean():.1f}"])
    headings = ["links", "confounder", "data sets", *(NAMES[test] for test in tests), "s per data set (mlconfound)"]
    return _markdown(headings, rows)


def cost(folder):
    """Milliseconds per data set of each test, by test size."""
    table = pd.read_csv(folder / "cost.csv")
    sizes = sorted(table["n_test"].unique())
    rows = [
        [test, fits, *(f"{ms:.1f}" for ms in group.sort_values("n_test")["milliseconds"])]
        for (test, fits), group in table.groupby(["test", "fits"], sort=False)
    ]
    return _markdown(["test", "fits", *(f"test size {size}" for size in sizes)], rows)


TABLES = {
    "levels": (levels, "levels.csv"),
    "others": (others, "levels.csv"),
    "exactness": (exactness, "levels.csv"),
    "power": (power, "power.csv"),
    "inner": (inner, "inner.csv"),
    "corrections": (corrections, "correction_summary.csv"),
    "cost": (cost, "cost.csv"),
    "mlconfound": (mlconfound, "mlconfound.csv"),
}


def _markdown(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(entry) for entry in line) + " |" for line in lines)


def report(folder):
    """The tables whose files are there, by name."""
    return {name: make(folder) for name, (make, file) in TABLES.items() if (folder / file).exists()}


def fill(page, tables):
    """The text of a page with its blocks renewed; a block whose table is not there stays as it is."""

    def renewed(match):
        name = match["name"]
        if name not in TABLES:
            raise ValueError(f"unknown table {name!r} in the page; known are {', '.join(TABLES)}")
        return f"<!-- table: {name} -->\n{tables[name]}\n<!-- end -->" if name in tables else match[0]

    return re.sub(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", renewed, page, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(prog="python -m permconf.pages.validity", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--page", type=Path, help="put the tables into this page instead of printing them")
    options = parser.parse_args()
    tables = report(options.folder)
    if options.page:
        options.page.write_text(fill(options.page.read_text(), tables))
    else:
        print("\n\n".join(f"{TABLES[name][0].__doc__}\n\n{table}" for name, table in tables.items()))


if __name__ == "__main__":
    main()
