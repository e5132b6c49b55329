"""Figs. 9 and 10: gender and disease in the population of interest, in the development data, and in sets of them."""

import numpy as np
from matplotlib.patches import Rectangle

from permconf.plotting.style import INK, LIGHT, PAGE, lettered, styled

PANELS = {
    "whole": {"population": "population of interest", "development": "development data"},
    "split": {
        "baseline_train": "baseline training set",
        "baseline_test": "baseline test set",
        "development_train": "development training set",
        "development_test": "development test set",
    },
}
GAP = 0.02  # between columns and between the cells of a column, as a share of the axes
STATUS = {"control": LIGHT, "case": "#8FA3B8"}  # y = 0, 1; light enough for dark text
GENDER = ("female", "male")  # c = 0, 1


@styled
def figure(tables, *, sets="whole"):
    """Mosaics in two columns, one for each set, from the table of cells of Section 4."""
    cells, panels = tables["cells"], PANELS[sets]
    rows = len(panels) // 2
    drawing, axes = lettered(2.6 * rows, rows, 2, width=0.8 * PAGE, gridspec_kw={"wspace": 0.08, "hspace": 0.08})
    for ax, (name, title) in zip(axes.flat, panels.items(), strict=True):
        table = cells[cells["set"] == name]
        draw_mosaic(ax, table)
        counted = "" if table["count"].isna().any() else f", n = {int(table['count'].sum()):,}"
        ax.set_title(f"{title}{counted}")
    return drawing


def draw_mosaic(ax, table):
    """One column per level of the confounder, as wide as its share; one cell per level of the response, as high as its
    share of the column. Each cell shows its count, if the table has one, and its percentage.

    `table` has the columns y, c, count and share, one row per cell.
    """
    left = 0.0
    for c, name in enumerate(GENDER):
        column = table[table["c"] == c].set_index("y")
        width = (1 - GAP) * column["share"].sum()
        places = _draw_column(ax, column, left, width)
        if c == 0:
            ax.set_yticks(places, list(STATUS))
        ax.text(left + width / 2, -0.03, name, ha="center", va="top", fontsize=8, color=INK)
        left += width + GAP
    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[])
    ax.tick_params(length=0, labelsize=8)
    ax.spines[:].set_visible(False)


def _draw_column(ax, column, left, width):
    """Draw the cells of one level of the confounder, from the bottom; returns the heights of their centres."""
    bottom, centres = 0.0, []
    for y, fill in enumerate(STATUS.values()):
        cell = column.loc[y]
        height = (1 - GAP) * cell["share"] / column["share"].sum()
        ax.add_patch(Rectangle((left, bottom), width, height, facecolor=fill, edgecolor="none"))
        if height > 0:
            share = f"{100 * cell['share']:.2f} %"
            text = share if np.isnan(cell["count"]) else f"{int(cell['count'])}\n({share})"
            ax.text(left + width / 2, bottom + height / 2, text, ha="center", va="center", color=INK)
        centres.append(bottom + height / 2)
        bottom += height + GAP
    return centres
