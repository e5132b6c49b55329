"""Fig. 4: the quantile ("purple") correction of the correlation is truncated at the range of the standard null.

Panel a has all data sets; panels b-k have five of them, chosen by `permconf_study.paper.tables.example_datasets`.
"""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting import nulls
from permconf.plotting.style import INK, PAGE, QUANTILE_CORRECTED, STANDARD, letters, styled

CORRECTIONS = ("corrected_quantile", "corrected")
_BINS_PER_UNIT = 50


@styled
def figure(tables):
    """Needs "correlation/tests", "/association", "/examples" and "/selected_draws"."""
    names = ("tests", "association", "examples", "selected_draws")
    tests, association, examples, draws = (tables[f"correlation/{name}"] for name in names)
    drawing = Figure(figsize=(PAGE, 3.9))
    grid = drawing.add_gridspec(len(examples), 3, width_ratios=[1.75, 1, 1])
    draw_truncation(drawing.add_subplot(grid[:, 0]), tests.merge(association, on="dataset"))
    rows = tests.set_index("dataset").loc[examples["dataset"]]
    limit = example_limit(rows, draws)
    for line, name in enumerate(examples["example"]):
        for column, correction in enumerate(CORRECTIONS):
            ax = drawing.add_subplot(grid[line, 1 + column])
            draw_example(ax, rows.iloc[line], draws, correction, limit)
            ax.set_ylabel("" if column else name, fontsize=7)
            if line == 0:
                draw_inside(ax, rows.iloc[line], draws)
                ax.set_title(nulls.VALUES[correction][0], color=nulls.VALUES[correction][1], fontsize=8)
            ax.set_xlabel("correlation" if line == len(examples) - 1 else "")
            ax.tick_params(labelbottom=line == len(examples) - 1)
    letters(drawing.axes)
    nulls.shared_legend(drawing, drawing.axes, ncols=4)
    return drawing


def draw_inside(ax, row, draws):
    """An inset that enlarges the restricted null around the observed correlation."""
    values = nulls.null_draws(draws, row.name, "restricted")
    inset = ax.inset_axes([0.0, 0.2, 0.34, 0.75])
    nulls.draw_null(inset, values, "restricted", nulls.null_bins(values, most=30))
    nulls.draw_value(inset, row, "observed", lw=1.0)
    inset.set(xticks=[], yticks=[])


def draw_against_partial(ax, table, column, colour, ticks):
    """An estimate of every data set against its partial correlation, and the line on which both are equal."""
    ax.plot([-1, 1], [-1, 1], color=STANDARD, lw=0.8, label="identity")
    ax.plot(table[column], table["partial_correlation"], ".", ms=2.5, color=colour)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), xticks=ticks, yticks=ticks, ylabel="partial correlation")
    ax.set_box_aspect(1)


def draw_truncation(ax, table):
    """Panel a: "purple" correction against partial correlation, all data sets."""
    draw_against_partial(ax, table, "corrected_quantile", QUANTILE_CORRECTED, (-1, -0.5, 0, 0.5, 1))
    ends = "truncated near\n${:.2f}$ and ${:.2f}$".format(*truncation(table))
    ax.text(0.04, 0.96, ends, transform=ax.transAxes, va="top", fontsize=7)
    ax.set_xlabel('corrected correlation ("purple")')


def truncation(table):
    """Median "purple" correction of the data sets below and of those above the whole restricted null."""
    smallest = 1 / (1 + table["n_permutations"])
    below, above = table["response_p"] == 1, np.isclose(table["response_p"], smallest)
    return tuple(table.loc[rows, "corrected_quantile"].median() for rows in (below, above))


def example_limit(rows, draws):
    """Half-width of an interval around zero that contains everything in panels b-k, in steps of 0.1."""
    shown = np.abs(np.concatenate([draws["value"], *(rows[name] for name in ("observed", *CORRECTIONS))]))
    return np.ceil(shown.max() * 10 + 0.2) / 10


def draw_example(ax, row, draws, correction, limit):
    """Panels b-k: both nulls of one data set with their normal approximations, observed and corrected correlation."""
    edges = np.linspace(-limit, limit, round(2 * limit * _BINS_PER_UNIT) + 1)
    for null in nulls.COLOURS:
        nulls.draw_null(ax, nulls.null_draws(draws, row.name, null), null, edges)
    nulls.draw_normals(ax, row)
    nulls.draw_value(ax, row, "observed")
    nulls.draw_value(ax, row, correction)
    ax.axhline(0, color=INK, lw=0.6)
    ax.set(xlim=(-limit, limit), xticks=[-0.5, 0, 0.5])
    nulls.hide_density_axis(ax)
