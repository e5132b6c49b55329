"""Results of scenarios as a Markdown table with Monte Carlo standard errors: `permconf summary`."""

import contextlib

import numpy as np

from permconf.errors import ConfigError
from permconf.versions import versions
from permconf.wording import count, p_text
from permconf_study.markdown import table
from permconf_study.pages.cell_tables import ALPHA, cells_text, estimate_text, rate_text, scenario_table
from permconf_study.study.configuration import chosen_scenarios, configured
from permconf_study.study.estimates import median
from permconf_study.study.estimators import ESTIMATORS
from permconf_study.study.fingerprints import read_record, why_outdated
from permconf_study.study.performance import rejection_rates
from permconf_study.study.rejection_rates import TESTS
from permconf_study.study.steps import Steps

VALUES = tuple(name for name in ESTIMATORS if name != "retrained")  # those in the table of tests
SAME_REASON = ("association", "combined")  # as the prediction test
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


def markdown(rows, tests_made, values=VALUES[:2]):
    """The rows as a table with its header."""
    rates, medians = [f"{test} test at {ALPHA}" for test in tests_made], [f"median {value}" for value in values]
    return table(["scenario", "metric", "data sets", *rates, *medians], rows)


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
