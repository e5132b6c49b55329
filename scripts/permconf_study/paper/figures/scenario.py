"""The standard figure of any scenario: rejection rates of its tests, observed and corrected metrics.

Each metric has a row of panels. For a scenario of few data sets, the nulls are drawn instead of rates; for one whose
data come from a table, distributions over its splits: p-values of different splits of one table are dependent, so that
the share of small ones is not a power.
"""

import textwrap

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting import nulls, style
from permconf_study.paper.figures.fig08 import draw_band
from permconf_study.study.cells import HYPOTHESES
from permconf_study.study.rejection_rates import TESTS

FEW = 10  # up to this number, each data set has its own panel
PANELS_IN_A_ROW = 4
ALPHA = 0.05
HEADROOM = 1.45  # height of a histogram's axes relative to its bars, to leave space for the legend
TEST_NAMES = {"confounding": "normal approx.", "algorithm2": "Algorithm 2", "conditional": "conditional test"}
COLOURS_OF_TESTS = dict(zip(TESTS[1:], style.SERIES, strict=False))
DASHES_OF_TESTS = {test: style.DASHES[k % len(style.DASHES)] for k, test in enumerate(TESTS[1:])}
SPLIT_TEST_NAMES = TEST_NAMES | {"conditional": "conditional", "combined": "both links (combined)"}
VALUES = {"observed": style.OBSERVED, "corrected": style.CORRECTED, "reweighted": style.POPULATION}
SMALLEST = 1e-5  # smaller p-values are drawn here


@style.styled
def figure(tables, *, title, truth=None, of_table=False):
    """From the tables "tests", "curves" and "draws" of a scenario.

    `truth` gives the true alternatives, if known; `of_table` says that data sets are random splits of one table.
    """
    tests = tables["tests"]
    usable = tests[tests["status"] == "ok"]
    few = 0 < usable["dataset"].nunique() <= FEW and "corrected" in usable
    if few:
        drawing = _null_panels(usable, tables["draws"])
    else:
        drawing = _split_panels(usable) if of_table else _rate_panels(usable, tables["curves"], truth)
    counts = counts_text(tests, of_table=of_table)
    style.tolerant(drawing.suptitle(f"{textwrap.fill(title, 100)}\n{counts}", fontsize=8))
    return drawing


def counts_text(tests, *, of_table=False):
    """Number of data sets (or random splits) behind a figure, and number that failed."""
    datasets, failed = tests["dataset"].nunique(), tests.loc[tests["status"] != "ok", "dataset"].nunique()
    what = f"{'random split' if of_table else 'data set'}{'s' * (datasets != 1)}"
    boxes = "; medians, quartiles, 5 % and 95 % quantiles" if of_table and datasets > FEW else ""
    return f"{datasets:,} {what}, {failed or 'none'} failed{' and omitted' * (failed > 0)}{boxes}"


def rate_name(test, truth):
    """Name of the rejection rate of a test: power or type I error; "rejection rate" if the truth is unknown."""
    true = (truth or {}).get(HYPOTHESES[test])
    return "rejection rate" if true is None else "power" if true else "type I error"


# ---- many data sets: rates and metrics -------------------------------------------------------------------------------


def _rate_panels(usable, curves, truth):
    metrics = list(dict.fromkeys(curves["metric"]))
    legend = 0.15 * curves["test"].nunique() if curves["test"].nunique() > 2 else 0
    drawing = Figure(figsize=(style.PAGE, 0.45 + (2.35 + legend) * len(metrics)))
    axes = drawing.subplots(len(metrics), 3, squeeze=False)
    for (response, confounding, values), metric in zip(axes, metrics, strict=True):
        rows = curves[curves["metric"] == metric]
        draw_rejections(response, rows[rows["test"] == "response"], truth)
        draw_rejections(confounding, rows[rows["test"] != "response"], truth)
        draw_metric(values, usable[usable["metric"] == metric], metric)
    return drawing


