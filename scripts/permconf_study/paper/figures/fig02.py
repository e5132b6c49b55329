"""Fig. 2: restricted and standard permutations of the response, as graphs (a-c) and as data (d-h)."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from permconf.plotting.style import DARK, LIGHT, PAGE, letters, styled
from permconf.plotting.style import STANDARD as RED
from permconf_study.paper.figures import graphs

GRAPH_HEIGHT = 1.25
CELLS = LinearSegmentedColormap.from_list("cells", [LIGHT, DARK])
GRAPHS = (graphs.ASSOCIATED, graphs.RESTRICTED, graphs.STANDARD)
PANELS = {
    "X": "$X$",
    "c": "$C$",
    "y": "$Y$",
    "restricted": r"$Y^{\ast}$ (restricted)",
    "standard": r"$Y^{{\ast}{\ast}}$ (standard)",
}


@styled
def figure(tables):
    """Graphs on top, each above the data it describes; `tables["stratified"]` is long: panel, row, column, value."""
    cells = matrices(tables["stratified"])
    line = int(cells["c"].sum())  # rows with c = 1 are above it
    widths = [cells[panel].shape[1] for panel in PANELS]
    side = (PAGE - 0.3) / (sum(widths) + 2.2 * (len(widths) - 1))  # of a cell: the panels fill the width of the page
    heights = [GRAPH_HEIGHT, side * len(cells["X"]) + 0.7]
    drawing = Figure(figsize=(PAGE, sum(heights)))
    grid = drawing.add_gridspec(2, len(widths), width_ratios=widths, height_ratios=heights)
    for graph, place in zip(GRAPHS, (grid[0, :3], grid[0, 3], grid[0, 4]), strict=True):
        graphs.draw_graph(drawing.add_subplot(place), graph)
    for column, panel in enumerate(PANELS):
        draw_panel(drawing.add_subplot(grid[1, column]), cells[panel], line, panel)
    letters(drawing.axes[:3], "abc")
    letters(drawing.axes[3:], "defgh", lift=14)
    drawing.align_xlabels()
    return drawing


def matrices(table):
    """Values of every panel as a matrix, from the long table."""
    by_panel = table.groupby("panel")
    return {name: rows.pivot(index="row", columns="column", values="value").to_numpy() for name, rows in by_panel}


def draw_panel(ax, values, line, panel):
    """The cells of one panel with a line between the levels of the confounder; the ones of responses are counted."""
    scale = {} if panel == "X" else {"vmin": 0, "vmax": 1}
    ax.pcolormesh(values, cmap=CELLS, edgecolor="white", linewidth=0.5, **scale)
    ax.plot([-0.25, values.shape[1] + 0.25], [line] * 2, color=RED, linewidth=1.5, clip_on=False)
    limits = {"xlim": (0, values.shape[1]), "ylim": (len(values), 0)}
    ax.set(**limits, aspect="equal", xticks=[], yticks=[], xlabel=PANELS[panel])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if panel == "X":
        heights = [line / 2, (line + len(values)) / 2]
        ax.set_yticks(heights, ["$C = 1$", "$C = 0$"], rotation=90, va="center", fontsize=8)
    elif panel != "c":
        _write_counts(ax, values, line)


def _write_counts(ax, values, line):
    """Numbers of ones as labels of the columns: above the line at the top, below it at the bottom."""
    centres = np.arange(values.shape[1]) + 0.5
    above, below = (part.sum(axis=0).astype(int) for part in np.split(values, [line]))
    ax.set_xticks(centres, below)
    top = ax.secondary_xaxis("top")
    top.set_xticks(centres, above)
    top.tick_params(length=0)
    top.spines[:].set_visible(False)
