"""Results of scenarios as a Markdown table with Monte Carlo standard errors: `permconf summary`."""

import contextlib
from functools import partial

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


def metric_rows(name, tests, texts):
    """One row of texts per metric: scenario, metric, data sets, and the values of columns as `texts` puts them."""
    rows = []
    for metric, group in tests.groupby("metric", sort=False):
        usable = group[group["status"] == "ok"]
        shown = [text(usable[column].dropna() if column in usable else []) for column, text in texts.items()]
        rows.append([name, metric, f"{len(usable):,} ({len(group) - len(usable)} failed)", *shown])
    return rows


def rejections_text(p_values):
    """The rejection rate at ALPHA."""
    return rate_text(rejection_rates(p_values, [ALPHA])[0])


def median_text(values):
    """The median with its Monte Carlo standard error."""
    return estimate_text(*median(values))


def quartiles_text(values, text):
    """Median and quartiles of values, each put into words by `text`."""
    if not len(values):
        return "-"
    low, middle, high = map(text, np.quantile(values, [0.25, 0.5, 0.75]))
    return f"{middle} ({low} to {high})"


def summary_text(tables, *, of_tables):
    """The Markdown table of scenarios, each a pair of name and table of tests."""
    made = [test for test in TESTS if any(f"{test}_p" in tests for _, tests in tables)]
    values = [value for value in VALUES if any(value in tests for _, tests in tables)]
    if not of_tables:
        header = ["data sets", *(f"{test} test at {ALPHA}" for test in made), *(f"median {value}" for value in values)]
        texts = rejections_text, median_text
    else:
        header = ["splits", *(f"{test} p" for test in made), *values]
        texts = partial(quartiles_text, text=p_text), partial(quartiles_text, text="{:.3f}".format)
    columns = dict.fromkeys((f"{test}_p" for test in made), texts[0]) | dict.fromkeys(values, texts[1])
    rows = [row for name, tests in tables for row in metric_rows(name, tests, columns)]
    return table(["scenario", "metric", *header], rows) + (f"\n\n{NOTE_ON_SPLITS}" if of_tables else "")


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
