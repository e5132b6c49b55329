"""The chart of a comparison of adjustments: confounding left, performance kept, and rows lost."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from permconf.auditing.comparison import COLUMNS
from permconf.auditing.phrases import ALPHA
from permconf.auditing.plots import name_rows, p_axis
from permconf.plotting.style import INK, LIGHT, OBSERVED, PAGE, POPULATION, STANDARD, styled

_LEAST = 1e-4  # smallest p-value of 9999 permutations
_METRICS = (("observed", OBSERVED, -0.16), ("reweighted", POPULATION, 0.16))
_COLUMNS = ("error", "adjustment", "rows", "dropped", *COLUMNS)


@styled
def plot_adjustments(table: pd.DataFrame) -> Figure:
    """A decision chart of the table of `compare_adjustments`, one row for each adjustment that could be used.

    Left, the p-value of the prediction test: do the predictions still carry the confounders? Middle, the metric as it
    is and reweighted to confounders that are independent of the response, with 95 % intervals. Right, the rows lost.

    >>> from permconf import compare_adjustments, example, plot_adjustments
    >>> options = {"response": "ill", "confounders": "site", "permutations": 19}
    >>> figure = plot_adjustments(compare_adjustments(example(), adjustments=["none", "matching"], **options))
    >>> [ax.get_xlabel() for ax in figure.axes]
    ['p-value, prediction test', 'metric, 95 % interval', 'rows lost (%)']
    """
    lacking = [name for name in _COLUMNS if name not in table] if isinstance(table, pd.DataFrame) else _COLUMNS
    if lacking:
        raise ValueError(f"table must be that of compare_adjustments, which has a column {lacking[0]!r}")
    made = table[table["error"] == ""]
    if made.empty:
        raise ValueError("no adjustment could be made, so there is nothing to draw; see column 'error' of the table")
    figure = Figure(figsize=(PAGE, 1.3 + 0.27 * len(made)))
    left, middle, right = figure.subplots(1, 3, sharey=True, width_ratios=(1.1, 1.5, 0.7))
    draw_confounding(left, made)
    draw_performance(middle, made)
    draw_rows_lost(right, made)
    names = [str(name).replace(" (", "\n(", 1) for name in made["adjustment"]]
    for ax in (left, middle, right):
        name_rows(ax, names, 0.5, fontsize=7)
        for row in range(0, len(made), 2):
            ax.axhspan(row - 0.5, row + 0.5, color=LIGHT, alpha=0.4, lw=0, zorder=0)
    figure.legend(*middle.get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return figure


def draw_confounding(ax, made):
    """p-values of the prediction test; filled below the nominal level."""
    p = np.maximum(made["prediction_p"].to_numpy(float), _LEAST)
    for row, value in enumerate(p):
        ax.plot(value, row, "o", color=STANDARD, mfc=STANDARD if value <= ALPHA else "white", ms=5)
    p_axis(ax, _LEAST, [1, 0.001])
    ax.set_title("confounding left")
    ax.set_xlabel("p-value, prediction test")


def draw_performance(ax, made):
    """The metric as observed and reweighted, with intervals."""
    for name, colour, offset in _METRICS:
        at = np.arange(len(made)) + offset
        ax.hlines(at, made[f"{name}_low"], made[f"{name}_high"], color=colour, lw=2)
        ax.plot(made[name], at, "o", color=colour, mec="white", mew=0.8, ms=5, label=name)
    ax.set_title("performance kept")
    ax.set_xlabel("metric, 95 % interval")


def draw_rows_lost(ax, made):
    """Share of the rows that an adjustment drops."""
    lost = 100 * made["dropped"] / (made["rows"] + made["dropped"])
    ax.barh(np.arange(len(made)), lost, height=0.5, color=INK)
    ax.set_xlim(0, max(10.0, 1.1 * lost.max()))
    ax.set_title("rows lost")
    ax.set_xlabel("rows lost (%)")
