"""docs/NAME_STUDY.md: aims, design, results, Monte Carlo errors, failures and cost of a study."""

import itertools
from pathlib import Path

from permconf.errors import ConfigError, nearest
from permconf.wording import count
from permconf_study.markdown import table
from permconf_study.pages.cell_tables import cells_of, estimators_text, rates_text
from permconf_study.pages.figures import renew_images
from permconf_study.study.configuration import configured, studies
from permconf_study.study.parameters import varied_parameters

STEPS = ("simulate", "permutation_nulls")
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
    page.write_text(page_text(options.study, chosen, Path(options.directory), page.parent / "images"))
    print(f"Wrote {page}.")


def page_text(study, scenarios, folder, images):
    """The page, from the scenario file and the results of a run in `folder`; the figure is copied to `images`."""
    by = list(dict.fromkeys(v for one in scenarios for v in (*one["cell"], *varied_parameters(one["data"]))))
    by = by or ["scenario"]
    cells = cells_of(scenarios, by, folder)
    renew_images([f"studies/{study}"], folder / "results", images)
    drawn = f"![{study}](images/{study}.png)\n\n" if (images / f"{study}.png").exists() else ""
    return f"""# Study `{study}`

Written by `permconf page study {study}` from `{Path(scenarios[0]["file"]).name}` and the results of its run.

{_remarks(scenarios[0])}

## Design

{_design(scenarios, by)}

## Results

{drawn}Rejection rates have exact 95 % Monte Carlo intervals, other numbers Monte Carlo standard errors.

{rates_text(cells, by)}

Estimators of the metric. `as_trained` is the metric of the classifier as trained, in data without confounding;
`unconfounded` is that of a classifier trained on such data as well.

{estimators_text(cells, by)}

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
        [name, spec]
        for name, spec in first["data"]["parameters"].items()
        if all(one["data"]["parameters"].get(name) == spec for one in scenarios)
    ]
    settings = [[name, first[name]] for name in SETTINGS if first[name] and name not in by]
    return table(["", "value"], [*shown, ["generator", first["data"]["generator"]], *same, *settings])


def _failures(cells):
    failed = int(cells["failed"].max())
    return f"At most {count(failed, 'data set')} of a cell failed." if failed else "No data set failed."


def _cost(scenarios, folder):
    """Processor time of the steps of all chunks, as far as their logs exist."""
    seconds = 0.0
    for step in STEPS:
        for one in scenarios:
            path = folder / "results/logs" / step / one["name"] / "times.tsv"
            lines = path.read_text().splitlines() if path.exists() else []
            seconds += sum(float(line.split("\t")[-1]) for line in lines if line)
    return f"Data sets, nulls and tests took {seconds / 60:.0f} minutes of one core." if seconds else ""
