"""Accuracy of the observed, corrected and reweighted metric against the metric without confounding."""

import numpy as np
import pandas as pd

COMPARISONS = (  # estimate and truth (see `permconf_study.paper.tables.unconfounded`)
    ("observed", "as_trained"),
    ("corrected", "as_trained"),
    ("reweighted", "as_trained"),
    ("corrected", "unconfounded"),
    ("retrained", "unconfounded"),
)
_KEPT = (
    *("dataset", "n_test", "observed", "corrected", "reweighted", "reweighted_low", "reweighted_high"),
    *("as_trained", "unconfounded", "retrained"),
)


def correction_table(tests, designs, unconfounded):
    """Estimates and truths of every data set; the arguments map cells to tables."""
    parts = []
    for cell, truth in unconfounded.items():
        table = tests[cell].merge(truth, on="dataset")
        effects = [name for name in ("beta", "theta") if name in designs[cell]]
        kept = table.loc[table["status"] == "ok", list(_KEPT)].merge(designs[cell][["dataset", *effects]], on="dataset")
        parts.append(kept.assign(cell=cell))
    return pd.concat(parts, ignore_index=True)


def correction_summary(corrections):
    """Errors by cell, test size, estimate and truth, with Monte Carlo errors.

    All estimates are judged on the data sets for which the reweighted metric is defined; `undefined` is the share of
    the others. `above` is the share of data sets in which the estimate is above the truth, `coverage` that in which the
    interval of the reweighted metric contains it.
    """
    rows = []
    for (cell, n_test), group in corrections.groupby(["cell", "n_test"], sort=False):
        usable = group[group["reweighted"].notna()]
        shares = {"n_datasets": len(usable), "undefined": 1 - len(usable) / len(group)}
        for estimate, truth in COMPARISONS:
            row = {"cell": cell, "n_test": n_test, "estimate": estimate, "truth": truth, **shares}
            rows.append(row | _errors(usable[estimate], usable[truth]) | _coverage(usable, estimate))
    return pd.DataFrame(rows)


def _errors(estimate, truth):
    error = (estimate - truth).dropna()
    count = max(len(error), 1)
    return {
        "mean_truth": truth.mean(),
        "bias": error.mean(),
        "mcse": error.std() / np.sqrt(count),
        "rms": np.sqrt((error**2).mean()),
        "above": (error > 0).mean(),
    }


def _coverage(usable, estimate):
    if estimate != "reweighted" or not len(usable):
        return {"coverage": np.nan, "coverage_mcse": np.nan}
    truth = usable["as_trained"]
    share = ((usable["reweighted_low"] <= truth) & (truth <= usable["reweighted_high"])).mean()
    return {"coverage": share, "coverage_mcse": np.sqrt(share * (1 - share) / len(usable))}
