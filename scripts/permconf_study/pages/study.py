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
from permconf_study.study.configuration import configured, studies
from permconf_study.study.estimators import ESTIMATORS
from permconf_study.study.parameters import varied_parameters
from permconf_study.study.part_logs import part_times
from permconf_study.study.tables import write_table

STEPS = ("simulate", "permutation_nulls", "true_metrics")
SETTINGS = (
    *("split", "confounder", "adjustment", "learner", "metrics"),
    *("permutations", "confounder_tests", "predictions"),
)


def main(options):
    """Write the page of a finished study."""
    _, scenarios = configured(options.config, engines=False)
    known = studies(scenarios)
    if options.study not in known:
        raise ConfigError(f"unknown study {options.study!r}{nearest(options.study, known)}")
    page = Path("docs", f"{options.study.upper()}_STUDY.md")
    page.parent.mkdir(exist_ok=True)
    chosen = [scenarios[name] for name in known[options.study]]
    page.write_text(page_text(options.study, chosen, Path(options.directory), page))
    print(f"Wrote {page} and {page.with_suffix('.csv')}.")


def page_text(study, scenarios, folder, page):
    """The text of `page`, from the scenario file and the results of a run in `folder`; the figure is copied to images/
    beside the page, and all measures of all cells to a table of the same name.
    """
    images = page.parent / "images"
    by = list(dict.fromkeys(v for one in scenarios for v in (*one["cell"], *varied_parameters(one["data"]))))
    by = by or ["scenario"]
    cells = cells_of(scenarios, by, folder)
    write_table(cells, page.with_suffix(".csv"))
    renew_images([f"studies/{study}"], folder / "results", images)
    drawn = f"![{study}](images/{study}.png)\n\n" if (images / f"{study}.png").exists() else ""
    return f"""# Study `{study}`

{_remarks(scenarios[0])}

Written by `permconf page study {study}` from `{Path(scenarios[0]["file"]).name}` and the results of its run.

## Design

{_design(scenarios, by)}

## Results

{drawn}{_in_short(cells)}

Rejection rates at {ALPHA}. Exact 95 % Monte Carlo intervals of rates and coverages are at most {widest_interval(cells)}
percentage points wide; [{page.stem}.csv]({page.stem}.csv) has them, and all measures of all cells.

{without_intervals(_condensed(rates_text(cells, by))).replace(f" test at {ALPHA}", " test")}

Bias with Monte Carlo standard error, against the metric of the classifier as trained in data without confounding (for
`retrained`: of a classifier trained on such data as well); n: data sets in which an estimator is defined, if not all.

{without_intervals(_condensed(_errors(cells, by)))}

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


def _design(scenarios, by):
    """The variables, and what all cells have in common."""
    first, values = scenarios[0], {name: list(dict.fromkeys(s["cell"].get(name) for s in scenarios)) for name in by}
    shown = [[f"{name} (variable)", ", ".join(map(str, of))] for name, of in values.items() if of != [None]]
    same = [
        [name, _as_written(spec)]
        for name, spec in first["data"]["parameters"].items()
        if all(one["data"]["parameters"].get(name) == spec for one in scenarios)
    ]
    settings = [[name, _as_written(first[name])] for name in SETTINGS if first[name] and name not in by]
    return table(["", "value"], [*shown, ["generator", first["data"]["generator"]], *same, *settings])


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


def _in_short(cells):
    """Smallest and largest rate of each test by whether its null hypothesis is true, and bias and coverage."""
    rates = cells[(cells["measure"] == "rejection_rate") & (cells["alpha"] == ALPHA)]
    kinds = {f"Type I error at {ALPHA}": rates[rates["alternative"].eq(other=False)]}
    kinds |= {"Power": rates[rates["alternative"].eq(other=True)]}
    kinds |= {name.capitalize(): _judged(cells, name) for name in ("bias", "coverage")}
    texts, several = [], cells["metric"].nunique() > 1
    for kind, rows in kinds.items():
        named = rows["of"] + (" (" + rows["metric"] + ")" if several else "")
        spans = [f"{name} {of.min():.3f} to {of.max():.3f}" for name, of in rows["value"].groupby(named, sort=False)]
        texts += [f"{kind} over the cells: {', '.join(spans)}."] if spans else []
    return " ".join(texts)


def _judged(cells, *measures):
    """Measures of estimators with respect to the truth that each is for."""
    own = cells["of"].map(lambda name: ESTIMATORS.get(name, ("",))[0])
    return cells[cells["measure"].isin(measures) & cells["against"].replace("independent", "as_trained").eq(own)]


def _errors(cells, by):
    """A row for each cell and metric: the bias of every estimator, and the coverage of its interval."""
    judged, rows = _judged(cells, "bias", "coverage"), []
    shown = list(dict.fromkeys(zip(judged["of"], judged["measure"], strict=True)))
    for key, group in judged.groupby([*by, "metric"], sort=False, dropna=False):
        texts = {(one.of, one.measure): _judged_text(one) for one in group.itertuples()}
        rows.append([*map(value_text, key), *(texts.get(place, "-") for place in shown)])
    return table([*by, "metric", *(" ".join(place) for place in shown)], rows)


def _judged_text(one):
    text = estimate_text(one.value, one.mcse) if one.measure == "bias" else rate_text(one)
    return f"{text}, n = {one.n_datasets:,}" if one.undefined else text


def _failures(cells):
    failed = int(cells["failed"].max())
    return f"At most {count(failed, 'data set')} of a cell failed." if failed else "No data set failed."


def _cost(scenarios, folder):
    """Processor time of the steps of all chunks, as far as they are known."""
    names, times = {one["name"] for one in scenarios}, part_times(folder / "results")
    seconds = sum(part.seconds for part in times if part.step in STEPS and part.scenario in names)
    return f"Data sets, nulls, tests and truths took {seconds / 60:.0f} minutes of one core." if seconds else ""
