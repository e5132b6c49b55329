"""Experiment 5, in the style of Fig. 8: C and Y associated, C without effect on the features."""

import numpy as np

from permconf.plotting.nulls import draw_histogram, shared_legend
from permconf.plotting.style import CORRECTED, DASHES, EXPERIMENTS, INK, OBSERVED, POPULATION, lettered, styled

_EXPERIMENTS = {"5a": "response", "5b": "neither"}
_TESTS = {"response": "response test", "confounding": "confounding test", "combined": "combined test"}


@styled
def figure(tables):
    """Six panels from curves, tests and truths of both experiments, given as "5a/curves" and so on."""
    drawing, axes = lettered(4.6, 2, 3)
    rates, metrics = axes[0], axes[1]
    for ax, test in zip(rates, _TESTS, strict=True):
        draw_curves(ax, {e: tables[f"{e}/curves"] for e in _EXPERIMENTS}, test)
    for ax, experiment in zip(metrics, _EXPERIMENTS, strict=False):
        draw_metrics(ax, _judged(tables, experiment), experiment)
    draw_errors(metrics[2], _judged(tables, "5a"))
    shared_legend(drawing, (rates[0], metrics[0]), ncols=5, columnspacing=1.2, handlelength=2.8)
    return drawing


def draw_curves(ax, curves, test):
    """Rejection rates of one test in both experiments, with pointwise 95 % Monte Carlo bands."""
    ax.plot([0, 1], [0, 1], color="0.6", lw=0.6, zorder=1)
    for (experiment, table), colour, dashes in zip(curves.items(), EXPERIMENTS, DASHES, strict=False):
        rows = table[table["test"] == test]
        ax.fill_between(rows["alpha"], rows["low"], rows["high"], color=colour, alpha=0.2, lw=0)
        ax.plot(rows["alpha"], rows["rate"], color=colour, ls=dashes, label=f"{experiment} {_EXPERIMENTS[experiment]}")
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="nominal level", ylabel="rejection rate")
    ax.set_title(_TESTS[test], fontsize=8)


def _judged(tables, experiment):
    """The usable data sets of an experiment with the AUC of their classifier without confounding."""
    tests, truths = (tables[f"{experiment}/{name}"] for name in ("tests", "unconfounded"))
    return tests[tests["status"] == "ok"].merge(truths[["dataset", "as_trained"]], on="dataset")


def draw_errors(ax, usable):
    """Errors of the observed, corrected and reweighted AUC: medians, quartiles, 5 % and 95 % quantiles."""
    colours = {"observed": OBSERVED, "corrected": CORRECTED, "reweighted": POPULATION}
    errors = [(usable[name] - usable["as_trained"]).dropna() for name in colours]
    boxes = ax.boxplot(errors, whis=(5, 95), showfliers=False, patch_artist=True, medianprops={"color": INK})
    for box, colour in zip(boxes["boxes"], colours.values(), strict=True):
        box.set(facecolor=colour, edgecolor=INK, lw=0.6)
    ax.axhline(0, color=INK, lw=0.6, ls=":")
    ax.set_xticks(range(1, len(colours) + 1), list(colours))
    ax.set(ylabel="AUC less its truth")
    ax.set_title("errors in experiment 5a", fontsize=8)


def draw_metrics(ax, usable, experiment):
    """Observed and corrected AUCs, and the AUCs that the same classifiers have without confounding."""
    columns = {"observed": OBSERVED, "corrected": CORRECTED}
    low = np.floor(usable[[*columns]].min(axis=None) * 20) / 20
    bins = np.arange(min(low, 0.3), 1.0001, 0.02)
    for column, colour in columns.items():
        draw_histogram(ax, usable[column], bins, colour, column)
    ax.hist(usable["as_trained"], bins, histtype="step", color=POPULATION, lw=1.2, label="truth (as trained)")
    ax.axvline(0.5, color=INK, lw=0.6, ls=":")
    ax.set(xlabel="AUC", ylabel=f"data sets (of {len(usable):,})", xlim=(bins[0], 1.02))
    ax.set_title(f"experiment {experiment}", fontsize=8)
