"""Fig. S3: type I error of the tests for confounding, in the cells of the stress grid without confounding."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting.style import DARK, LIGHT, PAGE, letter, styled
from permconf.paper.figures.tests import LABELS, STYLES
from permconf.paper.tables.stress import ALPHAS, NULL_CELLS, TESTS, label

FLOOR = 5e-4  # a rate of zero is drawn here


@styled
def figure(tables):
    """Rows: nominal levels; columns: cells; needs "type1_error"."""
    rates = tables["type1_error"]
    drawing = Figure(figsize=(PAGE, 5.2))
    axes = drawing.subplots(len(ALPHAS), len(NULL_CELLS), sharex=True, sharey=True)
    for row, alpha in enumerate(ALPHAS):
        for column, cell in enumerate(NULL_CELLS):
            ax = axes[row, column]
            draw_rates(ax, rates[(rates["cell"] == cell) & (rates["alpha"] == alpha)], alpha)
            if row == 0:
                ax.set_title(label(cell), fontsize=8)
                letter(ax, "abcdef"[column])
            if row + 1 == len(ALPHAS):
                ax.set_xlabel("test size")
        axes[row, 0].set_ylabel(f"rejection rate at {alpha:.2f}")
    drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(TESTS))
    return drawing


def draw_rates(ax, rates, alpha):
    """Rates of every test against the test size with 95 % bands; grey: within 3 standard errors of nominal."""
    error = 3 * np.sqrt(alpha * (1 - alpha) / rates["n_datasets"].min())
    ax.axhspan(max(alpha - error, FLOOR), alpha + error, color=LIGHT, lw=0)
    ax.axhline(alpha, color=DARK, lw=0.6, ls="--")
    for test in TESTS:
        rows = rates[rates["test"] == test].sort_values("n_test")
        low, rate, high = (np.maximum(rows[name], FLOOR) for name in ("low", "rate", "high"))
        ax.fill_between(rows["n_test"], low, high, color=STYLES[test]["color"], alpha=0.2, lw=0)
        ax.plot(rows["n_test"], rate, ms=2.5, lw=1.0, label=LABELS[test], **STYLES[test])
    sizes = sorted(rates["n_test"].unique())
    ax.set(xscale="log", yscale="log", ylim=(FLOOR, 1.2))
    ax.set_xticks(sizes, [f"{size:g}" for size in sizes], rotation=90)
    ax.set_yticks([0.001, 0.01, 0.1, 1], ["0.001", "0.01", "0.1", "1"])
    ax.minorticks_off()