def draw_rejections(ax, curves, truth):
    """Rejection rates of the tests of one hypothesis over nominal levels, with pointwise 95 % Monte Carlo bands."""
    shown = [test for test in TESTS if (curves["test"] == test).any()]
    if not shown:  # a study without permutations
        ax.set_axis_off()
        return
    ax.plot([0, 1], [0, 1], color="0.6", lw=0.6, ls="--", zorder=1)
    for test in shown:
        rows, colour = curves[curves["test"] == test], COLOURS_OF_TESTS.get(test, style.EXPERIMENTS[0])
        name = f"{TEST_NAMES.get(test, test)}: " if len(shown) > 1 else ""
        dashes = DASHES_OF_TESTS.get(test, "-")
        draw_band(ax, rows, "alpha", color=colour, ls=dashes, label=f"{name}{read_out(rows)}")
    name, hypothesis = rate_name(shown[0], truth), "H_0^*" if shown[0] == "response" else "H_0^c"
    resting = f"{name} ({curves['n_datasets'].min():,} data sets)"
    ax.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="nominal level", ylabel=resting)
    ax.set_title(f"{shown[0]} test, ${hypothesis}$" + (f": {name}" if name != "rejection rate" else ""))
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2)} if len(shown) > 1 else {"loc": "best"}
    ax.legend(handlelength=1.0, title=f"at {_nearest(curves)['alpha']:.3g}", title_fontsize=7, **below)


def read_out(curve):
    """The rate at the alpha closest to 0.05, with its exact 95 % Monte Carlo interval."""
    at = _nearest(curve)
    return f"{at['rate']:.3f} ({at['low']:.3f} to {at['high']:.3f})" if at["n_datasets"] else "no data sets"


def _nearest(curves):
    return curves.iloc[int(np.argmin(np.abs(curves["alpha"].to_numpy() - ALPHA)))]


def draw_metric(ax, rows, metric):
    """Distribution of the observed and the corrected metric over the data sets."""
    ax.set(xlabel=nulls.METRICS.get(metric, metric), ylabel=f"data sets (of {len(rows):,})")
    drawn = {column: dashes for column, dashes in (("observed", "-"), ("corrected", "--")) if column in rows}
    ax.set_title(f"{' and '.join(drawn)} metric")
    if rows.empty:
        return
    bins, outside = metric_bins(rows[[*drawn]].to_numpy())
    for column, dashes in drawn.items():
        label = f"{column}, median {rows[column].median():.3g}"
        nulls.draw_histogram(ax, rows[column], bins, VALUES[column], label, ls=dashes)
    if "baseline_mean" in rows:
        below_legend = {"ymax": 1 / HEADROOM, "label": "null without confounding"}
        ax.axvline(rows["baseline_mean"].median(), color=style.INK, lw=0.8, ls=":", **below_legend)
    if outside:
        ax.set_xlabel(f"{ax.get_xlabel()} ({outside:,} values beyond the axis)")
    ax.set_ylim(top=HEADROOM * ax.get_ylim()[1])
    ax.legend(loc="upper left", handlelength=1.0)


def metric_bins(values, *, reach=6):
    """Edges of bins that omit values beyond `reach` interquartile ranges, and the number of omitted values."""
    count = int(np.clip(10 + np.sqrt(len(values)), 10, 40))
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    near = values[np.abs(values - middle) <= reach * (high - low)] if high > low else values.ravel()
    start, end = near.min(), near.max()
    if start == end:
        start, end = start - 0.5, end + 0.5
    return np.linspace(start, end, count + 1), int(np.sum((values < start) | (values > end)))


# ---- few data sets: their nulls --------------------------------------------------------------------------------------


