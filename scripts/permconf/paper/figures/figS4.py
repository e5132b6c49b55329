"""Fig. S4: power of the tests for confounding against theta, and the error of the observed and corrected metric."""

import itertools

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import CORRECTED, DARK, INK, OBSERVED, PAGE, letter, styled
from permconf.paper.figures.tests import LABELS, STYLES
from permconf.paper.tables.stress import CELLS, CONFOUNDED_CELLS, TESTS, THETA_EDGES, label

SHOWN_SIZES = (100, 1000)
METRICS = {"observed": OBSERVED, "corrected": CORRECTED}


@styled
def figure(tables):
    """Power (a-d), power by inner draws (e), errors by cell (f) and by theta (g, h); needs three tables."""
    power, inner, corrections = (tables[name] for name in ("power", "inner", "corrections"))
    drawing = Figure(figsize=(PAGE, 6.6))
    rows = drawing.add_gridspec(3, 1)
    panels = [(cell, size) for cell in CONFOUNDED_CELLS for size in SHOWN_SIZES]
    axes = rows[0].subgridspec(1, len(panels)).subplots(sharey=True, squeeze=False)[0]
    for ax, name, (cell, size) in zip(axes, "abcd", panels, strict=True):
        draw_power(ax, power[(power["cell"] == cell) & (power["n_test"] == size)])
        ax.set_title(f"{label(cell)}\ntest size {size}", fontsize=7)
        letter(ax, name)
    axes[0].set_ylabel(r"power at $\alpha = 0.05$")
    lower = [ax for row in (1, 2) for ax in rows[row].subgridspec(1, 2).subplots(squeeze=False)[0]]
    draw_inner(lower[0], inner)
    largest = corrections["n_test"].max()
    draw_errors(lower[1], corrections[corrections["n_test"] == largest])
    lower[1].set_title(f"error by cell, test size {largest}", fontsize=8)
    for ax, cell in zip(lower[2:], CONFOUNDED_CELLS, strict=True):
        draw_errors_by_theta(ax, corrections[(corrections["cell"] == cell) & (corrections["n_test"] == largest)])
        ax.set_title(f"{label(cell)}, test size {largest}", fontsize=8)
    for ax, name in zip(lower, "efgh", strict=True):
        letter(ax, name)
    shared_legend(drawing, (axes[0], lower[2]), ncols=3)
    return drawing


def draw_power(ax, power):
    """Power against theta with 95 % bands; tests whose type I error exceeds alpha are size-adjusted."""
    for test in TESTS:
        rows = power[power["test"] == test].sort_values("theta")
        ax.fill_between(rows["theta"], rows["low"], rows["high"], color=STYLES[test]["color"], alpha=0.15, lw=0)
        name = LABELS[test] + (", size-adjusted" if rows["adjusted"].any() else "")
        ax.plot(rows["theta"], rows["rate"], ms=2.5, lw=1.0, label=name, **STYLES[test])
    ax.axhline(0.05, color=DARK, lw=0.6, ls="--")
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel=r"$\theta$")


def draw_inner(ax, inner):
    """Power of the conditional test against the number of inner draws, one line per test size."""
    ends = inner.sort_values("inner").groupby("n_test")["rate"].last()
    heights = dict(zip(ends.index, _spread(ends.to_numpy()), strict=True))
    style = STYLES["conditional"]
    for size, rows in inner.groupby("n_test"):
        ax.fill_between(rows["inner"], rows["low"], rows["high"], color=style["color"], alpha=0.15, lw=0)
        ax.plot(rows["inner"], rows["rate"], ms=2.5, lw=1.0, **style)
        ax.text(rows["inner"].iloc[-1] * 1.15, heights[size], f"test size {size}", fontsize=7, va="center")
    draws = sorted(inner["inner"].unique())
    ax.set(xscale="log", ylim=(0, 1.02), xlim=(0.8, draws[-1] * 4))
    ax.set(xlabel="inner draws", ylabel=r"power at $\alpha = 0.05$")
    ax.set_xticks(draws, [f"{d:g}" for d in draws])
    ax.minorticks_off()
    ax.set_title("conditional test", fontsize=8)


def _spread(heights, gap=0.07):
    """Heights of labels, raised if they would overlap."""
    spread = np.array(heights, float)
    for lower, upper in itertools.pairwise(np.argsort(spread)):
        spread[upper] = max(spread[upper], spread[lower] + gap)
    return spread


def draw_errors(ax, corrections):
    """Error against the metric without confounding in every cell: mean, and the middle 90 % of the data sets."""
    for offset, (metric, colour) in zip((-0.15, 0.15), METRICS.items(), strict=True):
        for place, cell in enumerate(CELLS):
            error = _error(corrections[corrections["cell"] == cell], metric)
            ax.vlines(place + offset, *np.quantile(error, [0.05, 0.95]), color=colour, lw=1.5, alpha=0.6)
            ax.plot(place + offset, error.mean(), "o", ms=3, color=colour)
    ax.axhline(0, color=INK, lw=0.6, ls=":")
    ax.set_xticks(range(len(CELLS)), [label(cell).replace(", ", "\n") for cell in CELLS], fontsize=6)
    ax.set_ylabel("AUC less unconfounded AUC")


def draw_errors_by_theta(ax, corrections):
    """Mean error and its middle 90 % against theta."""
    middles = (THETA_EDGES[1:] + THETA_EDGES[:-1]) / 2
    group = np.clip(np.digitize(corrections["theta"], THETA_EDGES) - 1, 0, len(middles) - 1)
    for metric, colour in METRICS.items():
        errors = _error(corrections, metric).groupby(group)
        present = middles[list(errors.groups)]
        ax.fill_between(present, errors.quantile(0.05), errors.quantile(0.95), color=colour, alpha=0.2, lw=0)
        ax.plot(present, errors.mean(), "o-", ms=2.5, lw=1.0, color=colour, label=f"{metric} AUC")
    ax.axhline(0, color=INK, lw=0.6, ls=":")
    ax.set(xlabel=r"$\theta$", ylabel="AUC less unconfounded AUC")


def _error(corrections, metric):
    return corrections[metric] - corrections["unconfounded"]
