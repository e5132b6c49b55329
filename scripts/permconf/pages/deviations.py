"""Tables of docs/DEVIATIONS.md: what other choices than the study's would have given."""

from pathlib import Path

from permconf import markdown
from permconf.study.tables import read_table


def write(results: Path, page: Path) -> list[str]:
    """Renew the tables of the page whose files are there, and return their names."""
    return markdown.renew(page, parts(results / "deviations"))


def parts(folder: Path) -> dict[str, str | None]:
    """The tables by name; None where `permconf run deviations` or `permconf run forests` has not made the file."""
    files = {name: folder / f"{name}.csv" for name in ("experiments", "forests", "figures")}
    makers = {"experiments": _experiments, "forests": _experiments, "figures": _figures}
    return {name: makers[name](read_table(path)) if path.exists() else None for name, path in files.items()}


def _experiments(table):
    rows = []
    for (choice, quantity), group in table.groupby(["choice", "quantity"], sort=False):
        rows.append([choice, quantity, f"{group['n_datasets'].min():,}", *map(_text, group["value"], group["mcse"])])
    experiments = [f"exp. {name.removeprefix('exp')}" for name in table["experiment"].unique()]
    return markdown.table(["choice", "quantity", "data sets", *experiments], rows)


def _figures(table):
    rows = []
    for (figure, choice), group in table.groupby(["figure", "choice"], sort=False):
        found = [f"{row.quantity} {_text(row.value, row.mcse)}" for row in group.itertuples()]
        rows.append([figure, choice, f"{group['n_datasets'].min():,}", "; ".join(found)])
    return markdown.table(["figure", "choice", "data sets", "found"], rows)


def _text(value, mcse):
    return f"{value:.3f} ({mcse:.3f})"
