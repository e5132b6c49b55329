"""Tables of docs/VALIDITY.md: the tests for confounding and the corrected metric in the stress study."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from permconf.markdown import table, update
from permconf.paper.tables.stress import ALPHAS, CELLS, NULL_CELLS, TESTS, label
from permconf.study.estimates import rejection_rate
from permconf.study.tables import read_table

NAMES = {
    "confounding": "paper's test",
    "algorithm2": "Algorithm 2",
    "conditional": "conditional",
    "combined": "combined",
    "mlconfound": "mlconfound",
}
OTHERS = {
    "stress_chance": "C-X, Y-X, strong, 20 inner draws",
    "stress_regression_10": "regression, C-Y, Y-X, 10 groups",
    "stress_regression_20": "regression, C-Y, Y-X, 20 groups",
}
LIMIT = 3  # deviations from nominal, in Monte Carlo standard errors, beyond which a rate is marked


def write(results: Path, page: Path) -> list[str]:
    """Update the tables of the page whose files exist, and return their names."""
    return update(page, parts(results / "stress"))


def parts(folder: Path) -> dict[str, str | None]:
    """The tables by name; None without the file of `permconf run stress` or `permconf run mlconfound`."""
    files = {name: folder / file for name, (_, file) in TABLES.items()}
    return {name: TABLES[name][0](read_table(path)) if path.exists() else None for name, path in files.items()}


def type1_error(rates, cells=None, alpha=0.05):
    """Rejection rates at one alpha by cell and test size; a star marks rates more than three errors from it."""
    cells = cells or {cell: label(cell) for cell in NULL_CELLS}
    rates = rates[(rates["alpha"] == alpha) & rates["cell"].isin(cells)]
    tests = [test for test in TESTS if test in set(rates["test"])]
    rows = []
    for cell in cells:
        for n_test, group in rates[rates["cell"] == cell].groupby("n_test"):
            by_test = group.set_index("test")
            found = [_rate(by_test.loc[test]) if test in by_test.index else "-" for test in tests]
            rows.append([cells[cell], n_test, f"{group['n_datasets'].max():,}", *found])
    return table(["links", "test size", "data sets", *(NAMES[test] for test in tests)], rows)


def _rate(row):
    return f"{row['rate']:.4f}" + ("*" if abs(row["deviation"]) > LIMIT else "")


def exactness(rates):
    """Deviation of each test's type I error from alpha in Monte Carlo standard errors: range over test sizes."""
    rows = []
    for cell in NULL_CELLS:
        for test in TESTS:
            here = rates[(rates["cell"] == cell) & (rates["test"] == test)]
            ranges = [_span(here[here["alpha"] == alpha]) for alpha in ALPHAS]
            rows.append([label(cell), NAMES[test], *ranges])
    return table(["links", "test", *(f"deviations at {alpha:.2f}" for alpha in ALPHAS)], rows)


def _span(rows):
    return f"{rows['deviation'].min():+.1f} to {rows['deviation'].max():+.1f}"


def power(rates):
    """Power of every test at 0.05 by theta, in the cells where C is a confounder."""
    rows = []
    for (cell, n_test, test), group in rates.groupby(["cell", "n_test", "test"], sort=False):
        adjusted = " (size-adjusted)" if group["adjusted"].any() else ""
        found = [f"{rate:.2f}" for rate in group.sort_values("theta")["rate"]]
        rows.append([label(str(cell)), n_test, NAMES[str(test)] + adjusted, *found])
    thetas = sorted(rates["theta"].unique())
    return table(["links", "test size", "test", *(f"theta {theta:.2g}" for theta in thetas)], rows)


def inner(rates):
    """Power of the conditional test by test size and number of inner draws."""
    draws = sorted(rates["inner"].unique())
    rows = [
        [n_test, *(f"{r:.3f} ({e:.3f})" for r, e in zip(group["rate"], group["mcse"], strict=True))]
        for n_test, group in rates.sort_values("inner").groupby("n_test")
    ]
    return table(["test size", *(f"{d} inner draws" for d in draws)], rows)


def corrections(summary):
    """Observed and corrected AUC against the AUC without association of C and Y, by cell, largest test size."""
    rows = []
    for cell in CELLS:
        row = summary[summary["cell"] == cell].sort_values("n_test").iloc[-1]
        errors = [f"{row[f'{name}_error']:+.3f} ({row[f'{name}_mcse']:.3f})" for name in ("observed", "corrected")]
        values = [f"{row[name]:.3f}" for name in ("unconfounded", "observed", "corrected")]
        rows.append([label(cell), int(row["n_test"]), f"{int(row['n_datasets']):,}", *values, *errors])
    metrics = ["unconfounded", "observed", "corrected", "observed error", "corrected error"]
    return table(["links", "test size", "data sets", *metrics], rows)


def mlconfound(tests):
    """Rejection rates at 0.05 compared with mlconfound's partial confounder test, on the same data sets."""
    compared = [*TESTS, "mlconfound"]
    rows = []
    for cell in CELLS:
        here = tests[tests["cell"] == cell]
        found = ["{:.3f} ({:.3f})".format(*rejection_rate(here[f"{test}_p"], 0.05 + 1e-12)) for test in compared]
        confounds = "no" if cell in NULL_CELLS else "yes"
        rows.append([label(cell), confounds, len(here), *found, f"{here['seconds'].mean():.1f}"])
    headings = ["links", "confounder", "data sets", *(NAMES[test] for test in compared), "s per data set (mlconfound)"]
    return table(headings, rows)


def cost(times):
    """Milliseconds per data set of each test, by test size."""
    sizes = sorted(times["n_test"].unique())
    rows = [
        [test, fits, *(f"{ms:.1f}" for ms in group.sort_values("n_test")["milliseconds"])]
        for (test, fits), group in times.groupby(["test", "fits"], sort=False)
    ]
    return table(["test", "fits", *(f"test size {size}" for size in sizes)], rows)


TABLES: dict[str, tuple[Callable[..., str], str]] = {
    "type1_error": (type1_error, "type1_error.csv"),
    "others": (partial(type1_error, cells=OTHERS), "type1_error.csv"),
    "exactness": (exactness, "type1_error.csv"),
    "power": (power, "power.csv"),
    "inner": (inner, "inner.csv"),
    "corrections": (corrections, "correction_summary.csv"),
    "cost": (cost, "cost.csv"),
    "mlconfound": (mlconfound, "mlconfound.csv"),
}
