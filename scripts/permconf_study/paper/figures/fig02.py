"""Fig. 2: restricted and standard permutations of the response, as graphs (a-c) and as data (d-h)."""

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from permconf.plotting.style import DARK, LIGHT, PAGE, letter, styled
from permconf.plotting.style import STANDARD as RED
from permconf_study.paper.figures import graphs

COLUMNS = ("panel", "row", "column", "value")
GRAPH_HEIGHT = 1.25
CELLS = LinearSegmentedColormap.from_list("cells", [LIGHT, DARK])


@dataclass(frozen=True)
class Counts:
    """Number of dark cells in each column, above and below the line between the levels of the confounder."""

    above: np.ndarray
    below: np.ndarray


def cells(table, panel):
    """Values of one panel as a matrix, from the long table `stratified`."""
    missing = set(COLUMNS) - set(table.columns)
    if missing:
        raise ValueError(f"table 'stratified' lacks the columns {sorted(missing)}")
    long = table[table["panel"] == panel]
    if long.empty:
        raise ValueError(f"table 'stratified' has no panel {panel!r}, only {sorted(table['panel'].unique())}")
    matrix = long.pivot(index="row", columns="column", values="value")
    if matrix.isna().any(axis=None):
        raise ValueError(f"panel {panel!r} of table 'stratified' has missing cells")
    return matrix.to_numpy(float)


def boundary(table):
    """Number of rows above the line, which are those with c = 1."""
    c = cells(table, "c")[:, 0]
    if np.any(np.diff(c) > 0):
        raise ValueError(f"the confounder must be sorted with its ones on top, got {c.astype(int).tolist()}")
    return int(c.sum())


def counts(table, panel):
    """Number of ones in each column of a panel on either side of the line."""
    values, line = cells(table, panel), boundary(table)
    return Counts(values[:line].sum(axis=0).astype(int), values[line:].sum(axis=0).astype(int))


def draw_panel(ax, table, panel, label):
    """The cells of one panel with a line between the levels of the confounder; the ones of responses are counted."""
    values, line = cells(table, panel), boundary(table)
    scale = {} if panel == "X" else {"vmin": 0, "vmax": 1}
    ax.pcolormesh(values, cmap=CELLS, edgecolor="white", linewidth=0.5, **scale)
    ax.plot([-0.25, values.shape[1] + 0.25], [line] * 2, color=RED, linewidth=1.5, clip_on=False)
    ax.set(xlim=(0, values.shape[1]), ylim=(len(values), 0), aspect="equal", xticks=[], yticks=[], xlabel=label)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if panel == "X":
        heights = [line / 2, (line + len(values)) / 2]
        ax.set_yticks(heights, ["$C = 1$", "$C = 0$"], rotation=90, va="center", fontsize=8)
    elif panel != "c":
        _write_counts(ax, counts(table, panel))


def _write_counts(ax, count):
    """Counts as labels of the columns: above the line at the top, below it at the bottom."""
    centres = np.arange(count.above.size) + 0.5
    ax.set_xticks(centres, count.below)
    top = ax.secondary_xaxis("top")
    top.set_xticks(centres, count.above)
    top.tick_params(length=0)
    top.spines[:].set_visible(False)


GRAPHS = {"a": graphs.ASSOCIATED, "b": graphs.RESTRICTED, "c": graphs.STANDARD}
PANELS = {
    "d": ("X", "$X$"),
    "e": ("c", "$C$"),
    "f": ("y", "$Y$"),
    "g": ("restricted", r"$Y^{\ast}$ (restricted)"),
    "h": ("standard", r"$Y^{{\ast}{\ast}}$ (standard)"),
}


@styled
def figure(tables):
    """Graphs on top, each above the data it describes; `tables["stratified"]` is long: panel, row, column, value."""
    table = tables["stratified"]
    widths = [cells(table, panel).shape[1] for panel, _ in PANELS.values()]
    drawing = Figure(figsize=(PAGE, GRAPH_HEIGHT + _data_height(table, widths)))
    heights = [GRAPH_HEIGHT, _data_height(table, widths)]
    grid = drawing.add_gridspec(2, len(widths), width_ratios=widths, height_ratios=heights)
    for name, place in zip(GRAPHS, (grid[0, :3], grid[0, 3], grid[0, 4]), strict=True):
        ax = drawing.add_subplot(place)
        graphs.draw_graph(ax, GRAPHS[name])
        letter(ax, name)
    for column, (name, panel) in enumerate(PANELS.items()):
        ax = drawing.add_subplot(grid[1, column])
        draw_panel(ax, table, *panel)
        letter(ax, name, lift=14)
    drawing.align_xlabels()
    return drawing


def _data_height(table, widths):
    """Height of the data panels, whose square cells fill the width of the page."""
    side = (PAGE - 0.3) / (sum(widths) + 2.2 * (len(widths) - 1))
    return side * len(cells(table, "X")) + 0.7
