"""Tables of docs/DEVIATIONS.md: the results of alternative choices."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from permconf_study import markdown
from permconf_study.paper.tables.deviations import learner_table
from permconf_study.study.tables import read_table


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
    """By panel of Figs. 5 and 6 and learner: share of data sets with nulls close to normal, and distances."""
    table = learner_table(redraws)
    rows = []
    for panel, group in table.groupby("figure", sort=False):
        claimed = "at most half" if group["n_test"].iloc[0] == 15 else "more than half"
        rows_of = group.itertuples()
        found = [f"{r.learner} {r.share:.2f} ({r.mcse:.2f}), {r.median:.3f}, {r.midpoint:.3f}" for r in rows_of]
        rows.append([panel, group["metric"].iloc[0], group["n_test"].iloc[0], claimed, *found])
    return markdown.table(["panel", "metric", "test size", "share by the caption", "default", "other", "other"], rows)


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
