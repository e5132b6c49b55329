"""Fig. E1: adjustments for confounding, a decision chart."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from permconf.plotting.style import INK, PAGE, POPULATION, STANDARD, letters, styled
from permconf_study.paper.tables.arena import CLEAR, NUMERIC, SETTINGS
from permconf_study.study.arena import load_methods

_BAD = LinearSegmentedColormap.from_list("bad", ["#FFFFFF", STANDARD])
_GOOD = LinearSegmentedColormap.from_list("good", [STANDARD, "#FFFFFF", POPULATION])
PANELS = {  # column of the summary: title, colours, range of the colours
    "rate": ("confounding left: % of data sets in which the prediction test rejects", _BAD, (0.05, 1.0)),
    "kept": ("performance kept where C and Y are independent: % of oracle (as reweighted)", _GOOD, (0.0, 1.0)),
    "kept_reversed": ("performance kept where C and Y are associated the other way: % of oracle", _GOOD, (0.0, 1.0)),
    "lost": ("training rows lost: % (both learners)", _BAD, (0.0, 1.0)),
}
BESIDE = {"kept": "kept_reweighted"}  # in parentheses
FRAMED = "kept"  # the best methods of a setting are framed
LOSING = ("matching",)  # the methods that drop rows
LABELS = [text.replace(" ", "\n").replace("-", "-\n") if len(text) > 8 else text for text in SETTINGS.values()]


@styled
def figure(tables):
    """A block of cells for each quantity and learner, from the table "summary"."""
    summary, contestants = tables["summary"], load_methods()
    labels = {name: m["label"] for name, m in contestants["methods"].items() if not m.get("numeric")}
    blocks = []
    for column in PANELS:
        for learner in contestants["learners"] if column != "lost" else ["logistic"]:
            here = summary[(summary["learner"] == learner) & summary["method"].isin(labels)]
            shown = LOSING if column == "lost" else set(here["method"])
            blocks.append((column, learner, here, {name: label for name, label in labels.items() if name in shown}))
    heights = [len(methods) for *_, methods in blocks]
    fig = Figure(figsize=(PAGE, 2.8 + 0.16 * sum(heights)))
    axes = fig.subplots(len(blocks), 1, height_ratios=heights)
    for ax, (column, learner, here, methods) in zip(axes, blocks, strict=True):
        draw_cells(ax, here, column, methods)
        if learner == "logistic":
            ax.set_title(f"{PANELS[column][0]}{_error(summary, column)}", fontsize=7.5)
        ax.set_ylabel(learner if column != "lost" else "")
        is_last = column == "lost" or learner == blocks[-2][1]
        ax.set_xticks(*((range(len(LABELS)), LABELS) if is_last else ((), ())), fontsize=6.5)
    letters(ax for ax, (_, learner, *_) in zip(axes, blocks, strict=True) if learner == "logistic")
    return fig


def _error(summary, column):
    error = f"{column}_mcse"
    return f"; Monte Carlo errors up to {100 * summary[error].max():.1f}" if error in summary else ""


def draw_cells(ax, summary, column, methods):
    """One coloured cell with a number for each method and setting, and another quantity beside it."""
    _, colours, (low, high) = PANELS[column]
    settings = list(SETTINGS)
    by_cell = summary.pivot(index="method", columns="setting").loc[list(methods)]
    values = by_cell[column][settings]
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto")
    for row, column_number in np.ndindex(values.shape):
        value = values.iat[row, column_number]
        text = "-" if np.isnan(value) else f"{round(100 * value)}"
        if column in BESIDE:
            text += f" ({round(100 * by_cell[BESIDE[column]][settings].iat[row, column_number])})"
        shade = (value - low) / (high - low)
        is_red = shade < 0.1 if colours is _GOOD else shade > 0.75
        ax.text(column_number, row, text, ha="center", va="center", fontsize=6.5, color="white" if is_red else INK)
    if column == FRAMED:
        for row, at in np.argwhere(best(values.to_numpy(), by_cell[f"{column}_mcse"][settings].to_numpy())):
            ax.add_patch(Rectangle((at - 0.46, row - 0.43), 0.92, 0.86, fill=False, ec=INK, lw=1.1))
    ax.set_yticks(range(len(methods)), methods.values())
    ax.axvline(sum(name not in NUMERIC for name in settings) - 0.5, color="white", lw=3)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def best(values, errors):
    """Whether each value is the largest of its column, or not clearly less; `errors` are standard errors."""
    top = values.argmax(axis=0), np.arange(values.shape[1])
    return values[top] - values <= CLEAR * np.hypot(errors, errors[top])
