"""Tables of the stress study: the tests for confounding and the corrected metric on a grid of links.

A cell of the grid is named by its links: C-Y (confounder and response are associated), C-X (the confounder acts on the
features) and Y-X (the response acts on the features). There is confounding if C-Y and C-X are both present.
"""

import itertools

import numpy as np
import pandas as pd

from permconf.study.rejection_rates import rejection_curve

LINKS = {"cy": "C-Y", "cx": "C-X", "yx": "Y-X"}
CELLS = {
    "_".join(links) or "none": frozenset(links) for count in range(4) for links in itertools.combinations(LINKS, count)
}
NULL_CELLS = tuple(cell for cell, links in CELLS.items() if not {"cy", "cx"} <= links)
CONFOUNDED_CELLS = tuple(cell for cell in CELLS if cell not in NULL_CELLS)
TESTS = ("confounding", "algorithm2", "conditional", "combined")
ALPHAS = (0.01, 0.05, 0.10)
THETA_EDGES = np.linspace(0.1, 1.0, 7)
POWER_ALPHA = 0.05


def label(cell):
    """The links of a cell in words."""
    return ", ".join(text for link, text in LINKS.items() if link in CELLS[cell]) or "no link"


def type1_error_table(tests):
    """Rejection rates of every test at ALPHAS by cell and test size, with Monte Carlo errors.

    `tests` maps names of cells (or other scenarios) to their tables of tests. `deviation` is the difference from alpha
    in standard errors of a rate equal to alpha.
    """
    parts = []
    for cell, table in tests.items():
        for (n_test, test), p in _p_values(table):
            curve = pd.DataFrame(rejection_curve(p, np.array(ALPHAS) + 1e-12)).assign(alpha=ALPHAS)
            parts.append(curve.assign(cell=cell, n_test=n_test, test=test))
    rates = pd.concat(parts, ignore_index=True)
    nominal_error = np.sqrt(rates["alpha"] * (1 - rates["alpha"]) / rates["n_datasets"])
    rates["deviation"] = (rates["rate"] - rates["alpha"]) / nominal_error
    return rates[["cell", "n_test", "test", "alpha", "rate", "mcse", "low", "high", "n_datasets", "deviation"]]


def _p_values(table):
    usable = table[table["status"] == "ok"]
    for n_test, rows in usable.groupby("n_test"):
        for test in TESTS:
            if f"{test}_p" in rows:
                yield (int(n_test), test), rows[f"{test}_p"].to_numpy()


def power_table(tests, designs):
    """Power at POWER_ALPHA by cell, test size and theta.

    Tests whose type I error exceeds alpha are size-adjusted (`adjusted`): their critical value is a quantile of the
    statistic in the cell that lacks only the link C-X.
    """
    parts = []
    for cell in CONFOUNDED_CELLS:
        matching = tests["_".join(link for link in LINKS if link in CELLS[cell] - {"cx"})]
        table = tests[cell].merge(designs[cell][["dataset", "theta"]], on="dataset")
        table = table[table["status"] == "ok"]
        for (n_test, group), rows in table.groupby(["n_test", _theta_group(table["theta"])]):
            null = matching[(matching["n_test"] == n_test) & (matching["status"] == "ok")]
            for test, rejected in _rejections(rows, null).items():
                curve = pd.DataFrame(rejection_curve(1.0 - rejected, [0.5])).drop(columns="alpha")
                theta = float(THETA_EDGES[group : group + 2].mean())
                adjusted = test in ("confounding", "algorithm2")
                parts.append(curve.assign(cell=cell, n_test=n_test, theta=theta, test=test, adjusted=adjusted))
    power = pd.concat(parts, ignore_index=True)
    return power[["cell", "n_test", "theta", "test", "adjusted", "rate", "mcse", "low", "high", "n_datasets"]]


def _theta_group(theta):
    return np.clip(np.searchsorted(THETA_EDGES, theta, side="right") - 1, 0, len(THETA_EDGES) - 2)


def _rejections(rows, null):
    """Rejections of each test in each row, as an array of zeros and ones, by name of the test."""
    rejected = {}
    for test in ("confounding", "algorithm2"):
        critical = np.quantile(_z(null, test), 1 - POWER_ALPHA)
        rejected[test] = (_z(rows, test) > critical).to_numpy(float)
    for test in ("conditional", "combined"):
        rejected[test] = (rows[f"{test}_p"] <= POWER_ALPHA + 1e-12).to_numpy(float)
    return rejected


def _z(table, test):
    """The statistic of a test, standardised by its null distribution."""
    if test == "confounding":
        return table["confounding_z"]
    return (table[f"{test}_statistic"] - table[f"{test}_mean"]) / table[f"{test}_sd"]


def inner_table(tests):
    """Power of the conditional test by test size and number of inner draws, on the same data sets."""
    parts = []
    for table in tests:
        for (n_test, inner), rows in table[table["status"] == "ok"].groupby(["n_test", "conditional_inner"]):
            curve = rejection_curve(rows["conditional_p"], [POWER_ALPHA + 1e-12])
            parts.append(pd.DataFrame(curve).assign(n_test=n_test, inner=inner))
    power = pd.concat(parts).sort_values(["n_test", "inner"], ignore_index=True)
    return power[["n_test", "inner", "rate", "mcse", "low", "high", "n_datasets"]]


def correction_table(tests, designs, unconfounded):
    """Theta, observed and corrected metric, and the metric without confounding, of every data set and cell."""
    parts = []
    for cell, truth in unconfounded.items():
        table = tests[cell].merge(designs[cell][["dataset", "theta", "beta"]], on="dataset").merge(truth, on="dataset")
        columns = ["dataset", "n_test", "beta", "theta", "observed", "corrected", "unconfounded"]
        parts.append(table.loc[table["status"] == "ok", columns].assign(cell=cell))
    return pd.concat(parts, ignore_index=True)


def correction_summary(corrections):
    """Mean error of the observed and of the corrected metric by cell and test size, with Monte Carlo errors."""
    parts = []
    for (cell, n_test), rows in corrections.groupby(["cell", "n_test"], sort=False):
        row = {"cell": cell, "n_test": n_test, "n_datasets": len(rows), "unconfounded": rows["unconfounded"].mean()}
        for name in ("observed", "corrected"):
            error = rows[name] - rows["unconfounded"]
            row |= {name: rows[name].mean(), f"{name}_error": error.mean()}
            row |= {f"{name}_mcse": error.std() / np.sqrt(len(rows)), f"{name}_rms": np.sqrt((error**2).mean())}
        parts.append(row)
    return pd.DataFrame(parts)
