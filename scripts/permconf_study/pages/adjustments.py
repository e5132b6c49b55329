"""docs/ADJUSTMENTS.md from its template: every number of the page comes from the tables in workflow/published/arena.

A sentence whose words depend on the numbers is followed by `holds(...)`, so that the page cannot be written from tables
that contradict it.
"""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from permconf_study.markdown import estimate, table
from permconf_study.pages.figures import renew_images
from permconf_study.paper.tables.arena import ALPHA, CLEAR, METHODS, SETTINGS, arena_summary
from permconf_study.paper.tables.residual_tests import UNNEEDED
from permconf_study.study.paths import HOME
from permconf_study.study.schema import read_yaml
from permconf_study.study.truth import POPULATION_ROWS

FIGURES = ("figE1_adjustments", "figE2_bins", "figE4_kept", "figE3_reversed")
TABLES = ("cells.csv", "residuals.csv")
SCENARIOS = HOME / "workflow/scenarios/arena/arena_settings.yaml"
TEMPLATE = Path(__file__).with_suffix(".md.j2")


def write(results: Path, page: Path) -> list[str]:
    """Publish the tables and images of a run, where they exist; write the page from the published tables."""
    published = page.parent.parent / "workflow/published/arena"
    published.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        if (results / "arena" / name).exists():
            shutil.copyfile(results / "arena" / name, published / name)
    renew_images(FIGURES, results, page.parent / "images")
    page.write_text(text(published))
    return list(TABLES)


def text(published: Path) -> str:
    """The page; `published` is the folder of the tables."""
    cells, residuals = (pd.read_csv(published / name) for name in TABLES)
    loader = FileSystemLoader(TEMPLATE.parent)
    page = Environment(loader=loader, undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True)
    known = {"arena": Arena(arena_summary(cells)), "residual": Residuals(residuals), "holds": holds}
    groups = read_yaml(SCENARIOS)["predictions"]["groups"]
    known |= {"methods": METHODS, "groups": groups, "population_rows": f"{POPULATION_ROWS:,}"}
    return page.get_template(TEMPLATE.name).render(known)


def holds(condition: bool, statement: str) -> str:
    """Nothing, or an error if the tables contradict a statement of the template."""
    if not condition:
        raise ValueError(f"the tables contradict {TEMPLATE.name}: {statement}; rewrite the sentence")
    return ""


