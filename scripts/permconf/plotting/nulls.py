"""Permutation nulls as histograms with their normal approximations, and metrics as lines."""

import numpy as np
from matplotlib.colors import to_rgba

from permconf.plotting.style import CORRECTED, OBSERVED, QUANTILE_CORRECTED, RESTRICTED, STANDARD

COLOURS = {"restricted": RESTRICTED, "standard": STANDARD}
DASHES = {"restricted": "-", "standard": (0, (5, 1.2))}  # of normal approximations, for greyscale
METRICS = {
    "auc": "AUC",
    "accuracy": "accuracy",
    "mse": "mean squared error",
    "mae": "mean absolute error",
    "ccc": "concordance correlation",
    "correlation": "correlation",
}
VALUES = {  # label, colour and dashes, which tell them apart in greyscale
    "observed": ("observed", OBSERVED, "-"),
    "corrected": ('corrected ("orange")', CORRECTED, (0, (3.5, 1))),
    "corrected_quantile": ('corrected ("purple")', QUANTILE_CORRECTED, (0, (1.5, 0.8))),
}


def null_draws(table, dataset, null, metric=None):
    """Draws of one null of one data set (and metric, where the table has several), from a table of draws."""
    rows = (table["dataset"] == dataset) & (table["null"] == null)
    if metric is not None:
        rows &= table["metric"] == metric
    values = table.loc[rows, "value"].to_numpy()
    if values.size == 0:
        raise ValueError(f"the table of draws has no {null} null of {metric or 'the metric'} for data set {dataset}")
    return values


def support_step(values):
    """Smallest distance between distinct values (up to rounding): the step of a discrete metric."""
    gaps = np.diff(np.unique(np.round(values, 9)))
    return float(gaps.min()) if gaps.size else 1.0


def null_bins(*samples, most=60):
    """Edges of at most about `most` bins for all samples, with equally many points of a discrete support per bin."""
    values = np.concatenate(samples)
    step = support_step(values)
    width = step * max(1, int(np.ceil(np.ptp(values) / (step * most))))
    count = int(np.floor(np.ptp(values) / width + 1e-6)) + 1
    return values.min() - step / 2 + width * np.arange(count + 1)


def draw_null(ax, values, null, edges):
    """Histogram of one null as a density, with an outline."""
    draw_histogram(ax, values, edges, COLOURS[null], f"{null} null", density=True, alpha=0.3, lw=0.6)


def draw_histogram(ax, values, bins, colour, label, *, density=False, alpha=0.45, ls="-", lw=1.0):
    """Histogram with an outline, which the legend shows too."""
    look = {"fc": to_rgba(colour, alpha), "ec": colour, "ls": ls, "lw": lw, "label": label}
    ax.hist(values, bins=bins, density=density, histtype="stepfilled", **look)


def normal_density(x, mean, sd):
    """Density of N(mean, sd^2)."""
    return np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))


def draw_normal(ax, mean, sd, null):
    """Normal approximation of a null (paper, Section 2.2)."""
    x = mean + sd * np.linspace(-4.5, 4.5, 200)
    look = {"color": COLOURS[null], "ls": DASHES[null], "lw": 1.0}
    ax.plot(x, normal_density(x, mean, sd), label=f"normal approximation, {null}", **look)


def moments(tests_row, null):
    """Mean and standard deviation of a null of one data set."""
    source = "restricted" if null == "restricted" else "baseline"
    return tests_row[f"{source}_mean"], tests_row[f"{source}_sd"]


def draw_normals(ax, tests_row):
    """Normal approximations of both nulls of one data set."""
    for null in COLOURS:
        mean, sd = moments(tests_row, null)
        draw_normal(ax, mean, sd, null)


def draw_value(ax, tests_row, column, *, lw=1.6):
    """A metric of one data set as a vertical line: observed, corrected or corrected_quantile."""
    label, colour, dashes = VALUES[column]
    ax.axvline(tests_row[column], color=colour, ls=dashes, lw=lw, label=label, zorder=3)


def hide_density_axis(ax):
    """Hide the axis of a density, whose height carries no information."""
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)


def legend_entries(axes):
    """Handles by label, each label once, in order of first appearance."""
    entries: dict = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    return entries


def shared_legend(figure, axes, **options):
    """One legend for all panels, below them."""
    entries = legend_entries(axes)
    figure.legend(entries.values(), entries, loc="outside lower center", **options)
