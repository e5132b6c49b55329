"""Files of a run as links within a page: figures as images, tables as CSV."""

import base64
import io
from pathlib import Path

import numpy as np

from permconf.workflow_io import read_table

QUANTILES = np.linspace(0, 1, 101)
_DIGITS = "%.6g"


def data_link(content, kind):
    """A data: address of bytes."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def image(path):
    """Address and size of a PNG file."""
    content = Path(path).read_bytes()
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    return {"address": data_link(content, "image/png"), "width": width, "height": height}


def download(path):
    """A table as a CSV file to download: its name, address and size. Draws are summarised by 101 quantiles."""
    path = Path(path)
    table = read_table(path)
    note = f"{len(table):,} rows"
    if "draws" in path.stem:
        note = f"{len(table):,} draws as {len(QUANTILES)} quantiles"
        table = draw_quantiles(table)
    elif "error" in table and not table["error"].fillna("").astype(bool).any():
        table = table.drop(columns="error")
    text = io.StringIO()
    table.to_csv(text, index=False, float_format=_DIGITS)
    folder = "" if path.parent.name in ("results", "figures") else f"{path.parent.name}_"
    content = text.getvalue().encode()
    return {"name": f"{folder}{path.stem}.csv", "address": data_link(content, "text/csv"), "note": note}


def draw_quantiles(draws):
    """Number and quantiles (columns q0.00 to q1.00) of the draws of every null."""
    groups = draws.groupby(["dataset", "metric", "null"], sort=False)["value"]
    table = groups.quantile(QUANTILES).unstack(level=-1)
    table.columns = [f"q{level:.2f}" for level in QUANTILES]
    return groups.agg(draws="size").join(table).reset_index()


def rates(paths, titles):
    """Rejection rates of experiments by test: the nominal levels, then for each curve its title, rates and band."""
    tests: dict = {}
    alphas: list = []
    for path in map(Path, paths):
        for test, rows in read_table(path).groupby("test", sort=False):
            alphas = rows["alpha"].round(6).tolist()
            curve = {key: rows[key].round(4).tolist() for key in ("rate", "low", "high")}
            curve |= {"title": titles[path.parent.name], "datasets": int(rows["n_datasets"].iloc[0])}
            tests.setdefault(test, []).append(curve)
    return {"alpha": alphas, "tests": tests}
