"""The published reference: numbers of every table of the last full run, in workflow/reference.json.

Data set k does not depend on how many data sets there are. A table with one or more rows per data set is therefore cut
into parts (0-19, 20-99, 100-999, ...), of which a smaller run has the first ones. Any other table is one part.

A part is described by its number of rows, the SHA-256 of its values, and its columns: one value if all are equal, the
values themselves in a short part and in the ledger of claims, otherwise their sum and first moment (sum of value times
row number). A single changed value changes the sum by d and the moment by d times its row, so the two locate it.
"""

import hashlib
import json
import math
import zlib
from pathlib import Path

import numpy as np

from permconf_study.study.paths import HOME
from permconf_study.study.tables import read_columns

REFERENCE = HOME / "workflow/reference.json"
ENDS = (20, 100, 1000, 10_000, 100_000, math.inf)  # of parts; `make smoke` has 20 data sets
SHORT = 40  # rows of a part that is kept as it is
ROUNDING = 1e-9  # of the largest value of a column: differences up to this are rounding
CLAIMS = "results/claims.csv"
CLAIM_COLUMNS = ("id", "estimate", "low", "high", "verdict")
TIMES = ("seconds", "milliseconds")  # columns that no two runs share
WHOLE = "all"


def comparable(path, name, tables):
    """The columns of a table that a reference with these tables keeps.

    Of the ledger of claims only those that rest on these tables: others depend on what else was run.
    """
    columns = read_columns(path, (*CLAIM_COLUMNS, "tables") if name == CLAIMS else ())
    if name == CLAIMS:
        sources = [str(entry or "").split(", ") for entry in columns["tables"]]
        rows = [all(source in tables for source in entry) for entry in sources]
        columns = {key: columns[key][rows] for key in CLAIM_COLUMNS}
    return {key: values for key, values in columns.items() if key not in TIMES}


def parts(columns):
    """The parts of a table by label: columns of consecutive data sets, or the whole table."""
    number = columns.get("dataset", np.array([]))
    last = int(number.max()) if len(number) else -1
    if last < 0 or set(number) != set(range(last + 1)):
        return {WHOLE: columns}
    starts = [start for start in (0, *ENDS[:-1]) if start <= last]
    bounds = [(start, int(min(end - 1, last))) for start, end in zip(starts, ENDS, strict=False)]
    return {f"{start}-{end}": rows_between(columns, start, end) for start, end in bounds}


def rows_between(columns, start, end):
    """The rows of data sets from start to end."""
    rows = (columns["dataset"] >= start) & (columns["dataset"] <= end)
    return {key: values[rows] for key, values in columns.items()}


def described(columns):
    """What the reference keeps of a part."""
    return {
        "rows": len(next(iter(columns.values()))),
        "sha256": digest(columns),
        "columns": {name: kept(values, short="verdict" in columns) for name, values in columns.items()},
    }


def digest(columns):
    """SHA-256 of the names and values of a part; it does not depend on the format of the file."""
    found = hashlib.sha256()
    for name, values in columns.items():
        found.update(f"{name}\0{len(values)}\0".encode())
        text = values.dtype == object and any(map(_exists, values))
        content = "\0".join(map(str, values)).encode() if text else numbers(values).astype("<f8").tobytes()
        found.update(content)
    return found.hexdigest()


def numbers(values):
    """A column as numbers, missing and infinite values as NaN; a text becomes its checksum."""
    if values.dtype != object:
        return np.where(np.isfinite(values.astype(float)), values, np.nan)
    return np.array([zlib.crc32(str(value).encode()) if _exists(value) else np.nan for value in values], float)


def _exists(value):
    return value is not None and value == value


def kept(column, *, short=False):
    """What is kept of a column: its only value, all of them, or their sum and moment with the tolerance of the sum."""
    values = numbers(column)
    if len(values) and (np.isnan(values).all() or (values == values[0]).all()):
        return _short(column[0])
    if short or len(values) <= SHORT:
        return [_short(value) for value in column]
    sums = {"sum": total(values), "moment": moment(values), "within": float(f"{tolerance(values):.2g}")}
    missing = int(np.isnan(values).sum())
    return sums | ({"missing": missing} if missing else {})


def total(values):
    """The sum of values, rounded once."""
    return math.fsum(value for value in values if value == value)


def moment(values):
    """The sum of values times their rows, counted from 1."""
    return math.fsum(row * value for row, value in enumerate(values, 1) if value == value)


def tolerance(values):
    """Rounding of a sum of values: independent errors add up as the square root of their number."""
    largest = np.nanmax(np.abs(values), initial=0.0)
    return ROUNDING * float(largest) * math.sqrt(len(values))


def _short(value):
    """A value as the reference has it: text, a whole number, twelve digits of any other, or None if it is missing."""
    if not _exists(value) or value in (math.inf, -math.inf):
        return None
    if isinstance(value, str):
        return value
    return int(value) if value == int(value) else float(f"{value:.12g}")


def restored(entry, length):
    """The numbers of a column of which every value was kept, or one for all."""
    values = entry if isinstance(entry, list) else [entry] * length
    return numbers(np.array(values, object if any(isinstance(value, str) for value in values) else float))


def written(reference, path):
    """Write a reference with one line per column, so that a change shows in the diff."""
    blocks = [f' "about": {json.dumps(reference["about"])}']
    for name, table in reference["tables"].items():
        for label, part in table.items():
            head = {"table": name, "datasets": label, "rows": part["rows"], "sha256": part["sha256"]}
            lines = [f"   {json.dumps(key)}: {json.dumps(value)}" for key, value in part["columns"].items()]
            blocks.append(f'  {json.dumps(head)[:-1]}, "columns": {{\n' + ",\n".join(lines) + "}}")
    Path(path).write_text("{\n" + blocks[0] + ',\n "parts": [\n' + ",\n".join(blocks[1:]) + "\n ]\n}\n")


def read(path):
    """A written reference: facts about its run, and the parts of its tables by name and label."""
    content = json.loads(Path(path).read_text())
    tables: dict[str, dict] = {}
    for part in content["parts"]:
        tables.setdefault(part["table"], {})[part["datasets"]] = part
    return {"about": content["about"], "tables": tables}
