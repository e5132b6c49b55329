"""Tables of the stress study: type I error and power of the tests for confounding, and of the response test."""

import numpy as np
import pandas as pd

from permconf_study.paper.tables.stress_cells import CELLS, null_holds
from permconf_study.study.rejection_rates import rejection_curve

ALPHAS = (0.01, 0.05, 0.10)
THETA_EDGES = np.linspace(0.1, 1.0, 7)
POWER_ALPHA = 0.05
_TIE = 1e-12  # p-values are multiples of 1 / (1 + permutations), up to rounding
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


def cell_tests(tests, designs):
    """Usable rows of every cell, by its name; `tests` and `designs` map scenarios to tables."""
    parts = {name: cell.rows(tests[cell.scenario], designs[cell.scenario]) for name, cell in CELLS.items()}
    return {name: table[table["status"] == "ok"] for name, table in parts.items()}


def rate_table(tests):
    """Rejection rates of every test at ALPHAS by cell and test size, with Monte Carlo errors.

    `tests` are those of `cell_tests`. `null` says whether the null hypothesis of the test is true; `deviation` is the
    difference from alpha in standard errors of a rate equal to alpha.
    """
    parts = []
    for cell, table in tests.items():
        for n_test, rows in table.groupby("n_test"):
            for test in CELLS[cell].tests:
                null, p_values = null_holds(test, cell), rows[f"{test}_p"]
                parts.append(_rates(p_values, ALPHAS, cell=cell, n_test=int(n_test), test=test, null=null))
    rates = pd.concat(parts, ignore_index=True)
    nominal_error = np.sqrt(rates["alpha"] * (1 - rates["alpha"]) / rates["n_datasets"])
    return rates.assign(deviation=(rates["rate"] - rates["alpha"]) / nominal_error)


def _rates(p_values, alphas, **about):
    """Rejection rates at some alphas, after the columns `about` them."""
    curve = pd.DataFrame(rejection_curve(p_values, np.add(alphas, _TIE))).assign(alpha=alphas, **about)
    return curve[[*about, "alpha", "rate", "mcse", "low", "high", "n_datasets"]]


def power_table(tests, designs):
    """Power at POWER_ALPHA by cell of the grid, test size and theta.

    Tests whose type I error exceeds alpha are size-adjusted (`adjusted`): their critical value is a quantile of the
    statistic in the cell that lacks only the link C-X.
    """
    parts = []
    for cell, matching in POWER_CELLS.items():
        table = tests[cell].merge(designs[CELLS[cell].scenario][["dataset", "theta"]], on="dataset")
        sign = np.sign(table["theta"].iloc[0])
        for (n_test, group), rows in table.groupby(["n_test", _theta_group(table["theta"])]):
            null = tests[matching][tests[matching]["n_test"] == n_test]
            theta = sign * float(THETA_EDGES[group : group + 2].mean())
            for test in CELLS[cell].tests:
                p, adjusted = 1.0 - _rejections(rows, null, test), test in SIZE_ADJUSTED
                parts.append(_rates(p, [0.5], cell=cell, n_test=n_test, theta=theta, test=test, adjusted=adjusted))
    return pd.concat(parts, ignore_index=True).drop(columns="alpha")


def _theta_group(theta):
    edges = THETA_EDGES[1:-1]
    return np.searchsorted(edges, np.abs(theta), side="right")


def _rejections(rows, null, test):
    """Rejections of a test in each row, as an array of zeros and ones."""
    if test in SIZE_ADJUSTED:
        return (_z(rows, test) > np.quantile(_z(null, test), 1 - POWER_ALPHA)).to_numpy(float)
    return (rows[f"{test}_p"] <= POWER_ALPHA + _TIE).to_numpy(float)


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
            rejected = {test: (group[p] <= POWER_ALPHA + _TIE).astype(float) for test, p in names.items()}
            difference = rejected["prediction"] - rejected["conditional_12"]
            rows.append(
                {"cell": cell, "n_test": n_test, "n_datasets": len(group)}
                | {test: rejections.mean() for test, rejections in rejected.items()}
                | {"difference": difference.mean(), "difference_mcse": difference.std() / np.sqrt(len(group))}
            )
    return pd.DataFrame(rows)


def effect_table(tests, designs):
    """Rejection rates of the response test at 0.05 by kind of effect, treatment of the confounder and beta.

    `tests` and `designs` map pairs (effect, treatment) to tables; where the design has a curvature, it names the
    effect.
    """
    parts = []
    for (effect, treatment), table in tests.items():
        design = designs[effect, treatment]
        merged = table[table["status"] == "ok"].merge(design, on="dataset")
        merged = merged.assign(effect=merged["curvature"].map(CURVATURES) if "curvature" in merged else effect)
        for (shown, beta), rows in merged.groupby(["effect", "beta"]):
            parts.append(_rates(rows["response_p"], [0.05], effect=shown, treatment=treatment, beta=beta))
    return pd.concat(parts, ignore_index=True).drop(columns="alpha")


CURVATURES = {0.0: "linear", 0.5: "half and half", 1.0: "square"}
EFFECTS = {
    (effect, treatment): f"stress_{effect}_{treatment}"
    for effect in ("effects", "age_sex")
    for treatment in ("smooth", "5bins", "10bins")
}
