"""Fig. S3: type I error of the tests for confounding, in the cells of the stress study without confounding."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import DARK, LIGHT, PAGE, letters, styled
from permconf_study.paper.figures.tests import LABELS, STYLES
from permconf_study.paper.tables.stress_cells import GRID, NULL_CELLS, TESTS, label, null_holds

FLOOR = 5e-4  # a rate of zero is drawn here
LIMIT = 3  # Monte Carlo standard errors
RANGE = 6  # deviations beyond are drawn at the edge
ALPHA = 0.05
MARKERS = {0.01: "o", 0.05: "s", 0.10: "^"}


@styled
def figure(tables):
    """Rates at 0.05 by cell and test size (a-h), deviations of two tests in all null cells (i, j); needs "rates"."""
    rates = tables["rates"]
    drawing = Figure(figsize=(PAGE, 8.2))
    rows = drawing.add_gridspec(3, 1, height_ratios=(2.3, 1, 1))
    axes = rows[0].subgridspec(2, 4).subplots(sharex=True, sharey=True, squeeze=False)
    cells = [cell for cell in NULL_CELLS if cell in GRID]
    for ax, cell in zip(axes.flat, cells, strict=True):
        draw_rates(ax, rates[(rates["cell"] == cell) & (rates["alpha"] == ALPHA)])
        ax.set_title(label(cell), fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("test size")
    for ax in axes[:, 0]:
        ax.set_ylabel(f"rejection rate at {ALPHA}")
    for row, test in ((1, "prediction"), (2, "combined")):
        draw_deviations(drawing.add_subplot(rows[row]), rates[(rates["test"] == test) & rates["null"]], test)
    letters(drawing.axes)
    shared_legend(drawing, axes[0, :1], ncols=len(TESTS))
    return drawing


def draw_rates(ax, rates):
    """Rates of every test against the test size with 95 % bands; grey: within 3 standard errors of nominal.

    Where the null hypothesis of a test is false, its rate is power, and drawn dotted.
    """
    error = LIMIT * np.sqrt(ALPHA * (1 - ALPHA) / rates["n_datasets"].min())
    ax.axhspan(max(ALPHA - error, FLOOR), ALPHA + error, color=LIGHT, lw=0)
    ax.axhline(ALPHA, color=DARK, lw=0.6, ls="--")
    for test in TESTS:
        rows = rates[rates["test"] == test].sort_values("n_test")
        low, rate, high = (np.maximum(rows[name], FLOOR) for name in ("low", "rate", "high"))
        style = STYLES[test] if rows["null"].all() else STYLES[test] | {"ls": ":", "mfc": "none"}
        ax.fill_between(rows["n_test"], low, high, color=style["color"], alpha=0.2, lw=0)
        ax.plot(rows["n_test"], rate, ms=3, lw=1.0, label=LABELS[test], **style)
    sizes = sorted(rates["n_test"].unique())
    ax.set(xscale="log", yscale="log", ylim=(FLOOR, 1.2))
    ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
    ax.set_yticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    ax.minorticks_off()


def draw_deviations(ax, rates, test):
    """Distance of the type I error of one test from nominal in standard errors: one mark per alpha and test size."""
    cells = [cell for cell in NULL_CELLS if null_holds(test, cell)]
    ax.axhspan(-LIMIT, LIMIT, color=LIGHT, lw=0)
    ax.axhline(0, color=DARK, lw=0.6, ls="--")
    for alpha, shift in zip(MARKERS, (-0.22, 0, 0.22), strict=True):
        rows = rates[rates["alpha"] == alpha]
        place = rows["cell"].map({cell: k for k, cell in enumerate(cells)}) + shift
        height = rows["deviation"].clip(-RANGE, RANGE)
        ax.plot(place, height, MARKERS[alpha], ms=3, mfc="none", color=STYLES[test]["color"], clip_on=False)
        ax.plot([], [], MARKERS[alpha], ms=3, mfc="none", color=DARK, label=f"at {alpha:.2f}")
    ax.set(ylim=(-RANGE, RANGE), xlim=(-0.6, len(cells) - 0.4), ylabel="errors from nominal")
    ax.set_xticks(range(len(cells)), [label(cell) for cell in cells], fontsize=6, rotation=25, ha="right")
    ax.set_title(f"{LABELS[test]}, all cells in which its null is true", fontsize=8)
    if test == "prediction":
        ax.legend(ncols=3, loc="upper right", fontsize=6)
