"""Results of a study by its variables, as Markdown tables with Monte Carlo errors."""

import math
import re
from pathlib import Path

from permconf_study.markdown import table
from permconf_study.study.cells import Part, cell_table
from permconf_study.study.parameters import varied_parameters
from permconf_study.study.tables import read_table

ALPHA = 0.05
MEASURES = ("bias", "empirical_se", "rmse", "width")
PLUS_MINUS = "\u00b1"


def scenario_table(name, folder="."):
    """The table of tests of a finished scenario."""
    return read_table(Path(folder, "results", name, "tests.parquet"), ("dataset", "metric", "status"))


def cells_text(scenarios, by, folder="."):
    """Rejection rates, and the performance of estimators, by variables of the grid or parameters."""
    cells = cells_of(scenarios, by, folder)
    return f"{rates_text(cells, by)}\n\n{estimators_text(cells, by)}"


def cells_of(scenarios, by, folder="."):
    """The table of cells of finished scenarios by these variables."""
    parts = []
    for one in scenarios:
        results = Path(folder, "results", one["name"])
        tests, design = scenario_table(one["name"], folder), read_table(results / "design.csv", ("dataset",))
        truth = results / "unconfounded.parquet"
        parts.append(
            Part(
                *(one["name"], tests, design, read_table(truth) if truth.exists() else None, one["cell"]),
                varied=tuple(dict.fromkeys([*varied_parameters(one["data"]), *(v for v in by if v in design)])),
                truth=one.get("truth", {}),
                reference=one.get("reference", {}),
            )
        )
    return cell_table(parts, by)


def rates_text(cells, by):
    """Rejection rates at ALPHA."""
    rates, rows = cells[(cells["measure"] == "rejection_rate") & (cells["alpha"] == ALPHA)], []
    tests = list(dict.fromkeys(rates["of"]))
    for key, group in rates.groupby([*by, "metric"], sort=False, dropna=False):
        made = {row.of: rate_text(row) for row in group.itertuples()}
        first = group.iloc[0]
        datasets = f"{first.n_datasets + first.undefined:,} ({first.failed} failed)"
        rows.append([*map(value_text, key), datasets, *(made.get(test, "-") for test in tests)])
    return table([*by, "metric", "data sets", *(f"{test} test at {ALPHA}" for test in tests)], rows)


def estimators_text(cells, by):
    """A row for each estimator of a cell and each truth that it is compared with."""
    place, rows = [*by, "metric", "of"], []
    measures = [*MEASURES, *(name for name in ("kept", "gain") if name in set(cells["measure"]))]
    cells = cells[cells["measure"].isin(["mean", "coverage", *measures])]
    for key, group in cells.groupby(place, sort=False, dropna=False):
        (mean,) = group[group["measure"] == "mean"].itertuples()
        for target, measured in group.groupby("against", sort=False):
            made = {row.measure: row for row in measured.itertuples()}
            if target or group["against"].nunique() == 1:
                counts = f"{next(iter(made.values())).n_datasets:,} ({mean.undefined} undefined)"
                values = [mean, *(made.get(name) for name in measures)]
                texts = [estimate_text(one.value, one.mcse) if one else "-" for one in values]
                covered = rate_text(made["coverage"]) if "coverage" in made else "-"
                rows.append([*map(value_text, key), target or "-", counts, *texts, covered])
    header = [*by, "metric", "estimator", "truth", "data sets", "mean", *measures, "coverage"]
    return table([name.replace("_", " ") for name in header], rows)


def value_text(value):
    """A value of a variable."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def estimate_text(estimate, error):
    """Estimate with its standard error, as far as they are defined."""
    if math.isnan(estimate):
        return "-"
    return f"{estimate:.3f}" if math.isnan(error) else f"{estimate:.3f} {PLUS_MINUS} {error:.3f}"


def rate_text(rate):
    """A rate or a coverage (`performance.Measured`) with its exact 95 % interval."""
    if math.isnan(rate.value):
        return "-"
    return f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"


def without_intervals(text):
    """A table of `rates_text` without the intervals."""
    return re.sub(r" \(\S+ to \S+\)", "", text)


def widest_interval(cells):
    """Width of the widest Monte Carlo interval of a rate at ALPHA or a coverage, in percentage points."""
    rates = cells[(cells["measure"] == "rejection_rate") & (cells["alpha"] == ALPHA) | (cells["measure"] == "coverage")]
    return f"{100 * (rates['high'] - rates['low']).max():.0f}"
