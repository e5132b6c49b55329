"""Tables of the stress study beyond its cells: power by theta, and tests on the same data sets."""

import numpy as np
import pandas as pd

from permconf_study.paper.tables.stress_cells import CELLS, GRID, TESTS
from permconf_study.study.performance import TIE, Measured, rejection_rates

THETA_EDGES = np.linspace(0.1, 1.0, 7)
POWER_ALPHA = 0.05
SIZE_ADJUSTED = ("confounding", "algorithm2")  # tests whose type I error exceeds alpha
POWER_CELLS = {  # confounded cells of the grid, and the cell that lacks only the link C-X
    "cy_cx": "cy",
    "cy_cx_negative": "cy",
    "cy_cx_yx": "cy_yx",
    "cy_cx_yx_negative": "cy_yx",
}
TWELVE_INNER_DRAWS = {
    "cy_cx": "stress_inner_12_cy_cx",
    "cy_cx_yx": "stress_inner_12",
    "cy_cx_yx_negative": "stress_inner_12_negative",
}


def grid_tests(parts):
    """Usable rows of the cells of the grid, by name; `parts` by scenario have theta as a variable."""
    rows = {name: parts[CELLS[name].scenario].rows() for name in GRID}
    return {name: table[table["status"] == "ok"] for name, table in rows.items()}


def power_table(tests):
    """Power at POWER_ALPHA by cell of the grid, test size and theta.

    Tests whose type I error exceeds alpha are size-adjusted (`adjusted`): their critical value is a quantile of the
    statistic in the cell that lacks only the link C-X.
    """
    found = []
    for cell, matching in POWER_CELLS.items():
        table = tests[cell]
        sign = np.sign(table["theta"].iloc[0])
        groups = np.searchsorted(THETA_EDGES[1:-1], table["theta"].abs(), side="right")
        for (n_test, group), rows in table.groupby(["n_test", groups]):
            null = tests[matching][tests[matching]["n_test"] == n_test]
            theta = sign * float(THETA_EDGES[group : group + 2].mean())
            for test in TESTS:
                (power,) = rejection_rates(1.0 - _rejections(rows, null, test), [0.5])
                about = {"cell": cell, "n_test": n_test, "theta": theta, "test": test}
                found.append(about | {"adjusted": test in SIZE_ADJUSTED} | power._asdict())
    columns = ["cell", "n_test", "theta", "test", "adjusted", *Measured._fields]
    return pd.DataFrame(found, columns=columns).rename(columns={"value": "rate"})


def _rejections(rows, null, test):
    """Rejections of a test in each row, as an array of zeros and ones."""
    if test in SIZE_ADJUSTED:
        return (_z(rows, test) > np.quantile(_z(null, test), 1 - POWER_ALPHA)).to_numpy(float)
    return (rows[f"{test}_p"] <= POWER_ALPHA + TIE).to_numpy(float)


def _z(table, test):
    """The statistic of a test, standardised by its null distribution."""
    if test == "confounding":
        return table["confounding_z"]
    return (table[f"{test}_statistic"] - table[f"{test}_mean"]) / table[f"{test}_sd"]


def paired_table(tests, twelve):
    """Power at POWER_ALPHA of the prediction test and of the conditional test with 2 and with 12 inner draws.

    All on the same data sets. `difference` is the prediction test's power less that of the conditional test with 12
    inner draws, `difference_mcse` its error, in which what the data sets have in common cancels. `twelve` maps cells to
    tables of tests with 12 inner draws.
    """
    rows = []
    for cell, table in twelve.items():
        own = tests[cell][["dataset", "n_test", "prediction_p", "conditional_p"]]
        both = own.merge(table.loc[table["status"] == "ok", ["dataset", "conditional_p"]], on="dataset")
        names = {"prediction": "prediction_p", "conditional_2": "conditional_p_x", "conditional_12": "conditional_p_y"}
        for n_test, group in both.groupby("n_test"):
            rejected = {test: (group[p] <= POWER_ALPHA + TIE).astype(float) for test, p in names.items()}
            difference = rejected["prediction"] - rejected["conditional_12"]
            rows.append(
                {"cell": cell, "n_test": n_test, "n_datasets": len(group)}
                | {test: rejections.mean() for test, rejections in rejected.items()}
                | {"difference": difference.mean(), "difference_mcse": difference.std() / np.sqrt(len(group))}
            )
    return pd.DataFrame(rows)
