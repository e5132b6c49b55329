"""Fig. 5: nulls of regression metrics approach normality as the test set grows."""

from permconf.plotting import nulls
from permconf.plotting.style import lettered, styled


@styled
def figure(tables):
    """MAE (a-c), MSE (d-f) and CCC (g-i) from "regression/tests" and "regression/draws"."""
    return null_grid(tables["regression/tests"], tables["regression/draws"])


def null_grid(tests, draws):
    """One row per metric, one column per test size; both nulls and their normal curves."""
    metrics = list(dict.fromkeys(tests["metric"]))
    sizes = tests.drop_duplicates("dataset").sort_values("n_test")
    drawing, axes = lettered(0.5 + 1.45 * len(metrics), len(metrics), len(sizes))
    for line, metric in zip(axes, metrics, strict=True):
        for ax, dataset in zip(line, sizes["dataset"], strict=True):
            draw_nulls(ax, {null: nulls.null_draws(draws, dataset, null, metric) for null in nulls.COLOURS})
            ax.set_xlabel(nulls.METRICS[metric])
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
    ax.set_xlim(edges[0], edges[-1])
    nulls.hide_density_axis(ax)
