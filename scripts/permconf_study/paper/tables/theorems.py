"""Where Theorems 1 and 2 hold: both sides of their equations on simulated data (Fig. S2)."""

from dataclasses import asdict

import numpy as np
import pandas as pd

from permconf.theory.theorems import ESTIMATORS, theorem1, theorem2

ROUNDING = 1e-10
VANISHING_SLOPE = -0.5

CONFOUNDERS = {"binary": (2, ("numeric",)), "three levels": (3, ("dummy", "numeric"))}

EFFECTS = {"linear": (lambda c: c, lambda y: y), "nonlinear": (lambda c: 2 * (c % 2), lambda y: y**2)}


def simulated(n, *, n_levels, effect, rng):
    """One data set x, y, c: c shifts y and x, and y acts on x directly.

    "linear": level means linear in the code of c, direct effect linear in y. "nonlinear": level means alternate between
    0 and 2 (still linear in the code with two levels), direct effect quadratic in y.
    """
    of_c, of_y = EFFECTS[effect]
    c = rng.integers(n_levels, size=n)
    y = of_c(c) + rng.standard_normal(n)
    x = of_c(c) + 0.5 * of_y(y) + rng.standard_normal(n)
    return x, y, c


def theorem_table(*, rng, sizes=(50, 100, 200, 400, 800), replicates=20):
    """Both sides of Theorems 1 and 2 on simulated data, one row per data set, coding of c and statistic (figure S2).

    Columns: confounder (binary, three levels), coding (numeric, dummy), effect (linear, nonlinear), n, replicate,
    theorem (1, 2), statistic (covariance, correlation), estimator (U, V, or empty for Theorem 1), conventional,
    permutation, discrepancy. Every combination of confounder, effect and n has its own random stream, so more
    replicates, or sizes appended to the list, do not change earlier rows.
    """
    rows = []
    for (confounder, effect), stream in _streams(((k, e) for k in CONFOUNDERS for e in EFFECTS), rng):
        n_levels, codings = CONFOUNDERS[confounder]
        for n, generator in _streams(sizes, stream):
            for replicate in range(replicates):
                x, y, c = simulated(n, n_levels=n_levels, effect=effect, rng=generator)
                about = {"confounder": confounder, "effect": effect, "n": n, "replicate": replicate}
                rows += [about | row for row in _both_theorems(x, y, c, codings)]
    order = ["confounder", "coding", "effect", "n", "replicate", "theorem", "statistic", "estimator"]
    return pd.DataFrame(rows)[[*order, "conventional", "permutation", "discrepancy"]]


def _streams(items, rng):
    items = list(items)
    return zip(items, rng.spawn(len(items)), strict=True)


def _both_theorems(x, y, c, codings):
    """Rows of `theorem_table` for one data set."""
    for coding in codings:
        yield from _rows(theorem1(x, y, c, coding=coding), theorem=1, coding=coding, estimator="")
    for estimator in ESTIMATORS:
        for coding in codings:
            result = theorem2(x, y, c, coding=coding, estimator=estimator)
            yield from _rows(result, theorem=2, coding=coding, estimator=estimator)


def _rows(result, **about):
    for statistic in ("covariance", "correlation"):
        sides = getattr(result, statistic)
        yield about | asdict(sides) | {"statistic": statistic, "discrepancy": sides.discrepancy}


def theorem_decay(table):
    """How the discrepancies of `theorem_table` behave as n grows, one row per confounder, coding, effect and equation.

    `largest` is the largest absolute discrepancy, `slope` that of log median |discrepancy| on log n (-1 for an error of
    order 1/n, 0 for a constant one), `verdict` one of exact, vanishing, not vanishing; `slope_se` is the standard error
    of the slope. An exact equation has no slope: its discrepancies are rounding, which differs between processors.
    """
    by = ["confounder", "coding", "effect", "theorem", "statistic", "estimator"]
    sizes = table.assign(size=table["discrepancy"].abs())
    medians = sizes.groupby([*by, "n"], sort=False)["size"].median().unstack("n")
    decay = sizes.groupby(by, sort=False)["size"].agg(largest="max")
    slopes = [
        (np.nan, np.nan) if largest < ROUNDING else _log_slope(row.index, row.to_numpy())
        for largest, (_, row) in zip(decay["largest"], medians.loc[decay.index].iterrows(), strict=True)
    ]
    decay["slope"] = [slope for slope, _ in slopes]
    decay["verdict"] = [_verdict(*row) for row in decay[["largest", "slope"]].itertuples(index=False)]
    decay["slope_se"] = [error for _, error in slopes]
    return decay.reset_index()


def _log_slope(n, size):
    """Slope of log size on log n, and its standard error (none with two sizes)."""
    x, y = np.log(np.asarray(n, float)), np.log(np.maximum(size, np.finfo(float).tiny))
    slope, intercept = np.polyfit(x, y, 1)
    if x.size < 3:
        return slope, np.nan
    variance = np.sum((y - intercept - slope * x) ** 2) / (x.size - 2)
    return slope, np.sqrt(variance / np.sum((x - x.mean()) ** 2))


def _verdict(largest, slope):
    if largest < ROUNDING:
        return "exact"
    return "vanishing" if slope < VANISHING_SLOPE else "not vanishing"
