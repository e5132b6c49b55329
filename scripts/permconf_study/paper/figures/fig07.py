"""Fig. 7: the correction of the correlation in one data set (a), and against partial correlations in all (b, c)."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting import nulls
from permconf.plotting.style import CORRECTED, INK, PAGE, RESTRICTED, letter, styled

EXAMPLE = "inside"


@styled
def figure(tables):
    """Needs "correlation/tests", "/association", "/examples" and "/selected_draws"."""
    names = ("tests", "association", "examples", "selected_draws")
    tests, association, examples, draws = (tables[f"correlation/{name}"] for name in names)
    drawing = Figure(figsize=(PAGE, 2.7))
    axes = drawing.subplots(1, 3)
    dataset = examples.set_index("example")["dataset"][EXAMPLE]
    draw_tails(axes[0], tests.set_index("dataset").loc[dataset], draws)
    table = tests.merge(association, on="dataset")
    draw_agreement(axes[1], table, "corrected", CORRECTED)
    axes[1].set_xlabel('corrected correlation ("orange")')
    draw_agreement(axes[2], table, "theorem1_mc", RESTRICTED)
    axes[2].set_xlabel("Theorem 1, mean of draws")
    for ax, name in zip(axes, "abc", strict=True):
        letter(ax, name)
    nulls.shared_legend(drawing, axes, ncols=4)
    return drawing


def draw_tails(ax, row, draws):
    """Panel a: equal areas to the right of the observed and of the corrected value, each under its own curve."""
    values = {null: nulls.null_draws(draws, row.name, null) for null in nulls.COLOURS}
    moments = {
        "restricted": (row["restricted_mean"], row["restricted_sd"], row["observed"]),
        "standard": (row["baseline_mean"], row["baseline_sd"], row["corrected"]),
    }
    edges = nulls.null_bins(*values.values(), most=90)
    for null, (mean, sd, start) in moments.items():
        nulls.draw_null(ax, values[null], null, edges)
        nulls.draw_normal(ax, mean, sd, null)
        x = np.linspace(start, mean + 4.5 * sd, 100)
        ax.fill_between(x, nulls.normal_density(x, mean, sd), color=nulls.COLOURS[null], lw=0, zorder=2.5)
    nulls.draw_value(ax, row, "observed")
    nulls.draw_value(ax, row, "corrected")
    ax.set_xlabel("correlation")
    nulls.hide_density_axis(ax)


def deviations(table, column):
    """Root mean square and largest absolute deviation of an estimate from the sample partial correlation."""
    deviation = (table[column] - table["partial_correlation"]).to_numpy()
    return float(np.sqrt(np.mean(deviation**2))), float(np.abs(deviation).max())


def draw_agreement(ax, table, column, colour):
    """Panels b, c: an estimate against the sample partial correlation, with its deviations from the identity."""
    nulls.draw_identity(ax)
    ax.plot(table[column], table["partial_correlation"], ".", ms=2.5, color=colour)
    size = "RMSE {:.4f}\nlargest {:.4f}".format(*deviations(table, column))
    if column == "theorem1_mc":
        size += f"\n(exact mean: {deviations(table, 'theorem1_exact')[1]:.0e})"
    ax.text(0.05, 0.95, size, transform=ax.transAxes, va="top", fontsize=7, color=INK)
    ax.set(xlim=(-1, 1), ylim=(-1, 1), xticks=[-1, 0, 1], yticks=[-1, 0, 1], ylabel="partial correlation")
    ax.set_box_aspect(1)
