"""Results of scenarios as a Markdown table with Monte Carlo standard errors: `permconf summary`."""

import math
from pathlib import Path

from permconf.errors import ConfigError
from permconf.markdown import table
from permconf.study.configuration import chosen_scenario, read_settings, scenario_names
from permconf.study.estimates import median, rejection_rate
from permconf.study.rejection_rates import TESTS
from permconf.study.tables import read_table

ALPHA = 0.05
VALUES = ("observed", "corrected", "reweighted")
PLUS_MINUS = "\u00b1"


def summary_rows(name, tests, tests_made=TESTS, alpha=ALPHA, values=VALUES[:2]):
    """One row of texts per metric: scenario, metric, data sets, rejection rates at `alpha`, medians of the metric."""
    rows = []
    for metric, group in tests.groupby("metric", sort=False):
        usable = group[group["status"] == "ok"]
        rates = [estimate_text(*rejection_rate(usable.get(f"{test}_p", []), alpha)) for test in tests_made]
        medians = [estimate_text(*median(usable[column].dropna() if column in usable else [])) for column in values]
        rows.append([name, metric, f"{len(usable):,} ({len(group) - len(usable)} failed)", *rates, *medians])
    return rows


def estimate_text(estimate, error):
    """Estimate with its standard error, as far as they are defined."""
    if math.isnan(estimate):
        return "-"
    return f"{estimate:.3f}" if math.isnan(error) else f"{estimate:.3f} {PLUS_MINUS} {error:.3f}"


def markdown(rows, tests_made, values=VALUES[:2]):
    """The rows as a table with its header."""
    rates, medians = [f"{test} test at {ALPHA}" for test in tests_made], [f"median {value}" for value in values]
    return table(["scenario", "metric", "data sets", *rates, *medians], rows)


def scenario_tables(name, by, overrides=()):
    """The table of tests of a finished scenario, or one per value of the parameter `by`, each with its label."""
    chosen_scenario(name, scenario_names(read_settings(overrides)))
    path = Path("results", name, "tests.parquet")
    if not path.exists():
        raise ConfigError(f"{path} does not exist; run: permconf run {path}")
    tests = read_table(path)
    if by is None:
        return [(name, tests)]
    design = read_table(path.with_name("design.csv"))
    if by not in design:
        raise ConfigError(f"{name} has no parameter {by!r}; it has {', '.join(design.columns[1:])}")
    merged = tests.merge(design[["dataset", by]], on="dataset")
    return [(f"{name}, {by} = {value:g}", group) for value, group in merged.groupby(by)]


def main(options):
    """Print the table."""
    tables = [part for name in options.scenarios for part in scenario_tables(name, options.by, options.config)]
    made = [test for test in TESTS if any(f"{test}_p" in tests for _, tests in tables)]
    values = [value for value in VALUES if any(value in tests for _, tests in tables)]
    rows = [row for name, tests in tables for row in summary_rows(name, tests, made, values=values)]
    print(markdown(rows, made, values))
