"""Fig. E1: adjustments for confounding, a decision chart."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from permconf.paper.tables.arena import SETTINGS
from permconf.plotting.style import INK, PAGE, POPULATION, STANDARD, letter, styled
from permconf.study.arena import load_methods

_BAD = LinearSegmentedColormap.from_list("bad", ["#FFFFFF", STANDARD])
_GOOD = LinearSegmentedColormap.from_list("good", ["#FFFFFF", POPULATION])
PANELS = {  # column of the summary: title, colours, range of the colours
    "rate": ("confounding left: the prediction test rejects (%; rows lost)", _BAD, (0.05, 1.0)),
    "kept": ("performance kept without confounding (% of oracle; reweighted)", _GOOD, (0.5, 1.0)),
    "kept_reversed": ("performance kept where C and Y are associated the other way (% of oracle)", _GOOD, (0.5, 1.0)),
}
BESIDE = {"rate": "lost", "kept": "kept_reweighted", "kept_reversed": "lost"}  # in parentheses, if it is not 0


@styled
def figure(tables):
    """A block of cells for each quantity and learner, from the table "summary"."""
    summary, contestants = tables["summary"], load_methods()
    methods = {name: m["label"] for name, m in contestants["methods"].items() if not m.get("numeric")}
    learners = {name: [m for m in methods if _entered(summary, name, m)] for name in contestants["learners"]}
    heights = [len(rows) for _ in PANELS for rows in learners.values()]
    fig = Figure(figsize=(PAGE, 2.0 + 0.155 * sum(heights)))
    axes = fig.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    places = [(column, learner) for column in PANELS for learner in learners]
    for ax, (column, learner) in zip(axes, places, strict=True):
        names = learners[learner]
        draw_cells(ax, summary[summary["learner"] == learner], column, {name: methods[name] for name in names})
        ax.set_ylabel(learner)
        if learner == next(iter(learners)):
            letter(ax, "abc"[list(PANELS).index(column)])
            ax.set_title(PANELS[column][0])
    settings = [name for name in SETTINGS if name in set(summary["setting"])]
    axes[-1].set_xticks(range(len(settings)), [SETTINGS[name] for name in settings], rotation=35, ha="right")
    return fig


def _entered(summary, learner, method):
    return ((summary["learner"] == learner) & (summary["method"] == method)).any()


def draw_cells(ax, summary, column, methods):
    """One coloured cell with a number for each method and setting, and another quantity beside it."""
    _, colours, (low, high) = PANELS[column]
    settings = [name for name in SETTINGS if name in set(summary["setting"])]
    values = summary.pivot(index="method", columns="setting", values=column).loc[list(methods), settings]
    beside = summary.pivot(index="method", columns="setting", values=BESIDE[column]).loc[list(methods), settings]
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto")
    for row, column_number in np.ndindex(values.shape):
        value = values.iat[row, column_number]
        text = "-" if np.isnan(value) else f"{100 * value:.0f}"
        if beside.iat[row, column_number] > 0.005:
            text += f" ({100 * beside.iat[row, column_number]:.0f})"
        strong = (value - low) / (high - low) > 0.75
        ax.text(column_number, row, text, ha="center", va="center", fontsize=6, color="white" if strong else INK)
    ax.set_yticks(range(len(methods)), methods.values())
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
