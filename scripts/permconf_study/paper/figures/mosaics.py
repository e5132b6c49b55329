"""Mosaic plots of the joint distribution of response and confounder, with areas equal to shares."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from permconf.plotting.style import INK, LIGHT

GAP = 0.02  # between columns and between the cells of a column, as a share of the axes
FILLS = LinearSegmentedColormap.from_list("levels", [LIGHT, "#8FA3B8"])  # light enough for dark text

# The levels of Section 4.
STATUS = {0: "control", 1: "case"}
GENDER = {0: "female", 1: "male"}


def draw_mosaic(ax, table, *, y_names=STATUS, c_names=GENDER):
    """One column per level of the confounder, as wide as its share; one cell per level of the response, as high as its
    share of the column. Each cell shows its count, if the table has one, and its percentage.

    `table` has the columns y, c, count and share, one row per cell.
    """
    y_levels, c_levels = sorted(table["y"].unique()), sorted(table["c"].unique())
    room = 1 - GAP * (len(c_levels) - 1)
    left = 0.0
    for c in c_levels:
        column = table[table["c"] == c].set_index("y")
        width = room * column["share"].sum()
        places = _draw_column(ax, column, y_levels, left, width)
        if c == c_levels[0]:
            ax.set_yticks(places, [y_names.get(y, y) for y in y_levels])
        ax.text(left + width / 2, -0.03, c_names.get(c, c), ha="center", va="top", fontsize=8, color=INK)
        left += width + GAP
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[])
    ax.tick_params(length=0, labelsize=8)
    ax.spines[:].set_visible(False)


def _draw_column(ax, column, y_levels, left, width):
    """Draw the cells of one level of the confounder, from the bottom; returns the heights of their centres."""
    room = 1 - GAP * (len(y_levels) - 1)
    bottom, centres = 0.0, []
    for y, fill in zip(y_levels, FILLS(np.linspace(0, 1, len(y_levels))), strict=True):
        cell = column.loc[y]
        height = room * cell["share"] / column["share"].sum()
        ax.add_patch(Rectangle((left, bottom), width, height, facecolor=fill, edgecolor="none"))
        if height > 0:
            ax.text(left + width / 2, bottom + height / 2, cell_text(cell), ha="center", va="center", color=INK)
        centres.append(bottom + height / 2)
        bottom += height + GAP
    return centres


def cell_text(cell):
    """Count and percentage of a cell, or its percentage alone."""
    percentage = f"{100 * cell['share']:.2f} %"
    return percentage if np.isnan(cell["count"]) else f"{int(cell['count'])}\n({percentage})"
