"""The arena as a wide table: what each method leaves of the confounding and keeps of the performance, with errors."""

import pandas as pd

ALPHA = 0.05
CLEAR = 2  # standard errors by which two numbers differ clearly
LEARNERS = ("logistic", "forest")
SETTINGS = {  # in the order of figures and tables: name and label
    "unacting": "no confounding",
    "weak": "weak",
    "linear": "linear",
    "strong": "strong",
    "masking": "masking",
    "same_features": "same features",
    "interaction": "interaction",
    "small": "small n",
    "rare_cells": "rare cells",
    "continuous": "continuous",
    "nonlinear": "non-linear",
    "two": "two confounders",
}
NUMERIC = ("continuous", "nonlinear", "two")  # settings with a numeric confounder
METHODS = {  # name and label
    "none": "none",
    "residuals": "residuals",
    "matching": "matching",
    "weighting": "weighting",
    "resampling": "resampling",
    "backdoor": "backdoor",
    "penalty": "penalty",
    "penalty_given_y": "penalty, given Y",
}
OF_NUMBERS = {  # methods for settings with a numeric confounder
    "residuals_line": "residuals, straight line",
    "residuals_5bins": "residuals, 5 bins",
    "residuals_10bins": "residuals, 10 bins",
    "matching_5bins": "matching, 5 bins",
    "weighting_5bins": "weighting, 5 bins",
}
PLACE = ["setting", "learner", "method"]
COLUMNS = {  # of the summary: measure, and what it is of, in the table of cells
    "rate": ("rejection_rate", "grouped"),
    "plain": ("rejection_rate", "prediction"),
    "combined": ("rejection_rate", "combined"),
    "masks": ("masks", "prediction"),
    "lost": ("lost", "n_train"),
    "kept": ("kept", "independent"),
    "gain": ("gain", "independent"),
    "kept_reversed": ("kept", "reversed"),
    "kept_reweighted": ("kept", "reweighted"),
    "error": ("bias", "reweighted"),
    "coverage": ("coverage", "reweighted"),
}


def arena_summary(cells):
    """A row for each setting, learner and method, from the table of cells (results/README.md describes the measures).

    Of each of COLUMNS, `*_mcse` is the Monte Carlo standard error, and `n_*` the number of data sets; `rate` is that of
    the prediction test with numeric confounders in groups, `plain` that of numbers as they come. `n_datasets` are those
    in which the method could be used.
    """
    at = cells[cells["alpha"].isna() | (cells["alpha"] == ALPHA)]
    found = {
        name: at[(at["measure"] == measure) & (at["of"] == of)].set_index(PLACE)
        for name, (measure, of) in COLUMNS.items()
    }
    rates = found["rate"]
    columns = {"n_datasets": rates["n_datasets"] + rates["undefined"], "failed": rates["failed"]}
    for name, rows in found.items():
        columns |= {name: rows["value"], f"{name}_mcse": rows["mcse"], f"n_{name}": rows["n_datasets"]}
    return pd.DataFrame(columns, index=rates.index).reset_index()
