"""Fig. 8: power and type I error of both tests over nominal levels; observed and corrected AUCs, by experiment."""

import numpy as np

from permconf.plotting.nulls import draw_histogram, shared_legend
from permconf.plotting.style import CORRECTED, DASHES, EXPERIMENTS, INK, OBSERVED, lettered, styled

_TITLES = {
    "1": "experiment 1: $H_1^*$, $H_1^c$",
    "2": "experiment 2: $H_1^*$, $H_0^c$",
    "3": "experiment 3: $H_0^*$, $H_1^c$",
    "4": "experiment 4: $H_0^*$, $H_0^c$",
}
SMALL = 0.1  # levels up to here have an inset
SIGNALS = {
    "1": "response + confounding",
    "2": "response",
    "3": "confounding",
    "4": "neither",
    "5a": "response",
    "5b": "neither",
}


@styled
def figure(tables):
    """Six panels from the curves and tests of the four experiments, given as "1/curves", "1/tests" and so on."""
    drawing, axes = lettered(4.6, 2, 3)
    rates, metrics = np.split(axes.ravel(), [2])
    for ax, test in zip(rates, ("response", "confounding"), strict=True):
        draw_rates(ax, {e: tables[f"{e}/curves"] for e in _TITLES}, test)
    for ax, (experiment, title) in zip(metrics, _TITLES.items(), strict=True):
        tests = tables[f"{experiment}/tests"]
        draw_metrics(ax, tests[tests["status"] == "ok"], title)
    highest = max(ax.get_ylim()[1] for ax in metrics)
    for ax in metrics:
        ax.set_ylim(0, highest)
    shared_legend(drawing, (rates[0], metrics[0]), ncols=6, columnspacing=1.2, handlelength=2.8)
    return drawing


def draw_rates(ax, curves, test):
    """Rejection rates of one test in every experiment, and those at small levels in an inset."""
    draw_curves(ax, curves, test)
    label_rates(ax)
    sign = "*" if test == "response" else "c"
    ax.set_title(f"{test} test: $H_0^{sign}$ vs $H_1^{sign}$", fontsize=8)
    inset = ax.inset_axes([0.6, 0.1, 0.38, 0.32])
    draw_curves(inset, curves, test)
    inset.set(xlim=(0, SMALL), ylim=(0, 1.5 * SMALL), xticks=[0, SMALL], yticks=[0, SMALL])
    inset.tick_params(pad=1)


def label_rates(ax):
    """Axes of rejection rates, with curves at 0 and 1 off the frame."""
    ax.set(xlim=(0, 1), ylim=(-0.02, 1.04), xlabel="nominal level", ylabel="rejection rate")


def draw_curves(ax, curves, test):
    """Rejection rates of one test in every experiment, with pointwise 95 % Monte Carlo bands."""
    ax.plot([0, 1], [0, 1], color="0.6", lw=0.6, zorder=1)
    for (experiment, table), colour, dashes in zip(curves.items(), EXPERIMENTS, DASHES, strict=False):
        label = f"{experiment} {SIGNALS[experiment]}"
        draw_band(ax, table[table["test"] == test], "alpha", color=colour, ls=dashes, label=label)


def draw_band(ax, rows, x, *, color, floor=0, **look):
    """Rates, not drawn below `floor`, against a column, and the band between `low` and `high`."""
    low, rate, high = (np.maximum(rows[name], floor) for name in ("low", "rate", "high"))
    ax.fill_between(rows[x], low, high, color=color, alpha=0.2, lw=0)
    ax.plot(rows[x], rate, color=color, **look)


def draw_metrics(ax, usable, title):
    """Distribution of observed and corrected AUCs over the data sets of one experiment; returns the bins."""
    low = np.floor(min(usable["observed"].min(), usable["corrected"].min()) * 20) / 20
    bins = np.arange(min(low, 0.3), 1.0001, 0.02)
    for column, colour, dashes in (("observed", OBSERVED, "-"), ("corrected", CORRECTED, "--")):  # in grey too
        draw_histogram(ax, usable[column], bins, colour, column, ls=dashes)
    ax.axvline(0.5, color=INK, lw=0.6, ls=":")
    ax.set(xlabel="AUC", ylabel=f"data sets (of {len(usable):,})", xlim=(bins[0], 1.02))
    ax.set_title(title, fontsize=8)
    return bins
