"""Tables behind docs/DEVIATIONS.md, in workflow/published/deviations.md: the results of alternative choices."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from permconf_study import markdown
from permconf_study.paper.tables.deviations import learner_table
from permconf_study.study.tables import read_table

ALSO = ("workflow/published/deviations.md",)


def parts(results: Path, _page: Path) -> dict[str, str | None]:
    """The tables by name; None without the files of `permconf run deviations` or `permconf run forests`."""
    folder = results / "deviations"
    redraws = [results / "redraws.parquet", results / "other_redraws.parquet"]
    sources: dict[str, tuple[Callable, list[Path]]] = {
        "learners": (_learners, redraws),
        "experiments": (_experiments, [folder / "experiments.csv"]),
        "forests": (_experiments, [folder / "forests.csv"]),
        "figures": (_figures, [folder / "figures.csv"]),
    }
    return {
        name: make(pd.concat(map(read_table, paths))) if all(path.exists() for path in paths) else None
        for name, (make, paths) in sources.items()
    }


def _learners(redraws):
    """By figure, learner and metric: median distance from normal by test size; panels that satisfy the caption."""
    table = learner_table(redraws)
    fits = (table["share"] > 0.5) == (table["n_test"] > table["n_test"].min())
    table = table.assign(number=table["figure"].str[0], fits=fits)
    rows = []
    for (number, learner), group in table.groupby(["number", "learner"], sort=False):
        found = [
            f"{metric} {', '.join(f'{median:.3f}' for median in rows_of['median'])}"
            for metric, rows_of in group.groupby("metric", sort=False)
        ]
        count = f"{group['fits'].sum()} of {len(group)}"
        rows.append([f"Fig. {number}", learner, group["n_datasets"].min(), "; ".join(found), count])
    headings = ["figure", "learner", "data sets per size", "median distance with 15, 30, 100 test samples"]
    return markdown.table([*headings, "panels at a limit of 0.05"], rows)


def _experiments(table):
    rows = []
    for (choice, quantity), group in table.groupby(["choice", "quantity"], sort=False):
        found = map(markdown.estimate, group["value"], group["mcse"])
        rows.append([choice, quantity, f"{group['n_datasets'].min():,}", *found])
    experiments = [f"exp. {name.removeprefix('exp')}" for name in table["experiment"].unique()]
    return markdown.table(["choice", "quantity", "data sets", *experiments], rows)


def _figures(table):
    rows = []
    for (figure, choice), group in table.groupby(["figure", "choice"], sort=False):
        found = [f"{row.quantity} {markdown.estimate(row.value, row.mcse)}" for row in group.itertuples()]
        rows.append([figure, choice, f"{group['n_datasets'].min():,}", "; ".join(found)])
    return markdown.table(["figure", "choice", "data sets", "found"], rows)
