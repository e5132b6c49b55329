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

from permconf.errors import ConfigError, nearest, one_line

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
    hint = nearest(path.name, files)
    return hint if "did you mean" in hint else ""


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
    table = pd.read_csv(path, sep=separator, encoding="utf-8-sig", low_memory=False)
    if not isinstance(table.index, pd.RangeIndex):  # rows have more fields than the header: names of rows in front?
        if table.index.nlevels > 1 or not table.index.is_unique or table.iloc[:, -1].isna().all():
            raise ConfigError(
                f"{path.name} has more fields in its rows than in its header, such as a separator at the end of every"
                " row; give every column a name"
            )
    elif len(table.columns) > 1 and table.columns[0] == "Unnamed: 0":
        table = table.set_index(table.columns[0]).rename_axis(None)
    return table
