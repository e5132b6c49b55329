"""Figs. 5 and 6: nulls of regression and classification metrics approach normality as the test set grows."""

from matplotlib.ticker import MaxNLocator

from permconf.plotting import nulls
from permconf.plotting.style import lettered, styled
from permconf_study.paper.tables.normality import normal_distances


@styled
def figure(tables, *, role="regression"):
    """One row per metric, one column per test size; both nulls, their normal curves and the larger distance.

    Needs the tables "tests" and "draws" of the role.
    """
    tests, draws = (tables[f"{role}/{name}"] for name in ("tests", "draws"))
    metrics = list(dict.fromkeys(tests["metric"]))
    sizes = tests.drop_duplicates("dataset").sort_values("n_test")
    drawing, axes = lettered(0.5 + 1.45 * len(metrics), len(metrics), len(sizes))
    for line, metric in zip(axes, metrics, strict=True):
        for ax, dataset in zip(line, sizes["dataset"], strict=True):
            values = {null: nulls.null_draws(draws, dataset, null, metric) for null in nulls.COLOURS}
            draw_nulls(ax, values)
            ax.set_xlabel(nulls.METRICS[metric])
            distance = max(normal_distances(sample)[0] for sample in values.values())
            ax.text(1, 1, f"distance {distance:.2f}", transform=ax.transAxes, ha="right", va="top", fontsize=7)
    for ax, size in zip(axes[0], sizes["n_test"], strict=True):
        ax.set_title(f"{size} test samples", fontsize=8)
    nulls.shared_legend(drawing, axes.flat, ncols=4)
    return drawing


def draw_nulls(ax, values):
    """Both nulls of one metric on shared bins."""
    edges = nulls.null_bins(*values.values())
    for null, sample in values.items():
        nulls.draw_null(ax, sample, null, edges)
    for null, sample in values.items():
        nulls.draw_normal(ax, sample.mean(), sample.std(ddof=1), null)
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, 1.15 * ax.get_ylim()[1]))
    ax.xaxis.set_major_locator(MaxNLocator(4, prune="both"))
    nulls.hide_density_axis(ax)
