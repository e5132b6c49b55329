"""The arena in one table: what each method leaves of the confounding and keeps of the performance, with errors."""

import numpy as np
import pandas as pd

from permconf.study.rejection_rates import rejection_curve

ALPHA = 0.05
_TIE = 1e-12  # p-values are multiples of 1 / (1 + permutations), up to rounding
CHANCE = 0.5
METRICS = ("observed", "reweighted", "independent", "reversed", "oracle")
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


def arena_results(chunks):
    """All rows; `chunks` maps scenarios of group arena to their tables."""
    tables = [table.assign(setting=name.removeprefix("arena_")) for name, table in chunks.items()]
    every = pd.concat(tables, ignore_index=True)
    return every[["setting", *(name for name in every if name != "setting")]]


def arena_summary(results):
    """A row for each setting, learner and method.

    `rate`: share of data sets in which the prediction test, with numeric confounders in groups, rejects at ALPHA;
    `plain` and `combined`: the same for the prediction test of numbers as they come and for the combined test. `lost`:
    share of training rows that were dropped. `kept`: share of the oracle's performance above chance that the method has
    where confounders and response are independent; `kept_reversed`: where their association is reversed;
    `kept_reweighted`: as estimated by the reweighted metric. `*_mcse` are Monte Carlo standard errors.
    """
    rows = []
    for key, group in results.groupby(["setting", "learner", "method"], sort=False):
        ok = group[group["error"] == ""]
        row = dict(zip(("setting", "learner", "method"), key, strict=True))
        row |= {"n_datasets": len(ok), "failed": len(group) - len(ok)}
        for name, column in (("rate", "grouped_p"), ("plain", "prediction_p"), ("combined", "combined_p")):
            row |= _rate(name, ok[column])
        row |= {"masks": (ok["prediction_sign"] == "masks").mean(), "lost": 1 - (ok["kept"] / ok["n_train"]).mean()}
        for name in METRICS:
            row |= {name: ok[name].mean(), f"{name}_mcse": ok[name].sem()}
        for name, column in (
            ("kept", "independent"),
            ("kept_reversed", "reversed"),
            ("kept_reweighted", "reweighted"),
        ):
            row |= _kept(name, ok[column], ok["oracle"])
        covered = (ok["reweighted_low"] <= ok["independent"]) & (ok["independent"] <= ok["reweighted_high"])
        rows.append(row | {"coverage": covered[ok["reweighted"].notna()].mean()})
    return pd.DataFrame(rows)


def _rate(name, p):
    curve = rejection_curve(p.dropna(), [ALPHA + _TIE])
    return {name: curve["rate"][0], f"{name}_mcse": curve["mcse"][0]}


def _kept(name, metric, oracle):
    """Ratio of the means above chance, and its error by the delta method; data sets are paired."""
    pairs = np.column_stack([metric, oracle])[metric.notna()] - CHANCE
    if not len(pairs):
        return {name: np.nan, f"{name}_mcse": np.nan}
    above, possible = pairs.mean(axis=0)
    ratio = above / possible
    error = np.std(pairs[:, 0] - ratio * pairs[:, 1], ddof=1) / np.sqrt(len(pairs)) / possible
    return {name: ratio, f"{name}_mcse": error}
