"""Fig. S3: type I error of the tests for confounding, in the cells of the stress study without confounding."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting import style
from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import DARK, LIGHT, PAGE, letters, styled
from permconf_study.paper.figures.fig08 import draw_band
from permconf_study.paper.tables.stress_cells import GRID, LIMIT, NAMES, TESTS, cell_rates, label, null_cells

FLOOR = 5e-4  # a rate of zero is drawn here
ALPHA = 0.05
STYLES = {
    "confounding": {"color": style.STANDARD, "marker": "s"},
    "algorithm2": {"color": style.QUANTILE_CORRECTED, "marker": "^"},
    "conditional": {"color": style.RESTRICTED, "marker": "o"},
    "prediction": {"color": style.CORRECTED, "marker": "v"},
    "combined": {"color": style.POPULATION, "marker": "D", "mfc": "none", "ls": "--"},  # often hides the one above
}
MARKERS = {0.01: "o", 0.05: "s", 0.10: "^"}
LOGARITHMIC = {"yscale": "log", "ylim": (FLOOR, 1.2)}


@styled
def figure(tables):
    """Errors at 0.05 by cell and test size (a-h), power (i-l), deviations of two tests (m, n); needs "cells"."""
    rates = cell_rates(tables["cells"])
    places = null_cells(rates)
    at_alpha = rates[rates["alpha"] == ALPHA]
    drawing = Figure(figsize=(PAGE, 8.6))
    rows = drawing.add_gridspec(3, 1, height_ratios=(2.2, 1.1, 2))
    errors = rows[0].subgridspec(2, 4).subplots(sharex=True, sharey=True, squeeze=False)
    cells = [cell for cell in places if cell in GRID]
    for ax, cell in zip(errors.flat, cells, strict=True):
        here = at_alpha[at_alpha["cell"] == cell]
        draw_rates(ax, here[here["null"]], LOGARITHMIC)
        error = LIMIT * np.sqrt(ALPHA * (1 - ALPHA) / here["n_datasets"].min())
        ax.axhspan(max(ALPHA - error, FLOOR), ALPHA + error, color=LIGHT, lw=0, zorder=0)
        ax.set_yticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
        ax.set_title(label(cell), fontsize=8)
    for ax in errors[:, 0]:
        ax.set_ylabel("type I error at 0.05")
    acting = at_alpha[at_alpha["cell"].isin(cells) & ~at_alpha["null"]]
    powers = rows[1].subgridspec(1, 4).subplots(sharey=True, squeeze=False)[0]
    for ax, cell in zip(powers, acting["cell"].unique(), strict=False):
        draw_rates(ax, acting[acting["cell"] == cell], {"ylim": (0, 1.02), "xlabel": "test size"})
        ax.set_title(label(cell), fontsize=8)
    powers[0].set_ylabel("power at 0.05")
    deviations = rows[2].subgridspec(1, 2).subplots(sharey=True, squeeze=False)[0]
    for ax, test in zip(deviations, ("prediction", "combined"), strict=True):
        draw_deviations(ax, rates[(rates["test"] == test) & rates["null"]], test, places)
    deviations[0].set_yticks(range(len(places)), map(label, places))
    deviations[0].set_ylim(len(places) - 0.4, -0.6)
    letters(drawing.axes)
    shared_legend(drawing, [errors[0, 0], deviations[0]], ncols=len(TESTS) + len(MARKERS), columnspacing=1.0)
    return drawing


def draw_rates(ax, rates, scale):
    """Rates of every test in the table against the test size, with 95 % bands."""
    ax.axhline(ALPHA, color=DARK, lw=0.6, ls="--")
    floor = FLOOR if "yscale" in scale else 0
    for test in (test for test in TESTS if test in set(rates["test"])):
        rows = rates[rates["test"] == test].sort_values("n_test")
        draw_band(ax, rows, "n_test", floor=floor, ms=3, lw=1.0, label=NAMES[test], clip_on=False, **STYLES[test])
    sizes = sorted(rates["n_test"].unique())
    ax.set(xscale="log", **scale)
    ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
    ax.minorticks_off()


def draw_deviations(ax, rates, test, cells):
    """Distance of the type I error of one test from nominal in standard errors: one mark per alpha and test size."""
    ax.axvspan(-LIMIT, LIMIT, color=LIGHT, lw=0)
    ax.axvline(0, color=DARK, lw=0.6, ls="--")
    for alpha, shift in zip(MARKERS, (-0.22, 0, 0.22), strict=True):
        rows = rates[rates["alpha"] == alpha]
        place = rows["cell"].map(cells.index) + shift
        ax.plot(rows["deviation"], place, MARKERS[alpha], ms=3, mfc="none", color=STYLES[test]["color"])
        ax.plot([], [], MARKERS[alpha], ms=3, mfc="none", color=DARK, label=f"at {alpha:.2f}")
    ax.set_xlabel("(rate - nominal) / error")
    ax.set_title(f"{NAMES[test]} test, cells in which its null is true", fontsize=8)