def _null_panels(usable, draws):
    metrics, datasets = (list(dict.fromkeys(usable[key])) for key in ("metric", "dataset"))
    columns = min(PANELS_IN_A_ROW, len(datasets))
    lines = -(-len(datasets) // columns)
    drawing = Figure(figsize=(style.PAGE * max(0.5, columns / PANELS_IN_A_ROW), 0.8 + 2.1 * lines * len(metrics)))
    axes = drawing.subplots(lines * len(metrics), columns, squeeze=False).reshape(len(metrics), -1)
    for _, row in usable.iterrows():
        ax = axes[metrics.index(row["metric"]), datasets.index(row["dataset"])]
        draw_dataset(ax, row, draws[(draws["dataset"] == row["dataset"]) & (draws["metric"] == row["metric"])])
    for ax in axes[:, len(datasets) :].ravel():
        ax.set_axis_off()
    nulls.shared_legend(drawing, axes.ravel(), ncols=2 * min(columns, 2))
    return drawing


def draw_dataset(ax, row, draws):
    """Nulls, observed and corrected metric of one data set: draws if they were kept, else normal approximations."""
    drawn = [null for null in nulls.COLOURS if null in set(draws["null"])]
    values = [draws.loc[draws["null"] == null, "value"].to_numpy() for null in drawn]
    for null, sample in zip(drawn, values, strict=True):
        nulls.draw_null(ax, sample, null, nulls.null_bins(*values, most=40))
    if not drawn:
        nulls.draw_normals(ax, row)
    nulls.draw_value(ax, row, "observed")
    nulls.draw_value(ax, row, "corrected")
    p_values = {test: row[f"{test}_p"] for test in TESTS if f"{test}_p" in row and not np.isnan(row[f"{test}_p"])}
    names = TEST_NAMES | {"confounding": "confounding"}
    lines = [f"{names.get(test, test)} $p$ {f'= {p:.2g}' if p >= 1e-4 else '< 0.0001'}" for test, p in p_values.items()]
    ax.set_title("\n".join([f"data set {row['dataset']}", *lines]))
    ax.set_xlabel(nulls.METRICS.get(row["metric"], row["metric"]))
    nulls.hide_density_axis(ax)


# ---- a table: its random splits -------------------------------------------------------------------------------------


def _split_panels(usable):
    """For each metric a panel of p-values and one of the metric's values; `usable` are the splits that did not fail."""
    metrics = list(dict.fromkeys(usable["metric"]))
    tests = [test for test in TESTS if f"{test}_p" in usable and usable[f"{test}_p"].notna().any()]
    height = 0.7 + 0.22 * max(len(tests), len(VALUES))
    drawing = Figure(figsize=(style.PAGE, 0.75 + height * max(1, len(metrics))))
    axes = drawing.subplots(max(1, len(metrics)), 2, squeeze=False)
    for (p_values, values), metric in zip(axes, metrics, strict=False):
        rows = usable[usable["metric"] == metric]
        draw_p_values(p_values, rows, tests)
        draw_metric_boxes(values, rows, nulls.METRICS.get(metric, metric.replace("_", " ")))
    return drawing


def draw_p_values(ax, rows, tests):
    """Boxes of the p-values of each test, on a logarithmic axis."""
    boxes = {SPLIT_TEST_NAMES.get(test, test): rows[f"{test}_p"].dropna().clip(lower=SMALLEST) for test in tests}
    draw_boxes(ax, boxes, lambda p: f", {p:.2g}" if p > SMALLEST else f", < {SMALLEST:g}")
    ax.axvline(ALPHA, color="0.6", lw=0.6, ls="--", zorder=1)
    ax.set(xscale="log", xlim=(SMALLEST / 1.5, 1.2), xlabel="p-value")


def draw_metric_boxes(ax, rows, label):
    """Boxes of the observed, corrected and reweighted metric."""
    boxes = {name: rows[name].dropna() for name in VALUES if name in rows and rows[name].notna().any()}
    draw_boxes(ax, boxes, ", {:.3f}".format)
    ax.axvline(rows["baseline_mean"].median(), color=style.INK, lw=0.8, ls=":")
    ax.set(xlabel=f"{label} (dotted: baseline)")


def draw_boxes(ax, boxes, number):
    """Horizontal boxes from the first to the third quartile, with whiskers from the 5 % to the 95 % quantile.

    `number` gives what follows the name of a box: its median as text.
    """
    labels = [f"{name}{number(values.median())}" for name, values in boxes.items()]
    drawn = ax.boxplot(
        list(boxes.values()),
        orientation="horizontal",
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        medianprops={"color": style.INK, "lw": 1.0},
    )
    for box, name in zip(drawn["boxes"], boxes, strict=True):
        box.set(facecolor=VALUES.get(name, style.LIGHT), edgecolor=style.INK, lw=0.6)
    ax.set_yticks(range(1, len(labels) + 1), labels)
    ax.invert_yaxis()
