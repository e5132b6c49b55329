"""Experiment 5, in the style of Fig. 8: C and Y associated, C without effect on the features."""

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import INK, POPULATION, lettered, styled
from permconf_study.paper.figures.fig08 import draw_curves, draw_metrics, label_rates
from permconf_study.paper.figures.scenario import VALUES, draw_boxes

EXPERIMENTS = ("5a", "5b")
TESTS = ("response", "confounding", "combined")


@styled
def figure(tables):
    """Six panels from curves, tests and truths of both experiments, given as "5a/curves" and so on."""
    drawing, (rates, metrics) = lettered(4.6, 2, 3)
    for ax, test in zip(rates, TESTS, strict=True):
        draw_curves(ax, {e: tables[f"{e}/curves"] for e in EXPERIMENTS}, test)
        label_rates(ax)
        ax.set_title(f"{test} test", fontsize=8)
    for ax, experiment in zip(metrics, EXPERIMENTS, strict=False):
        usable = _judged(tables, experiment)
        bins = draw_metrics(ax, usable, f"experiment {experiment}")
        ax.hist(usable["as_trained"], bins, histtype="step", color=POPULATION, lw=1.2, label="truth (as trained)")
    draw_errors(metrics[2], _judged(tables, "5a"))
    shared_legend(drawing, (rates[0], metrics[0]), ncols=5, columnspacing=1.2, handlelength=2.8)
    return drawing


def _judged(tables, experiment):
    """The usable data sets of an experiment with the AUC of their classifier without confounding."""
    tests, truths = (tables[f"{experiment}/{name}"] for name in ("tests", "unconfounded"))
    return tests[tests["status"] == "ok"].merge(truths[["dataset", "as_trained"]], on="dataset")


def draw_errors(ax, usable):
    """Errors of the observed, corrected and reweighted AUC: medians, quartiles, 5 % and 95 % quantiles."""
    draw_boxes(
        ax,
        {name: (usable[name] - usable["as_trained"]).dropna() for name in VALUES},
        lambda m: f"\n{m:+.3f}".replace("-", "\u2212"),
    )
    ax.axvline(0, color=INK, lw=0.6, ls=":")
    ax.set(xlabel="AUC less its truth")
    ax.set_title("errors in experiment 5a", fontsize=8)
