"""Results of scenarios as a Markdown table with Monte Carlo standard errors: `permconf summary`."""

import contextlib
import math
from pathlib import Path

import numpy as np

from permconf.errors import ConfigError
from permconf.wording import count, p_text
from permconf_study.markdown import table
from permconf_study.study.cells import Part, cell_table
from permconf_study.study.configuration import chosen_scenarios, configured
from permconf_study.study.estimates import median
from permconf_study.study.estimators import ESTIMATORS
from permconf_study.study.fingerprints import read_record, why_outdated
from permconf_study.study.parameters import varied_parameters
from permconf_study.study.performance import rejection_rates
from permconf_study.study.rejection_rates import TESTS
from permconf_study.study.steps import Steps
from permconf_study.study.tables import read_table
from permconf_study.study.versions import versions

ALPHA = 0.05
VALUES = tuple(name for name in ESTIMATORS if name != "retrained")  # those in the table of tests
MEASURES = ("bias", "empirical_se", "rmse", "width")
SAME_REASON = ("association", "combined")  # as the prediction test
PLUS_MINUS = "\u00b1"
NOTE_ON_SPLITS = (
    "Medians and quartiles over random splits of one table. p-values of different splits are dependent: their spread"
    " shows how much the split matters, and their share below 0.05 is not a power."
)


def summary_rows(name, tests, tests_made=TESTS, alpha=ALPHA, values=VALUES[:2]):
    """One row of texts per metric: scenario, metric, data sets, rejection rates at `alpha`, medians of the metric."""
    rows = []
    for metric, group in tests.groupby("metric", sort=False):
        usable = group[group["status"] == "ok"]
        rates = [rate_text(rejection_rates(usable.get(f"{test}_p", []), [alpha])[0]) for test in tests_made]
        medians = [estimate_text(*median(usable[column].dropna() if column in usable else [])) for column in values]
        rows.append([name, metric, f"{len(usable):,} ({len(group) - len(usable)} failed)", *rates, *medians])
    return rows


def split_rows(name, tests, tests_made, values):
    """One row of texts per metric of a scenario whose data sets are random splits of one table."""
    rows = []
    for metric, group in tests.groupby("metric", sort=False):
        usable = group[group["status"] == "ok"]
        columns = {f"{test}_p": p_text for test in tests_made} | dict.fromkeys(values, "{:.3f}".format)
        texts = [quartiles_text(usable[key].dropna() if key in usable else [], text) for key, text in columns.items()]
        rows.append([name, metric, f"{len(usable):,} ({len(group) - len(usable)} failed)", *texts])
    return rows


def quartiles_text(values, text):
    """Median and quartiles of values, each put into words by `text`."""
    if not len(values):
        return "-"
    low, middle, high = map(text, np.quantile(values, [0.25, 0.5, 0.75]))
    return f"{middle} ({low} to {high})"


def estimate_text(estimate, error):
    """Estimate with its standard error, as far as they are defined."""
    if math.isnan(estimate):
        return "-"
    return f"{estimate:.3f}" if math.isnan(error) else f"{estimate:.3f} {PLUS_MINUS} {error:.3f}"


def markdown(rows, tests_made, values=VALUES[:2]):
    """The rows as a table with its header."""
    rates, medians = [f"{test} test at {ALPHA}" for test in tests_made], [f"median {value}" for value in values]
    return table(["scenario", "metric", "data sets", *rates, *medians], rows)


def rate_text(rate):
    """A rate or a coverage (`performance.Measured`) with its exact 95 % interval."""
    if math.isnan(rate.value):
        return "-"
    return f"{rate.value:.3f} ({rate.low:.3f} to {rate.high:.3f})"


def scenario_table(name, folder="."):
    """The table of tests of a finished scenario."""
    return read_table(Path(folder, "results", name, "tests.parquet"), ("dataset", "metric", "status"))


def cells_text(scenarios, by, folder="."):
    """Rejection rates, and the performance of estimators, by variables of the grid or parameters."""
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
            )
        )
    cells = cell_table(parts, by)
    return f"{_rates_text(cells, by)}\n\n{_estimators_text(cells, by)}"


def _rates_text(cells, by):
    rates, rows = cells[(cells["measure"] == "rejection_rate") & (cells["alpha"] == ALPHA)], []
    tests = list(dict.fromkeys(rates["of"]))
    for key, group in rates.groupby([*by, "metric"], sort=False, dropna=False):
        made = {row.of: rate_text(row) for row in group.itertuples()}
        first = group.iloc[0]
        datasets = f"{first.n_datasets + first.undefined:,} ({first.failed} failed)"
        rows.append([*map(_value_text, key), datasets, *(made.get(test, "-") for test in tests)])
    return table([*by, "metric", "data sets", *(f"{test} test at {ALPHA}" for test in tests)], rows)


