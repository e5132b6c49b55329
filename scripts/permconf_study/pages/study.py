"""docs/NAME_STUDY.md: aims, design, results, Monte Carlo errors, failures and cost of a study."""

import itertools
import math
from pathlib import Path

import yaml

from permconf.errors import ConfigError, nearest
from permconf.wording import count
from permconf_study.markdown import excerpt, table
from permconf_study.pages.cell_tables import (
    ALPHA,
    cells_of,
    estimate_text,
    rate_text,
    rates_text,
    value_text,
    widest_interval,
    without_intervals,
)
from permconf_study.pages.figures import renew_images
from permconf_study.study.cells import with_labels
from permconf_study.study.configuration import configured, studies
from permconf_study.study.estimators import ESTIMATORS
from permconf_study.study.parameters import varied_parameters
from permconf_study.study.part_logs import part_times
from permconf_study.study.tables import write_table

STEPS = ("simulate", "permutation_nulls", "true_metrics")
SETTINGS = (
    *("split", "confounder", "adjustment", "learner", "metrics"),
    *("permutations", "confounder_tests", "predictions", "truth", "datasets"),
)


def main(options):
    """Write the page of a finished study."""
    settings, scenarios = configured(options.config, engines=False)
    known = studies(scenarios)
    if options.study not in known:
        raise ConfigError(f"unknown study {options.study!r}{nearest(options.study, known)}")
    page = Path("docs", f"{options.study.upper()}_STUDY.md")
    page.parent.mkdir(exist_ok=True)
    chosen = [scenarios[name] for name in known[options.study]]
    page.write_text(page_text(options.study, chosen, Path(options.directory), page, settings["seed"]))
    print(f"Wrote {page} and {page.with_suffix('.csv')}.")


def page_text(study, scenarios, folder, page, seed):
    """The text of `page`, from the scenario file and the results of a run in `folder`; the figure is copied to images/
    beside the page, and all measures of all cells to a table of the same name.
    """
    images = page.parent / "images"
    by = list(dict.fromkeys(v for one in scenarios for v in (*one["cell"], *varied_parameters(one["data"]))))
    by = by or ["scenario"]
    cells = cells_of(scenarios, by, folder)
    write_table(cells, page.with_suffix(".csv"))
    shown = with_labels(cells, scenarios[0].get("labels", {}))
    renew_images([f"studies/{study}"], folder / "results", images)
    drawn = f"![{study}](images/{study}.png)\n\n" if (images / f"{study}.png").exists() else ""
    return f"""# Study `{study}`

{_remarks(scenarios[0])}

Written by `permconf page study {study}` from `{Path(scenarios[0]["file"]).name}` and the results of its run.

## Design

{_design(scenarios, by, seed)}

## Results

{drawn}{_never_null(cells)}Rejection rates of tests at {ALPHA}. Exact 95 % Monte Carlo intervals of rates and
coverages are at most {widest_interval(cells)} percentage points wide;
[{page.stem}.csv]({page.stem}.csv) has them, and all measures of all cells.

{_rates(shown, by)}

Bias \N{PLUS-MINUS SIGN} one Monte Carlo standard error, and RMSE in parentheses, against the truth: the metric of the
classifier as trained in data without confounding (for `retrained`: of a classifier trained on such data as well; it
needs a learner that accepts weights, and no adjustment); n: data sets in which an estimator is defined, if not all.

{without_intervals(_condensed(_errors(shown, by)))}

## Failures and cost

{_failures(cells)} {_cost(scenarios, folder)}
"""


def _remarks(scenario):
    """The comment at the beginning of a scenario file, such as its aims, and the description."""
    lines = itertools.takewhile(lambda line: line[:1] in ("#", ""), Path(scenario["file"]).read_text().splitlines())
    text = " ".join(line.lstrip("#").strip() for line in lines)
    for word in ("Aims", "Data", "Estimands", "Methods", "Performance"):
        text = text.replace(f"{word}:", f"\n\n**{word}.**")
    return f"{text.strip()}\n\n{scenario.get('description', '').strip()}".strip()


