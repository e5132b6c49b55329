"""The data sets of studies for the explorer of the page: parameters, metrics and p-values of every data set."""

from pathlib import Path

import numpy as np
import pandas as pd

from permconf_study.study.tables import read_columns, read_table

FEWEST = 100  # data sets of a study that is worth exploring
MOST = 5000  # data sets of a study that are embedded
DIGITS = 4
VALUES = ("observed", "corrected", "reweighted")


def studies(scenarios):
    """Title, parameters, values, tests and columns of those scenarios (settings by name) that were run, by name."""
    found = {}
    for name, settings in scenarios.items():
        tests, design = Path("results", name, "tests.parquet"), Path("results", name, "design.csv")
        if tests.exists() and design.exists():
            table, parameters = _rows(read_table(tests), pd.DataFrame(read_columns(design)), settings["metrics"][0])
            if len(table) >= FEWEST and parameters:
                found[name] = {"title": settings["title"], **_columns(table.head(MOST), parameters)}
    return found


def _rows(tests, design, metric):
    """The data sets that did not fail, with the parameters that vary."""
    if {"p11", "p10", "p01", "p00"} <= set(design):
        y, c = design["p11"] + design["p10"], design["p11"] + design["p01"]
        design = design.assign(cor_CY=(design["p11"] - y * c) / np.sqrt(y * (1 - y) * c * (1 - c)))
    usable = tests[(tests["status"] == "ok") & (tests.get("metric", metric) == metric)]
    numeric = design.drop(columns="dataset").select_dtypes("number").columns
    parameters = [name for name in numeric if np.ptp(design[name]) > 1e-9]
    known = usable[["dataset", *(name for name in usable if name in VALUES or name.endswith("_p"))]]
    return known.merge(design[["dataset", *parameters]], on="dataset"), parameters


def _columns(table, parameters):
    kept = [name for name in table if table[name].notna().any()]
    tests = [name for name in kept if name.endswith("_p")]
    columns = {name: [None if np.isnan(v) else float(f"{v:.{DIGITS}g}") for v in table[name]] for name in kept}
    columns["dataset"] = table["dataset"].tolist()
    values = [name for name in kept if name in VALUES]
    return {"parameters": parameters, "values": values, "tests": tests, "columns": columns}
