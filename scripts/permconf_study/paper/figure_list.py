"""The figures of workflow/figures.yaml: the tables each is drawn from, its caption and its code."""

import os.path
from collections import ChainMap
from dataclasses import dataclass
from pathlib import Path

import yaml

from permconf_study.paper.claims.catalogue import available, claim_tables, load_claims
from permconf_study.study.paths import HOME
from permconf_study.study.tables import read_table

STYLE = HOME / "scripts/permconf/plotting/permconf.mplstyle"
TABLE1 = "table1_parameters"


def figure_title(name):
    """The title of a figure from its name: "fig08_simstudy_forest" is "Fig. 8, random forests"."""
    label, _, rest = name.partition("_")
    number = label.removeprefix("fig").removeprefix("table").lstrip("0")
    kind = "Table" if label.startswith("table") else "Fig."
    return f"{kind} {number}" + (", random forests" if rest.endswith("_forest") else "")


def _was_run(name):
    return Path("results", name, "tests.parquet").exists()


def _datasets(name):
    """The number of data sets in the table of a scenario, of this run or else of the published one; 0 without any."""
    table = available(f"results/{name}/tests.parquet")
    return len(set(read_table(table)["dataset"])) if table else 0


@dataclass(frozen=True)
class FigureList:
    """Entries of the list by name, and the scenarios of the run."""

    entries: dict
    scenarios: dict

    @classmethod
    def of(cls, scenarios):
        """The list of the project."""
        return cls(yaml.safe_load((HOME / "workflow/figures.yaml").read_text()), scenarios)

    def files(self, group, kinds=("pdf", "png"), *, possible=False):
        """All figures of a group, or (`possible`) those whose scenarios all exist in this run."""
        names = [
            name
            for name, entry in self.entries.items()
            if entry["group"] == group
            and not (possible and set(entry.get("scenarios", {}).values()) - self.scenarios.keys())
        ]
        return [f"figures/{name}.{kind}" for name in names for kind in kinds]

    def tables(self, name):
        """The tables that a figure is drawn from, by their name in its module."""
        entry = self.entries[name]
        tables = {
            f"{role}/{Path(table).stem}": f"results/{scenario}/{table}"
            for role, scenario in entry.get("scenarios", {}).items()
            for table in entry["tables"]
        }
        return tables | {Path(path).stem: path for path in entry.get("files", [])}

    def caption(self, name, *, drawn=False):
        """The caption of a figure, with the numbers of the run, or (`drawn`) of the tables behind its image."""
        table1 = HOME / "workflow/report/table1.rst"
        text = table1.read_text() if name == TABLE1 else self.entries[name]["caption"]
        used = self.entries.get(name, {}).get("scenarios", {}).values() if drawn else ()
        counted = {one: self.scenarios[one] | {"datasets": made} for one in used if (made := _datasets(one))}
        return text.format_map(ChainMap(counted, self.scenarios))

    def code(self, name):
        """The module and the style that draw a figure."""
        return f"permconf_study.paper.figures.{self.entries[name]['module']}", STYLE

    def report_tables(self):
        """The tables of every figure of the paper, by figure, and Table 1."""
        names = [name for name, entry in self.entries.items() if entry["group"] == "paper"]
        return {name: list(self.tables(name).values()) for name in names} | {TABLE1: [f"figures/{TABLE1}.csv"]}

    def report_captions(self):
        """The captions of all figures of the report and of Table 1, by name."""
        more = [Path(path).stem for path in self.more_images()]
        drawn = {name: self.caption(name, drawn=True) for name in more}
        return {name: self.caption(name) for name in self.report_tables()} | drawn

    def more_images(self):
        """Images of figures that `make` does not draw: those of this run or, if it has none, of docs/FIGURES.md."""
        names = [name for name, entry in self.entries.items() if entry["group"] != "paper"]
        images = [(f"figures/{name}.png", str(HOME / f"docs/images/{name}.png")) for name in names]
        return [path for path in (next(filter(os.path.exists, pair), None) for pair in images) if path]

    def report_scenarios(self, claims):
        """Title, learner and metrics of the scenarios used by figures or claims (a file), or run before."""
        paths = {path for tables in self.report_tables().values() for path in tables}
        used = {Path(path).parts[1] for path in paths.union(claim_tables(load_claims(claims)))}
        keys = ("title", "learner", "metrics")
        return {
            name: {key: s[key] for key in keys} for name, s in self.scenarios.items() if name in used or _was_run(name)
        }