class Arena:
    """Numbers of the arena in the text: percentages with Monte Carlo standard errors.

    Logistic regression is the default. Names are those of settings, methods and columns of the summary; `but` leaves
    settings out.
    """

    def __init__(self, summary):
        self._summary = summary
        self._rows = summary.set_index(["learner", "method", "setting"]).sort_index()

    def __call__(self, setting, method, column, learner="logistic"):
        """A percentage."""
        return _percent(self._rows.loc[(learner, method, setting)], column)

    def value(self, setting, method, column, learner="logistic"):
        """The number itself."""
        return self._rows.loc[(learner, method, setting), column]

    def each(self, methods, setting, column):
        """The percentages of several methods."""
        found = [self(setting, method, column) for method in methods]
        return f"{', '.join(found[:-1])} and {found[-1]}"

    def span(self, method, column, learner="logistic", *, but=()):
        """Smallest and largest percentage over settings, with the largest of their errors."""
        return _span(self._rows.loc[(learner, method)].drop(index=list(but)), column)

    def cost(self, setting):
        """Smallest and largest loss of performance by an adjustment, compared with none, over the methods of E1."""
        rows = self._rows.loc["logistic"].xs(setting, level="setting").loc[[name for name in METHODS if name != "none"]]
        holds((rows["gain"] < -CLEAR * rows["gain_mcse"]).all(), f"every adjustment costs performance in {setting}")
        return _span(rows.assign(gain=-rows["gain"]), "gain")

    def above(self, method, other, column, learner="logistic"):
        """In how many settings a method has clearly more than another."""
        return f"{sum(self.clearly(name, method, other, column, learner) for name in SETTINGS)} of {len(SETTINGS)}"

    def clearly(self, setting, method, other, column, learner="logistic"):
        """Whether a method has clearly more than another."""
        one, two = (self._rows.loc[(learner, name, setting)] for name in (method, other))
        return one[column] - two[column] > CLEAR * np.hypot(one[f"{column}_mcse"], two[f"{column}_mcse"])

    def has(self, method, learner):
        """Whether a method is for a learner."""
        return (learner, method) in self._rows.index

    def below(self, limit, method, column, learner="logistic"):
        """The settings in which a percentage is below a limit."""
        found = [label for name, label in SETTINGS.items() if 100 * self.value(name, method, column, learner) < limit]
        return ", ".join(found) or "-"

    def lost(self, setting, method):
        """Training rows lost."""
        return f"{round(100 * self.value(setting, method, 'lost'))}"

    def lost_span(self, method):
        """Smallest and largest share of training rows lost."""
        lost = 100 * self._rows.loc[("logistic", method)]["lost"]
        return f"{round(lost.min())} to {round(lost.max())}"

    def most_below(self, column, other):
        """By how many percentage points a column is below another at most."""
        return f"{100 * (self._summary[other] - self._summary[column]).max():.1f}"

    @property
    def datasets(self):
        """Number of data sets in each setting."""
        (number,) = set(self._summary["n_datasets"] + self._summary["failed"])
        return f"{number:,}"

    @property
    def failed(self):
        """Number of fits that failed, of all."""
        failed = self._summary["failed"].sum()
        return f"{failed:,} of {self._summary['n_datasets'].sum() + failed:,}"

    def judges(self):
        """Over all settings and methods of a learner: reweighted metric against the truth, coverage of its interval."""
        rows = []
        for learner, group in self._summary.groupby("learner", sort=False):
            worst, least = group.loc[group["error"].abs().idxmax()], group.loc[group["coverage"].idxmin()]
            largest = estimate(worst["error"], worst["error_mcse"], "+.3f")
            lowest = estimate(least["coverage"], least["coverage_mcse"], ".2f")
            found = [f"{group['error'].mean():+.4f}", f"{largest}, {SETTINGS[worst['setting']]}"]
            found += [f"{group['coverage'].mean():.3f}", f"{lowest}, {SETTINGS[least['setting']]}"]
            undefined = int((group["n_datasets"] - group["n_error"]).sum())
            rows.append([learner, len(group), *found, undefined, int(group["failed"].sum())])
        headings = ["learner", "cells", "mean error", "largest error", "mean coverage of 95 %", "lowest coverage"]
        return table([*headings, "not defined", "failed fits"], rows)


class Residuals:
    """Numbers of the tests after residualising in the text."""

    def __init__(self, residuals):
        self._rows = residuals.set_index("scenario")

    def __call__(self, scenario, column, n_train=None):
        """A rate in percent with its error."""
        row = self._row(scenario, n_train)
        return estimate(100 * row[column], 100 * row[f"{column}_mcse"], ".1f")

    def plain(self, scenario, column, n_train, digits):
        """A number with its error."""
        return _with_error(self._row(scenario, n_train), column, digits)

    def above(self, scenario, column, n_train=None):
        """Whether a rate is clearly above nominal."""
        row = self._row(scenario, n_train)
        return row[column] - ALPHA > CLEAR * row[f"{column}_mcse"]

    def span(self, scenario, column):
        """Smallest and largest rate over training sizes, with the largest of their errors."""
        return _span(self._rows.loc[scenario], column, 1)

    def table(self):
        """Rates of the tests by training size, with and without residuals, where features carry nothing."""
        labels = dict(zip(UNNEEDED, ("as they are", "residuals"), strict=True))
        digits = {"confounding": 3, "studentised": 3, "prediction": 3, "spread": 3, "restricted_mean": 4}
        rows = [
            [label, f"{row['n_train']:,.0f}", f"{row['n_datasets']:,}"]
            + [_with_error(row, name, number) for name, number in digits.items()]
            for scenario, label in labels.items()
            for row in self._rows.loc[scenario].to_dict("records")
        ]
        headings = ["features", "training rows", "data sets", "paper's test", "the same, studentised"]
        return table([*headings, "prediction test", "s\\*/s\\*\\*", "mean of the restricted null"], rows)

    def _row(self, scenario, n_train):
        rows = self._rows.loc[[scenario]]
        (row,) = (rows if n_train is None else rows[rows["n_train"] == n_train]).to_dict("records")
        return row


def _with_error(row, name, digits):
    return estimate(row[name], row[f"{name}_mcse"], f".{digits}f")


def _percent(row, name):
    return f"{round(100 * row[name])} ({100 * row[f'{name}_mcse']:.1f})"


def _span(rows, name, digits=0):
    low, high = (round(100 * value, digits or None) for value in (rows[name].min(), rows[name].max()))
    return f"{low} to {high} ({100 * rows[f'{name}_mcse'].max():.1f})"
