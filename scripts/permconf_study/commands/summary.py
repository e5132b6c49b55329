"""Results of scenarios as Markdown tables with Monte Carlo errors: `permconf summary`."""

import contextlib

import numpy as np
import pandas as pd

from permconf.errors import ConfigError
from permconf.versions import versions
from permconf.wording import count, p_text
from permconf_study.markdown import table
from permconf_study.pages.cell_tables import cells_text, scenario_table
from permconf_study.study.configuration import chosen_scenarios, configured
from permconf_study.study.estimators import ESTIMATORS
from permconf_study.study.fingerprints import read_record, why_outdated
from permconf_study.study.rejection_rates import TESTS
from permconf_study.study.steps import Steps

VALUES = tuple(name for name in ESTIMATORS if name != "retrained")  # those in the table of tests
SAME_REASON = ("association", "combined", "grouped")  # as the prediction test
NOTE_ON_SPLITS = (
    "Medians and quartiles over random splits of one table. p-values of different splits are dependent: their spread"
    " shows how much the split matters, and their share below 0.05 is not a power."
)


def quartiles_text(values, text):
    """Median and quartiles of values, each put into words by `text`."""
    if not len(values):
        return "-"
    low, middle, high = map(text, np.quantile(values, [0.25, 0.5, 0.75]))
    return f"{middle} ({low} to {high})"


def splits_text(tables):
    """The Markdown table of scenarios whose data sets are random splits of a table, by name their tables of tests."""
    every = pd.concat(tables.values())
    made, values = ([name for name in of if name in every] for of in ([f"{test}_p" for test in TESTS], VALUES))
    texts, rows = dict.fromkeys(made, p_text) | dict.fromkeys(values, "{:.3f}".format), []
    for name, tests in tables.items():
        for metric, group in tests.groupby("metric", sort=False):
            usable = group[group["status"] == "ok"].reindex(columns=list(texts))
            shown = [quartiles_text(usable[column].dropna(), text) for column, text in texts.items()]
            rows.append([name, metric, f"{len(usable):,} ({len(group) - len(usable)} failed)", *shown])
    header = ["scenario", "metric", "splits", *(name.replace("_p", " p") for name in texts)]
    return f"{table(header, rows)}\n\n{NOTE_ON_SPLITS}"


def main(options):
    """Print tables of the scenarios with generated data, and one of those with a table of one's own."""
    settings, known = configured(options.config, engines=False)
    chosen = chosen_scenarios(options.scenarios, known).values()
    found = {one["name"]: scenario_table(one["name"], options.directory) for one in chosen}
    own = {one["name"]: found[one["name"]] for one in chosen if one["table"]}
    if options.by and own:
        raise ConfigError(f"--by is for generated data, but {next(iter(own))} has a table of its own")
    generated = sorted((one for one in chosen if not one["table"]), key=lambda one: one["place"])
    texts = [cells_text(generated, options.by or ["scenario"], options.directory)] if generated else []
    print("\n\n".join([*texts, splits_text(own)] if own else texts))
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
