"""Fig. E1: adjustments for confounding, a decision chart."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from permconf.plotting.style import INK, PAGE, styled
from permconf_study.paper.tables.arena import CLEAR, LEARNERS, METHODS, NUMERIC, SETTINGS, arena_summary

WHITE, ORANGE, BLUE = "#FFFFFF", "#F6B450", "#86AEE8"  # light: numbers stand on them, on dark pages too
_BAD = LinearSegmentedColormap.from_list("bad", [WHITE, ORANGE])
_GOOD = LinearSegmentedColormap.from_list("good", [ORANGE, WHITE, BLUE])
QUANTITIES = {  # column of the summary: title, colours, range of the colours
    "rate": ("confounding left: % of data sets in which the prediction test rejects", _BAD, (0.05, 1.0)),
    "kept": ("performance kept where C and Y are independent: % of oracle (as reweighted)", _GOOD, (0.0, 1.0)),
    "kept_reversed": ("performance kept where C and Y are associated the other way: % of oracle", _GOOD, (0.0, 1.0)),
    "lost": ("training rows lost: % (both learners)", _BAD, (0.0, 1.0)),
}
BESIDE = {"kept": "kept_reweighted"}  # in parentheses
FRAMED = "kept"  # the best methods of a setting are framed
LOSING = ("matching",)  # methods that drop rows
LABELS = [text.replace(" ", "\n").replace("-", "-\n") if len(text) > 8 else text for text in SETTINGS.values()]


@styled
def figure(tables, *, quantity):
    """A block of cells for each learner, from the table "cells"; below the last one, rows that matching loses."""
    summary = arena_summary(tables["cells"])
    blocks = [(quantity, learner, tuple(METHODS)) for learner in LEARNERS]
    blocks += [("lost", "logistic", LOSING)] if quantity == "kept_reversed" else []
    drawn = []
    for column, learner, shown in blocks:
        here = summary[(summary["learner"] == learner) & summary["method"].isin(shown)]
        drawn.append((column, learner, here, {name: METHODS[name] for name in METHODS if name in set(here["method"])}))
    heights = [len(methods) for *_, methods in drawn]
    line = 0.3 if quantity in BESIDE else 0.18
    fig = Figure(figsize=(PAGE, 1.0 + 0.35 * len(drawn) + line * sum(heights)))
    axes = fig.subplots(len(drawn), 1, height_ratios=heights)
    for ax, (column, learner, here, methods) in zip(axes, drawn, strict=True):
        draw_cells(ax, here, column, methods)
        title, *_ = QUANTITIES[column]
        ax.set_title(f"{title}{_error(summary, column)}" if learner == "logistic" else "")
        ax.set_ylabel(learner if column != "lost" else "")
        ax.set_xticks(*((range(len(LABELS)), LABELS) if ax is axes[-1] else ((), ())), fontsize=7)
    fig.align_ylabels(axes)
    return fig


def _error(summary, column):
    largest = 100 * summary[f"{column}_mcse"].max()
    return "" if np.isnan(largest) else f"; Monte Carlo errors up to {largest:.1f}"


def draw_cells(ax, summary, column, methods):
    """One coloured cell with a number for each method and setting, and another quantity beside it."""
    _, colours, (low, high) = QUANTITIES[column]
    settings = list(SETTINGS)
    by_cell = summary.pivot(index="method", columns="setting").loc[list(methods)]
    values = by_cell[column][settings]
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto")
    for row, column_number in np.ndindex(values.shape):
        value = values.iat[row, column_number]
        text = "-" if np.isnan(value) else f"{round(100 * value)}"
        if column in BESIDE:
            text += f"\n({round(100 * by_cell[BESIDE[column]][settings].iat[row, column_number])})"
        ax.text(column_number, row, text, ha="center", va="center", fontsize=7, color=INK)
    if column == FRAMED:
        for row, at in np.argwhere(best(values.to_numpy(), by_cell[f"{column}_mcse"][settings].to_numpy())):
            ax.add_patch(Rectangle((at - 0.44, row - 0.43), 0.88, 0.86, fill=False, ec=INK, lw=1.1))
    ax.set_yticks(range(len(methods)), methods.values())
    ax.axvline(sum(name not in NUMERIC for name in settings) - 0.5, color="white", lw=3)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def best(values, errors):
    """Whether each value is the largest of its column, or not clearly less; `errors` are standard errors."""
    top = values.argmax(axis=0), np.arange(values.shape[1])
    return values[top] - values <= CLEAR * np.hypot(errors, errors[top])
