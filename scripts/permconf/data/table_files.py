"""A table of data from a file: CSV, TSV or Parquet, by suffix."""

import csv
import gzip
import io
import shutil
import sys
import tempfile
import zlib
from pathlib import Path

import pandas as pd

from permconf.errors import ConfigError, one_line, similar

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
NAMES = {",": "commas", "\t": "tabs", ";": "semicolons"}
PARQUET = (".parquet", ".pq")


def read_data(path) -> pd.DataFrame:
    """The table in a file, or CSV from standard input ("-"); a first column without a name holds the names of rows."""
    if str(path) == "-":
        path = Path(tempfile.mkdtemp(), "stdin.csv")
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_data(path)
        finally:
            shutil.rmtree(path.parent)
    path = Path(path)
    if not path.is_file():
        raise ConfigError(f"there is no file {str(path)!r}{_similar(path)}")
    kind = path.suffixes[-2] if path.suffix == ".gz" and len(path.suffixes) > 1 else path.suffix
    if kind.lower() not in (*SEPARATORS, *PARQUET):
        raise ConfigError(f"{path.name} is not a CSV, TSV or Parquet file by its suffix; save the table as .csv")
    try:
        if kind.lower() in PARQUET:
            packed = path.suffix == ".gz"
            return pd.read_parquet(io.BytesIO(gzip.decompress(path.read_bytes())) if packed else path)
        return _text(path, SEPARATORS[kind.lower()])
    except ConfigError:
        raise
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path.name} is not encoded as UTF-8; save it as CSV in UTF-8") from error
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise ConfigError(f"{path.name} could not be read: {one_line(error)}") from error


def _similar(path):
    files = [file.name for file in path.parent.iterdir() if file.is_file()] if path.parent.is_dir() else []
    return similar(path.name, files)


def _text(path, separator):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8-sig") as file:
        header = file.readline()
    found = next((NAMES[other] for other in NAMES if other in header), NAMES[separator])
    if separator not in header and found != NAMES[separator]:
        raise ConfigError(
            f"{path.name} separates columns by {found}; save it with {NAMES[separator]}, and decimal points"
        )
    names = next(csv.reader([header], delimiter=separator), [])
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:  # pandas would rename it
        raise ConfigError(f"{path.name} has several columns named {repeated!r}; give every column its own name")
    how = {"sep": separator, "encoding": "utf-8-sig", "low_memory": False}
    table, first = pd.read_csv(path, **how), pd.read_csv(path, **how, nrows=1, dtype=str)
    named = not isinstance(first.index, pd.RangeIndex)  # rows have more fields than the header
    texts = pd.read_csv(path, **how, usecols=None if named else _unclear(table), dtype=str, na_filter=False)
    if named and (table.index.nlevels > 1 or not table.index.is_unique or (texts.iloc[:, -1] == "").any()):
        raise ConfigError(
            f"{path.name} has more fields in its rows than in its header, such as a separator at the end of a row; give"
            " every column a name"
        )
    table = _as_written(table, texts)
    if not named and len(table.columns) > 1 and table.columns[0] == "Unnamed: 0":
        table = table.set_index(table.columns[0]).rename_axis(None)
    return table


def _unclear(table):
    """The columns with missing values or whole numbers, which may have been written as text such as NA or 01."""
    whole = {name for name in table.select_dtypes("number") if not (table[name] % 1).any()}
    return [name for name in table if name in whole or table[name].isna().any()]


def _as_written(table, texts):
    """The table with codes such as 01 as text; its attribute "missing" has what was read as missing, by column."""
    missing = {}
    for name in texts:
        absent = table[name].isna().to_numpy()
        if words := [word for word in texts[name][absent] if word.strip()]:
            missing[name] = words[0]
        if not absent.all() and texts[name].str.fullmatch(r"0+\d+").any():
            table[name] = texts[name].where(~absent).to_numpy()
    table.attrs["missing"] = missing
    return table