def _estimators_text(cells, by):
    """A row for each estimator of a cell and each truth that it is compared with."""
    place, rows = [*by, "metric", "of"], []
    for key, group in cells[cells["measure"] != "rejection_rate"].groupby(place, sort=False, dropna=False):
        (mean,) = group[group["measure"] == "mean"].itertuples()
        for target, measured in group.groupby("against", sort=False):
            made = {row.measure: row for row in measured.itertuples()}
            if target or group["against"].nunique() == 1:
                counts = f"{next(iter(made.values())).n_datasets:,} ({mean.undefined} undefined)"
                values = [mean, *(made.get(name) for name in MEASURES)]
                texts = [estimate_text(one.value, one.mcse) if one else "-" for one in values]
                covered = rate_text(made["coverage"]) if "coverage" in made else "-"
                rows.append([*map(_value_text, key), target or "-", counts, *texts, covered])
    header = [*by, "metric", "estimator", "truth", "data sets", "mean", *MEASURES, "coverage"]
    return table([name.replace("_", " ") for name in header], rows)


def _value_text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def summary_text(tables, *, of_tables):
    """The Markdown table of scenarios, each a pair of name and table of tests."""
    made = [test for test in TESTS if any(f"{test}_p" in tests for _, tests in tables)]
    values = [value for value in VALUES if any(value in tests for _, tests in tables)]
    if not of_tables:
        rows = [row for name, tests in tables for row in summary_rows(name, tests, made, values=values)]
        return markdown(rows, made, values)
    rows = [row for name, tests in tables for row in split_rows(name, tests, made, values)]
    header = ["scenario", "metric", "splits", *(f"{test} p" for test in made), *values]
    return f"{table(header, rows)}\n\n{NOTE_ON_SPLITS}"


def main(options):
    """Print a table of the scenarios with generated data, and one of those with a table of one's own; or of cells."""
    settings, known = configured(options.config, engines=False)
    chosen = chosen_scenarios(options.scenarios, known).values()
    found = {one["name"]: scenario_table(one["name"], options.directory) for one in chosen}
    if options.by:
        for one in (one for one in chosen if one["table"]):
            raise ConfigError(f"--by is for generated data, but {one['name']} has a table of its own")
        texts = [cells_text(sorted(chosen, key=lambda one: one["place"]), options.by, options.directory)]
    else:
        kinds = [
            {name: tests for name, tests in found.items() if bool(known[name]["table"]) == of_tables}
            for of_tables in (False, True)
        ]
        texts = [summary_text(list(of.items()), of_tables=k == 1) for k, of in enumerate(kinds) if of]
    print("\n\n".join(texts))
    notes = [note for name, tests in found.items() for note in undefined_notes(name, tests)]
    with contextlib.chdir(options.directory):
        steps = Steps(known, settings)
        notes += [note for one in chosen for note in origin_notes(one["name"], steps)]
    if notes:
        print("\n".join(["", *notes]))


def undefined_notes(name, tests):
    """How often a value of usable data sets is undefined, with the most frequent reason as far as tables have one.

    A column without any value was not asked for, unless there is a reason.
    """
    usable = tests[tests["status"] == "ok"]
    for column in [f"{test}_p" for test in TESTS if test not in SAME_REASON] + [*VALUES]:
        if column not in usable:
            continue
        what, missing = column.removesuffix("_p"), usable[usable[column].isna()]
        reasons = missing.get(f"{what}_undefined", missing["status"]).replace(["", "ok"], None).dropna()
        if len(missing) and (len(reasons) or len(missing) < len(usable)):
            why = f", most often because {reasons.mode()[0]}" if len(reasons) else ""
            yield f"Note: {name}: {what} is undefined in {len(missing):,} of {len(usable):,} rows{why}."


def origin_notes(name, steps):
    """Sentences about the origin of a scenario's tables in this folder."""
    table = f"results/{name}/design.csv"
    if reason := why_outdated(table, steps.fingerprint("aggregate", name)):
        yield f"Note: {name} is out of date: {reason}; run: permconf run {name}"
    then, now = read_record(table).get("versions", {}), versions()
    if others := [f"{key} {version} (here {now.get(key)})" for key, version in then.items() if now.get(key) != version]:
        yield f"Note: {name} was computed with {', '.join(others)}; delete results/{name} and run again to recompute it"
    if old := steps.old_folders(name):
        size = sum(path.stat().st_size for folder in old for path in folder.rglob("*")) / 1e6
        earlier = f"{count(len(old), 'folder')} of earlier settings or code ({size:.1f} MB)"
        yield f"Note: {name} has {earlier}; permconf clean --old removes what is no longer used"
