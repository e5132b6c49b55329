"""The arena in one table: what each method leaves of the confounding and keeps of the performance, with errors."""

import numpy as np
import pandas as pd

from permconf_study.study.performance import accuracy, average, intervals, rejection_rates, share

ALPHA = 0.05
CHANCE = 0.5
CLEAR = 2  # standard errors by which two numbers differ clearly
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
NUMERIC = ("continuous", "nonlinear", "two")  # settings with a numeric confounder


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
    where confounders and response are independent; `gain`: the same less that of no adjustment, on the same data sets;
    `kept_reversed`: where their association is reversed; `kept_reweighted`: as estimated by the reweighted metric.
    `error` and `coverage`: of the reweighted metric and its interval, in the `n_reweighted` data sets that have one.
    `*_mcse` are Monte Carlo standard errors.
    """
    place = ["setting", "learner", "dataset"]
    unadjusted = results[results["method"] == "none"].set_index(place)["independent"]
    rows = []
    for key, group in results.groupby(["setting", "learner", "method"], sort=False):
        ok = group[group["error"] == ""]
        row = dict(zip(("setting", "learner", "method"), key, strict=True))
        row |= {"n_datasets": len(ok), "failed": len(group) - len(ok)}
        for name, column in (("rate", "grouped_p"), ("plain", "prediction_p"), ("combined", "combined_p")):
            row |= _measured(name, rejection_rates(ok[column], [ALPHA])[0])
        row |= _measured("masks", share(ok["prediction_sign"] == "masks"))
        row |= {"lost": 1 - (ok["kept"] / ok["n_train"]).mean()}
        for name in METRICS:
            row |= _measured(name, average(ok[name].dropna()))
        before = unadjusted.reindex(pd.MultiIndex.from_frame(ok[place])).to_numpy()
        for name, metric in (
            ("kept", ok["independent"]),
            ("gain", ok["independent"] - before + CHANCE),
            ("kept_reversed", ok["reversed"]),
            ("kept_reweighted", ok["reweighted"]),
        ):
            row |= _kept(name, metric, ok["oracle"])
        weighted = ok[ok["reweighted"].notna()]
        row |= {"n_reweighted": len(weighted)}
        row |= _measured("error", accuracy(weighted["reweighted"], weighted["independent"])["bias"])
        ends = weighted["reweighted_low"], weighted["reweighted_high"]
        rows.append(row | _measured("coverage", intervals(*ends, weighted["independent"])["coverage"]))
    return pd.DataFrame(rows)


def _measured(name, found):
    return {name: found.value, f"{name}_mcse": found.mcse}


def _kept(name, metric, oracle):
    """Ratio of the means above chance, and its error by the delta method; data sets are paired."""
    pairs = np.column_stack([metric, oracle])[metric.notna()] - CHANCE
    if not len(pairs):
        return {name: np.nan, f"{name}_mcse": np.nan}
    above, possible = pairs.mean(axis=0)
    ratio = above / possible
    error = np.std(pairs[:, 0] - ratio * pairs[:, 1], ddof=1) / np.sqrt(len(pairs)) / possible
    return {name: ratio, f"{name}_mcse": error}
