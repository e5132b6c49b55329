"""Fig. S4: power of the tests for confounding."""

import numpy as np

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import DARK, lettered, styled
from permconf_study.paper.figures.fig08 import draw_band
from permconf_study.paper.figures.figS3 import STYLES
from permconf_study.paper.tables.stress_cells import NAMES, label

PANELS = [(cell, size) for cell in ("cy_cx", "cy_cx_yx") for size in (100, 1000)]


@styled
def figure(tables):
    """Two cells and two test sizes; needs "power"."""
    power = tables["power"]
    drawing, axes = lettered(4.4, 2, 2, sharex=True, sharey=True)
    for ax, (cell, size) in zip(axes.flat, PANELS, strict=True):
        draw_power(ax, power[power["cell"].isin([cell, f"{cell}_negative"]) & (power["n_test"] == size)])
        ax.set_title(f"{label(cell)}, test size {size:,}", fontsize=8)
    for ax in axes[:, 0]:
        ax.set_ylabel(r"power at $\alpha = 0.05$")
    for ax in axes[-1]:
        ax.set_xlabel(r"$\theta$")
    shared_legend(drawing, axes[0, :1], ncols=3)
    return drawing


def draw_power(ax, power):
    """Power against theta with 95 % bands; tests whose type I error exceeds alpha are size-adjusted."""
    for test, name in NAMES.items():
        for sign in (1, -1):
            rows = power[(power["test"] == test) & (np.sign(power["theta"]) == sign)].sort_values("theta")
            text = name + ", size-adjusted" * bool(rows["adjusted"].any())
            draw_band(ax, rows, "theta", ms=2.5, lw=1.0, label=text if sign > 0 else None, **STYLES[test])
    ax.axhline(0.05, color=DARK, lw=0.6, ls="--")
    ax.set(xlim=(-1.08, 1.08), ylim=(-0.02, 1.02), xticks=[-1, -0.5, 0, 0.5, 1])