def _design(scenarios, by, seed):
    """The variables, and what all cells have in common."""
    first, values = scenarios[0], {name: list(dict.fromkeys(s["cell"].get(name) for s in scenarios)) for name in by}
    labels = first.get("labels", {})
    given = {name: [_value(value, labels.get(name, {})) for value in of] for name, of in values.items() if of != [None]}
    shown = [[f"{name} (variable)", ", ".join(of)] for name, of in given.items()]
    same = [
        [name, _as_written(spec)]
        for name, spec in first["data"]["parameters"].items()
        if all(one["data"]["parameters"].get(name) == spec for one in scenarios)
    ]
    settings = [[name, _as_written(first[name])] for name in SETTINGS if first.get(name) and name not in by]
    settings += [["seed", seed]]
    learners = {_as_written(one["learner"]): None for one in scenarios if isinstance(one["learner"], dict)}
    settings += [["options of learners", ", ".join(learners)]] if learners and "learner" in by else []
    return table(["", "value"], [*shown, ["generator", first["data"]["generator"]], *same, *settings])


def _value(value, labels):
    """A value of a variable, after its label if it has one."""
    return f"{labels[value]} ({value})" if labels.get(value, value) != value else str(value)


def _as_written(spec):
    """A value as in the scenario file."""
    return yaml.safe_dump(spec, default_flow_style=True, sort_keys=False, width=math.inf).removesuffix("...\n").strip()


def _condensed(full):
    """A table whose columns with one value are a sentence before it."""
    same: list[str] = []

    def varying(table):
        constant = [name for name in table if len(table) > 1 and table[name].nunique() == 1]
        same.extend(f"{name} {table[name].iloc[0]}" for name in constant)
        return table.drop(columns=constant)

    shown = excerpt(full, varying)
    return f"In all rows: {', '.join(same)}.\n\n{shown}" if same else shown


def _rates(cells, by):
    """Rejection rates, and failures where there are any."""
    full = rates_text(cells, by).replace(" (0 failed)", "").replace(f" test at {ALPHA}", " test")
    return without_intervals(_condensed(full))


def _never_null(cells):
    """The tests whose null hypothesis is false in every cell, so that all of their rates are power."""
    rates = cells[cells["measure"] == "rejection_rate"]
    found = [test for test, rows in rates.groupby("of", sort=False) if rows["alternative"].eq(other=True).all()]
    return (
        f"There is no cell where the null hypothesis of these tests is true: {', '.join(found)}.\n\n" if found else ""
    )


def _judged(cells, *measures):
    """Measures of estimators with respect to the truth that each is for."""
    own = cells["of"].map(lambda name: ESTIMATORS.get(name, ("",))[0])
    return cells[cells["measure"].isin(measures) & cells["against"].replace("independent", "as_trained").eq(own)]


def _errors(cells, by):
    """A row for each cell and metric: the truth, bias and RMSE of every estimator, and coverage."""
    judged, rows = _judged(cells, "bias", "rmse", "coverage", "mean_truth"), []
    places = dict.fromkeys(zip(judged["of"], judged["measure"], strict=True))
    shown = [place for place in places if place[1] in ("bias", "coverage") or place == ("observed", "mean_truth")]
    for key, group in judged.groupby([*by, "metric"], sort=False, dropna=False):
        errors = group[group["measure"] == "rmse"].set_index("of")["value"]
        texts = {(one.of, one.measure): _judged_text(one, errors) for one in group.itertuples()}
        rows.append([*map(value_text, key), *(texts.get(place, "-") for place in shown)])
    headings = ["truth" if what == "mean_truth" else f"{name} {what}" for name, what in shown]
    return table([*by, "metric", *headings], rows)


def _judged_text(one, errors):
    if one.measure == "mean_truth":
        return f"{one.value:.3f}"
    text = f"{estimate_text(one.value, one.mcse)} ({errors[one.of]:.3f})" if one.measure == "bias" else rate_text(one)
    return f"{text}, n = {one.n_datasets:,}" if one.undefined else text


def _failures(cells):
    failed = int(cells["failed"].max())
    return f"At most {count(failed, 'data set')} of a cell failed." if failed else "No data set failed."


def _cost(scenarios, folder):
    """Processor time of the steps of all chunks, as far as they are known."""
    names, times = {one["name"] for one in scenarios}, part_times(folder / "results")
    seconds = sum(part.seconds for part in times if part.step in STEPS and part.scenario in names)
    return f"Data sets, nulls, tests and truths took {seconds / 60:.0f} minutes of one core." if seconds else ""
