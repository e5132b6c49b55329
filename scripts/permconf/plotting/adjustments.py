"""Adjustments for confounding compared: what each leaves of the metric, of the response and of the confounding."""

import numpy as np
from matplotlib.figure import Figure

from permconf.curves import binomial_band
from permconf.plotting.style import CORRECTED, INK, OBSERVED, PAGE, RESTRICTED, STANDARD, letter, styled

ADJUSTMENTS = ("none", "residuals", "matching", "weighting", "resampling")
_TITLES = {"1": "experiment 1: response + confounding", "3": "experiment 3: confounding only"}
_LEVEL = 0.05


@styled
def figure(tables):
    """For experiments 1 and 3, AUCs and rejection rates by adjustment, from tests given as "1/none/tests" and so on."""
    fig = Figure(figsize=(PAGE, 4.6))
    axes = fig.subplots(2, 2, sharey=True, width_ratios=(3, 2))
    for row, (experiment, title) in enumerate(_TITLES.items()):
        tests = {name: _usable(tables[f"{experiment}/{name}/tests"]) for name in ADJUSTMENTS}
        draw_metrics(axes[row, 0], tests)
        draw_rates(axes[row, 1], tests)
        axes[row, 0].set_title(title, fontsize=8)
        for ax, panel in zip(axes[row], "abcd"[2 * row :], strict=False):
            letter(ax, panel)
    handles = [handle for ax in axes[0] for handle in ax.get_legend_handles_labels()[0]]
    labels = [label for ax in axes[0] for label in ax.get_legend_handles_labels()[1]]
    fig.legend(handles, labels, loc="outside lower center", ncols=4)
    return fig


def _usable(tests):
    return tests[tests["status"] == "ok"]


def draw_metrics(ax, tests):
    """Median, quartiles and 5 to 95 % of the observed and corrected AUCs after each adjustment."""
    for offset, column, colour in ((-0.14, "observed", OBSERVED), (0.14, "corrected", CORRECTED)):
        low, first, middle, third, high = np.array(
            [t[column].quantile([0.05, 0.25, 0.5, 0.75, 0.95]) for t in tests.values()]
        ).T
        at = np.arange(len(tests)) + offset
        ax.hlines(at, low, high, color=colour, lw=1)
        ax.hlines(at, first, third, color=colour, lw=4)
        ax.plot(middle, at, "o", color=colour, markeredgecolor="white", ms=5, label=f"{column} AUC")
    ax.axvline(0.5, color=INK, lw=0.6, ls=":")
    ax.set_yticks(np.arange(len(tests)), [f"{name}\nn = {len(t):,}" for name, t in tests.items()])
    ax.set(ylim=(len(tests) - 0.5, -0.5), xlabel="AUC of n data sets: median, quartiles, 5 to 95 %")


def draw_rates(ax, tests):
    """Rejection rates at the 5 % level with 95 % Monte Carlo intervals."""
    for offset, test, colour in ((-0.14, "response", RESTRICTED), (0.14, "confounding", STANDARD)):
        counts = np.array([len(t) for t in tests.values()])
        rejected = np.array([int((t[f"{test}_p"] <= _LEVEL).sum()) for t in tests.values()])
        bands = [binomial_band(k, n) for k, n in zip(rejected, counts, strict=True)]
        rate, at = rejected / counts, np.arange(len(tests)) + offset
        ax.hlines(at, [float(b[0]) for b in bands], [float(b[1]) for b in bands], color=colour, lw=1.5)
        ax.plot(rate, at, "o", color=colour, markeredgecolor="white", ms=5, label=f"{test} test rejects")
    ax.axvline(_LEVEL, color=INK, lw=0.6, ls=":")
    ax.set(xlim=(-0.03, 1.03), xlabel=f"rejection rate at level {_LEVEL:g}")
