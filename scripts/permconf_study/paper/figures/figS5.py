"""Fig. S5: accuracy of the observed, the corrected and the reweighted metric."""

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import CORRECTED, DARK, INK, LIGHT, OBSERVED, POPULATION, lettered, styled
from permconf_study.paper.tables.stress_cells import CELLS, GRID, estimates, label

METRICS = {"observed": OBSERVED, "corrected": CORRECTED, "reweighted": POPULATION}
SIZES = {20: "o", 100: "s", 1000: "D"}  # test sizes and their markers
SHIFTS = (-0.22, 0, 0.22)
COVERAGE = (0.93, 0.97)


@styled
def figure(tables):
    """Mean errors (a) and their root mean squares (b), coverage (c), by cell of the grid; needs "cells"."""
    drawing, axes = lettered(6.2, 3, 1, sharex=True)
    errors, squares, coverage = axes[:, 0]
    for shift, (metric, colour) in zip(SHIFTS, METRICS.items(), strict=True):
        rows = _of_grid(tables["cells"], metric)
        for size, marker in SIZES.items():
            here = rows[rows["n_test"] == size]
            at, look = here["cell"].map(GRID.index) + shift, {"ms": 3, "color": colour}
            look |= {"lw": 0, "marker": marker, "mfc": colour if size == max(SIZES) else "none"}
            squares.plot(at, here["rmse"], **look)
            if size == max(SIZES):
                errors.errorbar(at, here["bias"], here["empirical_se"], elinewidth=1.2, label=f"{metric} AUC", **look)
    draw_coverage(coverage, _of_grid(tables["cells"], "reweighted"))
    errors.axhline(0, color=INK, lw=0.6, ls=":")
    errors.set_ylabel(f"error, test size {max(SIZES):,}")
    squares.set(yscale="log", ylabel="root mean squared error")
    squares.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    squares.minorticks_off()
    shared_legend(drawing, [errors, coverage], ncols=6)
    return drawing


def draw_coverage(ax, rows):
    """Coverage of the interval of the reweighted metric by cell and test size, with 95 % bars."""
    ax.axhspan(*COVERAGE, color=LIGHT, lw=0)
    ax.axhline(0.95, color=DARK, lw=0.6, ls="--")
    for shift, (size, marker) in zip(SHIFTS, SIZES.items(), strict=True):
        here = rows[rows["n_test"] == size]
        look = {"ms": 3, "lw": 0, "elinewidth": 0.8, "color": POPULATION, "label": f"test size {size:,}"}
        look |= {"marker": marker, "mfc": POPULATION if size == max(SIZES) else "none"}
        ax.errorbar(here["cell"].map(GRID.index) + shift, here["coverage"], 1.96 * here["coverage_mcse"], **look)
    ax.set(ylim=(None, 1.02), ylabel="coverage, reweighted", xlim=(-0.6, len(GRID) - 0.4))
    ax.set_xticks(range(len(GRID)), [label(cell).replace(", ", "\n") for cell in GRID], fontsize=7)


def _of_grid(cells, estimator):
    names = {CELLS[name].scenario: name for name in GRID}
    return estimates(cells[cells["scenario"].isin(names)], estimator).assign(cell=lambda t: t["scenario"].map(names))
