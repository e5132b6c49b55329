"""Fig. S5: accuracy of the corrected and of the reweighted metric."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import CORRECTED, DARK, INK, LIGHT, OBSERVED, PAGE, POPULATION, letters, styled
from permconf_study.paper.tables.stress import THETA_EDGES
from permconf_study.paper.tables.stress_cells import CELLS, GRID, estimates, label

SHOWN_SIZES = (100, 1000)
METRICS = {"observed": OBSERVED, "corrected": CORRECTED, "reweighted": POPULATION}
COVERAGE = (0.93, 0.97)
SIZE_MARKERS = {20: "o", 100: "s", 1000: "D"}


@styled
def figure(tables):
    """Errors by cell (a), their root mean square (b), coverage (c), errors by theta (d)."""
    errors, cells = tables["errors"], tables["cells"]
    drawing = Figure(figsize=(PAGE, 8.4))
    by_cell, rms, coverage, by_theta = drawing.subplots(4, 1)
    largest = errors["n_test"].max()
    draw_errors(by_cell, errors[errors["n_test"] == largest])
    by_cell.set_title(f"error against the classifier as trained without confounding, test size {largest:,}", fontsize=8)
    draw_rms(rms, cells)
    draw_coverage(coverage, cells)
    shown = errors["cell"].isin(["cy_cx_yx", "cy_cx_yx_negative"]) & (errors["n_test"] == largest)
    draw_errors_by_theta(by_theta, errors[shown])
    by_theta.set_title(f"{label('cy_cx_yx')}, test size {largest:,}", fontsize=8)
    letters(drawing.axes)
    shared_legend(drawing, [by_theta], ncols=3)
    return drawing


def draw_errors(ax, errors):
    """Error against the metric as trained without confounding in every cell: mean, and the middle 90 %."""
    for offset, (metric, colour) in zip((-0.22, 0, 0.22), METRICS.items(), strict=True):
        for place, cell in enumerate(GRID):
            error = errors.loc[errors["cell"] == cell, metric].dropna()
            ax.vlines(place + offset, *np.quantile(error, [0.05, 0.95]), color=colour, lw=1.8, alpha=0.6)
            ax.plot(place + offset, error.mean(), "o", ms=3, color=colour)
    _cells_below(ax)
    ax.axhline(0, color=INK, lw=0.6, ls=":")
    ax.set_ylabel("error of the AUC")


def draw_rms(ax, cells):
    """Root mean squared error of the corrected and of the reweighted metric by cell."""
    for size, filled in zip(SHOWN_SIZES, (False, True), strict=True):
        for metric in ("corrected", "reweighted"):
            rows = _of_grid(cells, metric)
            rows, colour = rows[rows["n_test"] == size], METRICS[metric]
            places = rows["cell"].map(GRID.index) + (0.12 if metric == "reweighted" else -0.12)
            face = colour if filled else "none"
            ax.plot(places, rows["rmse"], SIZE_MARKERS[size], ms=3, color=colour, mfc=face)
        ax.plot([], [], SIZE_MARKERS[size], ms=3, color=DARK, mfc=DARK if filled else "none", label=f"test size {size}")
    _cells_below(ax)
    ax.set(ylim=(0, 1.3 * ax.get_ylim()[1]), ylabel="root mean squared error")
    ax.legend(fontsize=7, loc="upper left", ncols=2)


def draw_coverage(ax, cells):
    """Coverage of the interval of the reweighted metric by cell and test size, with 95 % bars."""
    rows = _of_grid(cells, "reweighted")
    ax.axhspan(*COVERAGE, color=LIGHT, lw=0)
    ax.axhline(0.95, color=DARK, lw=0.6, ls="--")
    for shift, (size, marker) in zip((-0.22, 0, 0.22), SIZE_MARKERS.items(), strict=True):
        here = rows[rows["n_test"] == size]
        places = here["cell"].map(GRID.index) + shift
        style = {"ms": 3, "lw": 0, "elinewidth": 0.8, "mfc": "none" if size < max(SIZE_MARKERS) else POPULATION}
        error = 1.96 * here["coverage_mcse"]
        ax.errorbar(places, here["coverage"], error, fmt=marker, color=POPULATION, label=f"{size}", **style)
    _cells_below(ax)
    ax.set(ylim=(0.6, 1.01), ylabel="coverage, reweighted")
    ax.legend(fontsize=7, ncols=3, loc="lower right", title="test size", title_fontsize=7)


def draw_errors_by_theta(ax, errors):
    """Mean error and its middle 90 % against theta."""
    middles = (THETA_EDGES[1:] + THETA_EDGES[:-1]) / 2
    for sign in (1, -1):
        here = errors[np.sign(errors["theta"]) == sign]
        here = here.assign(group=np.clip(np.digitize(here["theta"].abs(), THETA_EDGES) - 1, 0, len(middles) - 1))
        for metric, colour in METRICS.items():
            by_group = here[metric].dropna().groupby(here["group"])
            present = sign * middles[list(by_group.groups)]
            ax.fill_between(present, by_group.quantile(0.05), by_group.quantile(0.95), color=colour, alpha=0.2, lw=0)
            name = f"{metric} AUC" if sign > 0 else None
            ax.plot(present, by_group.mean(), "o-", ms=2.5, lw=1.0, color=colour, label=name)
    ax.axhline(0, color=INK, lw=0.6, ls=":")
    ax.set(xlabel=r"$\theta$", ylabel="error of the AUC", xlim=(-1, 1))


def _of_grid(cells, estimator):
    names = {CELLS[name].scenario: name for name in GRID}
    return estimates(cells[cells["scenario"].isin(names)], estimator).assign(cell=lambda t: t["scenario"].map(names))


def _cells_below(ax):
    ax.set_xlim(-0.6, len(GRID) - 0.4)
    ax.set_xticks(range(len(GRID)), [label(cell).replace(", ", "\n") for cell in GRID], fontsize=7)
