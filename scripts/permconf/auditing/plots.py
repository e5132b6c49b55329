"""Figures of an audit: the metric with its nulls and intervals, and the p-values of the confounders."""

import math
import textwrap
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from permconf.auditing.phrases import ALPHA, metric_name, p_value, shortened
from permconf.plotting.nulls import draw_null, hide_density_axis, null_bins
from permconf.plotting.style import CORRECTED, DARK, INK, LIGHT, OBSERVED, PAGE, POPULATION, styled, tolerant

COLUMN = 3.4
MOST_ROWS = 12  # confounders that are drawn
NULLS = {"restricted": "null: only confounders predict", "standard": "null: nothing predicts"}
LINKS = {  # marker, face, offset and label of each p-value
    "association_p": ("s", "white", -0.12, "associated with the response"),
    "read_p": ("o", INK, 0.12, "read, given response and others"),
}


@styled
def plot(audit) -> Figure:
    """The metric on the left, the confounders on the right."""
    figure = Figure(figsize=(PAGE, _height(audit)))
    panels: Any = figure.subfigures(1, 2, width_ratios=(1.1, 1))
    _draw_metric(panels[0], audit)
    _draw_confounders(panels[1], audit)
    return figure


@styled
def _column(audit, draw):
    figure = Figure(figsize=(COLUMN, _height(audit)))
    draw(figure, audit)
    return figure


def metric_figure(audit) -> Figure:
    """The metric, with its nulls and intervals."""
    return _column(audit, _draw_metric)


def confounder_figure(audit) -> Figure:
    """The p-values of the confounders."""
    return _column(audit, _draw_confounders)


def _height(audit):
    return 2.9 + 0.16 * max(0, min(len(audit.confounders), MOST_ROWS) - 5)


# ---- the metric ------------------------------------------------------------------------------------------------------


def _draw_metric(figure, audit):
    answer = audit.headline
    draws = {name: v for name in NULLS if (v := _finite(getattr(answer, name))).size}
    if not draws:
        values = figure.subplots()
    else:
        values, nulls = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.3))
        edges = null_bins(*draws.values())
        for name, sample in draws.items():
            draw_null(nulls, sample, name, edges)
        nulls.axvline(answer.observed, color=OBSERVED, lw=1.2)
        _name_nulls(nulls, draws)
        hide_density_axis(nulls)
        values.tick_params(labelbottom=False, bottom=False)
        values.spines["bottom"].set_visible(False)
    draw_values(values, answer)
    lowest = nulls if draws else values
    tolerant(lowest.set_xlabel(metric_name(answer.name)))
    lowest.xaxis.set_major_locator(MaxNLocator(6))


def _finite(sample):
    sample = np.array([]) if sample is None else np.asarray(sample, float)
    return sample[np.isfinite(sample)]


def _name_nulls(ax, draws):
    handles, _ = ax.get_legend_handles_labels()
    ax.set_ylim(0, ax.get_ylim()[1] * 1.4)
    ax.legend(handles, [NULLS[name] for name in draws], loc="upper left", borderaxespad=0)


def draw_values(ax, answer):
    """The metric as observed, for other people and corrected, one below the other, with intervals."""
    rows = [
        ("observed", answer.observed, answer.observed_interval, OBSERVED),
        *((target, found.value, (found.low, found.high), POPULATION) for target, found in answer.given().items()),
        ("corrected (paper)", answer.corrected, (math.nan, math.nan), CORRECTED),
    ]
    _draw_intervals(ax, rows)
    ax.set_title("value, 95 % interval", loc="left")


def _draw_intervals(ax, rows):
    """Rows of a name, a value, an interval and a colour, one below the other; those without a value are left out."""
    rows = [row for row in rows if math.isfinite(row[1])]
    for y, (_, value, interval, colour) in enumerate(rows):
        if all(map(math.isfinite, interval)):
            ax.plot(interval, (y, y), color=colour, lw=2.4, solid_capstyle="butt")
        ax.plot(value, y, "o", color=colour, ms=6, mec="white", mew=0.8)
    name_rows(ax, [row[0] for row in rows], 0.6)
    ax.grid(axis="x", color=LIGHT, lw=0.6)


def name_rows(ax, names, room, **look):
    """Names of rows, the first at the top, on an axis without a line; `room` is left above the first."""
    ax.set_yticks(range(len(names)), names, **look)
    for label in ax.get_yticklabels():
        tolerant(label)
    ax.set_ylim(len(names) - 1 + room, -room)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def p_axis(ax, least, ticks):
    """An axis of p-values down to the `least` one, on which evidence increases to the right, with a line at .05."""
    ax.axvline(ALPHA, color=DARK, lw=0.8, ls=(0, (4, 3)), zorder=1)
    ax.set_xscale("log")
    ax.set_xlim(1.5, least * 0.6)
    ax.set_xticks([ALPHA, *ticks], [".05", *("1" if p == 1 else f"{p:f}".strip("0") for p in ticks)])
    ax.minorticks_off()


# ---- the confounders -------------------------------------------------------------------------------------------------


def _draw_confounders(figure, audit):
    ax = figure.subplots()
    table = audit.by_confounder.sort_values("read_p", kind="stable").head(MOST_ROWS)
    least = 1 / (audit.test_permutations + 1)
    for column, (marker, face, offset, label) in LINKS.items():
        p = np.maximum(table[column].to_numpy(float), least / 2)
        y = np.arange(len(table)) + offset
        ax.plot(p, y, marker, color=INK, mfc=face, mew=0.9, ms=4, label=label)
    for row in range(len(table)):
        ax.axhspan(row - 0.36, row + 0.36, color=LIGHT, alpha=0.5, lw=0, zorder=0)
    p_axis(ax, least, [t for t in (1, 0.1, 0.01, 0.001, 0.0001, 0.00001) if t >= least * 0.9])
    names = [textwrap.fill(name, 16) for name in shortened(table["confounder"], 32)]
    name_rows(ax, names, max(0.5, 1.5 - len(table) / 2))
    ax.set_xlabel("p-value (evidence increases to the right)")
    figure.legend(loc="outside upper left", ncols=1)


# ---- levels ----------------------------------------------------------------------------------------------------------


@styled
def level_figure(audit) -> Figure:
    """The metric in each level of the categorical confounders, with intervals."""
    table = audit.by_level[np.isfinite(audit.by_level["value"])]
    figure = Figure(figsize=(COLUMN, 0.9 + 0.22 * max(len(table), 2)))
    ax = figure.subplots()
    names = shortened([f"{row.confounder}: {row.level}" for row in table.itertuples()], 24)
    intervals = zip(table["low"], table["high"], strict=True)
    _draw_intervals(ax, [(*row, OBSERVED) for row in zip(names, table["value"], intervals, strict=True)])
    ax.axvline(audit.observed, color=DARK, lw=0.8, ls=(0, (4, 3)), zorder=0)
    tolerant(ax.set_xlabel(f"{metric_name(audit.metric)} by level; dashed: all rows"))
    ax.xaxis.set_major_locator(MaxNLocator(6))
    return figure


def described(audit) -> str:
    """The figures in words, for readers who cannot see them."""
    answer = audit.headline
    parts = [f"{metric_name(answer.name)} observed {answer.observed:.3g}"]
    parts += [f"{target} {found.value:.3g}" for target, found in answer.given().items()]
    ps = [f"{row.confounder} {p_value(row.read_p)}" for row in audit.by_confounder.head(MOST_ROWS).itertuples()]
    return f"{', '.join(parts)}; p-values of being read, given response and others: {', '.join(ps)}."
