"""Tables and figures of docs/ADJUSTMENTS.md: the arena, and what the tests find after residualising."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from permconf.markdown import table, update
from permconf.pages.figures import compact
from permconf.paper.tables.arena import SETTINGS
from permconf.study.arena import load_methods
from permconf.study.rejection_rates import rejection_curve
from permconf.study.tables import read_table

FIGURES = ("figE1_adjustments", "figE2_bins")
RESIDUALS = {"as they are": "unneeded_none", "residuals": "unneeded_residuals"}
NUMERIC = ("continuous", "nonlinear", "two")


def write(results: Path, page: Path) -> list[str]:
    """Update the tables of the page whose files exist, and the images of figures; return the names of the tables."""
    for name in FIGURES:
        drawn = results.parent / "figures" / f"{name}.png"
        if drawn.exists():
            compact(drawn, page.parent / "images" / drawn.name)
    return update(page, parts(results))


def parts(results: Path) -> dict[str, str | None]:
    """The tables by name; None without the files of `permconf run arena`, or of the scenarios in RESIDUALS."""
    summary = results / "arena/summary.csv"
    arena = read_table(summary) if summary.exists() else None
    makers: dict[str, Callable[..., str]] = {
        "logistic": partial(chart, learner="logistic"),
        "forest": partial(chart, learner="forest"),
        "bins": bins,
        "judges": judges,
    }
    made = {name: None if arena is None else make(arena) for name, make in makers.items()}
    folders = {label: results / name for label, name in RESIDUALS.items()}
    finished = all((folder / "tests.parquet").exists() for folder in folders.values())
    return made | {"residuals": residual_tests(folders) if finished else None}


def _value(row, name, digits=0):
    """A share in percent with its Monte Carlo standard error."""
    return f"{100 * row[name]:.{digits}f} ({100 * row[f'{name}_mcse']:.{digits}f})"


def chart(summary, learner):
    """Confounding left, performance kept in two populations, and rows lost, by setting and method."""
    labels = {name: m["label"] for name, m in load_methods()["methods"].items() if not m.get("numeric")}
    rows = []
    for setting, text in SETTINGS.items():
        here = summary[(summary["setting"] == setting) & (summary["learner"] == learner)].set_index("method")
        for name, label in labels.items():
            if name in here.index:
                row = here.loc[name]
                found = [_value(row, key) for key in ("rate", "kept", "kept_reversed", "kept_reweighted")]
                rows.append([text, label, *found, f"{100 * row['lost']:.0f}"])
    headings = ["setting", "method", "test rejects", "kept", "kept, reversed", "kept, reweighted", "rows lost"]
    return table(headings, rows)


def bins(summary):
    """Methods with numeric confounders in bins and as they come, with logistic regression."""
    labels = {name: m["label"] for name, m in load_methods()["methods"].items()}
    here = summary[(summary["learner"] == "logistic") & summary["setting"].isin(NUMERIC)]
    rows = [
        [SETTINGS[row["setting"]], labels[row["method"]], *(_value(row, key) for key in ("rate", "plain"))]
        + [_value(row, key) for key in ("kept", "kept_reversed")]
        for row in here.to_dict("records")
    ]
    return table(["setting", "method", "test, 5 groups", "test, as it comes", "kept", "kept, reversed"], rows)


def judges(summary):
    """Over all settings and methods of a learner: reweighted metric against the truth, and coverage of its interval."""
    rows = []
    for learner, group in summary.groupby("learner", sort=False):
        error = group["reweighted"] - group["independent"]
        rows.append(
            [
                learner,
                len(group),
                f"{error.mean():+.4f}",
                f"{error.abs().max():.3f}",
                f"{group['coverage'].mean():.3f}",
                f"{group['coverage'].min():.2f}",
                int(group["failed"].sum()),
            ]
        )
    headings = ["learner", "cells", "mean error", "largest", "mean coverage", "smallest", "failed fits"]
    return table(headings, rows)


def residual_tests(folders):
    """Rates of the tests by training size, with and without residuals, where features carry nothing.

    `studentised` is the paper's test with the standard deviation of the restricted draws instead of the analytic one.
    """
    rows = []
    for label, folder in folders.items():
        tests = read_table(folder / "tests.parquet")
        for n_train, group in tests[tests["status"] == "ok"].groupby("n_train"):
            z = group["confounding_z"] * group["baseline_sd"] / group["restricted_sd"]
            rates = [_rate(p) for p in (group["confounding_p"], ndtr(-z), group["prediction_p"])]
            spread, mean = group["restricted_sd"] / group["baseline_sd"], group["restricted_mean"]
            moments = [f"{spread.mean():.3f} ({spread.sem():.3f})", f"{mean.mean():.4f} ({mean.sem():.4f})"]
            rows.append([label, n_train, f"{len(group):,}", *rates, *moments])
    headings = ["features", "training rows", "data sets", "paper's test", "the same, studentised", "prediction test"]
    return table([*headings, "s\\*/s\\*\\*", "mean of the restricted null"], rows)


def _rate(p):
    curve = rejection_curve(np.asarray(p, float), [0.05 + 1e-12])
    return f"{curve['rate'][0]:.3f} ({curve['mcse'][0]:.3f})"
