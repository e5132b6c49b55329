"""Comparison of analyses of the same data: metrics, and rejection rates of the response and confounding tests."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import CORRECTED, INK, OBSERVED, PAGE, RESTRICTED, STANDARD, letter
from permconf.study.rejection_rates import binomial_band

ALPHA = 0.05


def compared(tables, titles):
    """AUCs and rejection rates by analysis: a row of panels for each group of data.

    `tables` are tables of tests, named "group/analysis/tests"; `titles` are those of the groups.
    """
    groups = {group: _by_analysis(tables, group) for group in titles}
    rows = [len(tests) for tests in groups.values()]
    fig = Figure(figsize=(PAGE, 1.2 + 0.34 * sum(rows)))
    axes = fig.subplots(len(groups), 2, sharey="row", width_ratios=(3, 2), height_ratios=rows, squeeze=False)
    for row, (group, tests) in enumerate(groups.items()):
        draw_metrics(axes[row, 0], tests)
        draw_rates(axes[row, 1], tests)
        axes[row, 0].set_title(titles[group], fontsize=8)
        for ax, panel in zip(axes[row], "abcdef"[2 * row :], strict=False):
            letter(ax, panel)
    shared_legend(fig, axes[0], ncols=4)
    return fig


def _by_analysis(tables, group):
    """The successful tests by analysis, in the order given."""
    named = {name.split("/")[1]: tests for name, tests in tables.items() if name.split("/")[0] == group}
    return {name: tests[tests["status"] == "ok"] for name, tests in named.items()}


def draw_metrics(ax, tests):
    """Median, quartiles and 5 to 95 % range of the observed and corrected AUCs of each analysis."""
    for offset, column, colour in ((-0.14, "observed", OBSERVED), (0.14, "corrected", CORRECTED)):
        quantiles = [t[column].quantile([0.05, 0.25, 0.5, 0.75, 0.95]) for t in tests.values()]
        low, first, middle, third, high = np.array(quantiles).T
        at = np.arange(len(tests)) + offset
        ax.hlines(at, low, high, color=colour, lw=1)
        ax.hlines(at, first, third, color=colour, lw=4)
        ax.plot(middle, at, "o", color=colour, markeredgecolor="white", ms=5, label=f"{column} AUC")
    ax.axvline(0.5, color=INK, lw=0.6, ls=":")
    ax.set_yticks(np.arange(len(tests)), [f"{name}\nn = {len(t):,}" for name, t in tests.items()])
    ax.set(ylim=(len(tests) - 0.5, -0.5), xlabel="AUC of n data sets: median, quartiles, 5 to 95 %")


def draw_rates(ax, tests):
    """Rejection rates at ALPHA with 95 % Monte Carlo intervals."""
    for offset, test, colour in ((-0.14, "response", RESTRICTED), (0.14, "confounding", STANDARD)):
        counts = np.array([len(t) for t in tests.values()])
        rejected = np.array([int((t[f"{test}_p"] <= ALPHA).sum()) for t in tests.values()])
        bands = [binomial_band(k, n) for k, n in zip(rejected, counts, strict=True)]
        rate, at = rejected / counts, np.arange(len(tests)) + offset
        ax.hlines(at, [float(b[0]) for b in bands], [float(b[1]) for b in bands], color=colour, lw=1.5)
        ax.plot(rate, at, "o", color=colour, markeredgecolor="white", ms=5, label=f"{test} test rejects")
    ax.axvline(ALPHA, color=INK, lw=0.6, ls=":")
    ax.set(xlim=(-0.03, 1.03), xlabel=rf"rejection rate at $\alpha = {ALPHA:g}$")
