"""Files of a run embedded in a page: figures as images, tables as CSV."""

import base64
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image
from pyarrow import csv

from permconf_study.study.tables import read_arrow

COLOURS = 256  # fewer colours turn thin blue and red lines into others
QUANTILES = np.linspace(0, 1, 101)


def data_link(content, kind):
    """Bytes as a data URL."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def image(path):
    """Address and size of a PNG file, in few colours: less than half the bytes of its own."""
    content = io.BytesIO()
    with Image.open(path) as full:
        full.convert("RGB").quantize(COLOURS).save(content, "PNG")
    return {"address": data_link(content.getvalue(), "image/png"), "width": full.width, "height": full.height}


def download(path):
    """A table as a CSV file to download: name, address and size. Draws are summarised by 101 quantiles."""
    path = Path(path)
    table = read_arrow(path)
    note = f"{table.num_rows:,} rows"
    if "draws" in path.stem:
        note = f"{table.num_rows:,} draws as {len(QUANTILES)} quantiles"
        table = draw_quantiles(table)
    elif "error" in table.column_names and not any(table["error"].to_pylist()):
        table = table.drop_columns("error")
    folder = "" if path.parent.name in ("results", "figures") else f"{path.parent.name}_"
    return {"name": f"{folder}{path.stem}.csv", "address": data_link(_short_csv(table), "text/csv"), "note": note}


def _short_csv(table):
    """A table as CSV, in single precision to halve its size."""
    types = [pa.float32() if pa.types.is_float64(field.type) else field.type for field in table.schema]
    table = table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
    text = io.BytesIO()
    csv.write_csv(table, text, csv.WriteOptions(quoting_style="needed"))
    return text.getvalue()


def draw_quantiles(draws):
    """Number and quantiles (columns q0.00 to q1.00) of the draws of every null, in the order of the table."""
    columns = ["dataset", "metric", "null"]
    groups = draws.to_pandas().groupby(columns, sort=False)["value"]
    rows = [(*key, values.size, *np.quantile(values, QUANTILES)) for key, values in groups]
    names = [*columns, "draws", *(f"q{share:.2f}" for share in QUANTILES)]
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
