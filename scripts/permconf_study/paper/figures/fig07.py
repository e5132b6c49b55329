"""Fig. 7: the correction of the correlation in one data set (a), and against partial correlations in all (b, c)."""

import numpy as np

from permconf.plotting import nulls
from permconf.plotting.style import CORRECTED, INK, RESTRICTED, lettered, styled
from permconf_study.paper.figures.fig04 import draw_against_partial

EXAMPLE = "inside"


@styled
def figure(tables):
    """Needs "correlation/tests", "/association", "/examples" and "/selected_draws"."""
    names = ("tests", "association", "examples", "selected_draws")
    tests, association, examples, draws = (tables[f"correlation/{name}"] for name in names)
    drawing, ((tails, corrected, theorem),) = lettered(2.7, 1, 3)
    dataset = examples.set_index("example")["dataset"][EXAMPLE]
    draw_tails(tails, tests.set_index("dataset").loc[dataset], draws)
    table = tests.merge(association, on="dataset")
    draw_agreement(corrected, table, "corrected", CORRECTED)
    corrected.set_xlabel('corrected correlation ("orange")')
    exact = f"\n(exact mean: {deviations(table, 'theorem1_exact')[1]:.0e})"
    draw_agreement(theorem, table, "theorem1_mc", RESTRICTED, exact)
    theorem.set_xlabel("Theorem 1, mean of draws")
    nulls.shared_legend(drawing, drawing.axes, ncols=4)
    return drawing


def draw_tails(ax, row, draws):
    """Panel a: equal areas to the right of the observed and of the corrected value, each under its own curve."""
    values = {null: nulls.null_draws(draws, row.name, null) for null in nulls.COLOURS}
    edges = nulls.null_bins(*values.values(), most=90)
    for (null, sample), value in zip(values.items(), ("observed", "corrected"), strict=True):
        mean, sd = nulls.moments(row, null)
        nulls.draw_null(ax, sample, null, edges)
        nulls.draw_normal(ax, mean, sd, null)
        x = np.linspace(row[value], mean + 4.5 * sd, 100)
        ax.fill_between(x, nulls.normal_density(x, mean, sd), color=nulls.COLOURS[null], lw=0, zorder=2.5)
    nulls.draw_value(ax, row, "observed", lw=0.8)
    nulls.draw_value(ax, row, "corrected", lw=0.8)
    ax.set_xlabel("correlation")
    nulls.hide_density_axis(ax)


def deviations(table, column):
    """Root mean square and largest absolute deviation of an estimate from the sample partial correlation."""
    deviation = (table[column] - table["partial_correlation"]).to_numpy()
    return float(np.sqrt(np.mean(deviation**2))), float(np.abs(deviation).max())


def draw_agreement(ax, table, column, colour, remark=""):
    """Panels b, c: an estimate against the sample partial correlation, with its deviations from the identity."""
    draw_against_partial(ax, table, column, colour, (-1, 0, 1))
    size = "RMSE {:.4f}\nlargest {:.4f}".format(*deviations(table, column))
    ax.text(0.05, 0.95, size + remark, transform=ax.transAxes, va="top", fontsize=7, color=INK)
