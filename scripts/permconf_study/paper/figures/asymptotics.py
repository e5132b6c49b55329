"""Nulls of several metrics for test sets of several sizes (Figs. 5 and 6)."""

from matplotlib.figure import Figure

from permconf.plotting import nulls
from permconf.plotting.style import PAGE, letter

LETTERS = "abcdefghi"


def null_grid(tests, draws):
    """One row per metric, one column per test size; both nulls and their normal curves."""
    metrics = list(dict.fromkeys(tests["metric"]))
    sizes = tests.drop_duplicates("dataset").sort_values("n_test")
    drawing = Figure(figsize=(PAGE, 0.5 + 1.45 * len(metrics)))
    axes = drawing.subplots(len(metrics), len(sizes), squeeze=False)
    for panel, ax in enumerate(axes.ravel()):
        row, column = divmod(panel, len(sizes))
        dataset, size = sizes[["dataset", "n_test"]].iloc[column]
        metric = metrics[row]
        draw_nulls(ax, {null: nulls.null_draws(draws, dataset, null, metric) for null in nulls.COLOURS})
        ax.set_xlabel(nulls.METRICS[metric])
        letter(ax, LETTERS[panel])
        if row == 0:
            ax.set_title(f"{size} test samples", fontsize=8)
    nulls.shared_legend(drawing, axes.ravel(), ncols=4)
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
