"""The standard figure of a scenario whose data come from a table: distributions over its random splits.

There are no rejection rates: p-values of different splits of one table are dependent, so that the share of small ones
is not a power.
"""

from matplotlib.figure import Figure

from permconf.plotting import nulls
from permconf.plotting.style import CORRECTED, INK, LIGHT, OBSERVED, PAGE, POPULATION
from permconf_study.study.rejection_rates import TESTS

ALPHA = 0.05
TEST_NAMES = {
    "response": "response",
    "confounding": "normal approximation",
    "algorithm2": "Algorithm 2",
    "conditional": "conditional",
    "combined": "both links (combined)",
}
VALUES = {"observed": OBSERVED, "corrected": CORRECTED, "reweighted": POPULATION}
SMALLEST = 1e-5  # smaller p-values are drawn here


def split_panels(usable):
    """For each metric a panel of p-values and one of the metric's values; `usable` are the splits that did not fail."""
    metrics = list(dict.fromkeys(usable["metric"]))
    tests = [test for test in TESTS if f"{test}_p" in usable and usable[f"{test}_p"].notna().any()]
    height = 0.7 + 0.22 * max(len(tests), len(VALUES))
    drawing = Figure(figsize=(PAGE, 0.75 + height * max(1, len(metrics))))
    axes = drawing.subplots(max(1, len(metrics)), 2, squeeze=False)
    for (p_values, values), metric in zip(axes, metrics, strict=False):
        rows = usable[usable["metric"] == metric]
        draw_p_values(p_values, rows, tests)
        draw_metric_boxes(values, rows, nulls.METRICS.get(metric, metric.replace("_", " ")))
    return drawing


def draw_p_values(ax, rows, tests):
    """Boxes of the p-values of each test, on a logarithmic axis."""
    boxes = {TEST_NAMES.get(test, test): rows[f"{test}_p"].dropna().clip(lower=SMALLEST) for test in tests}
    _draw_boxes(ax, boxes, dict.fromkeys(boxes, LIGHT), lambda p: f"{p:.2g}" if p > SMALLEST else f"< {SMALLEST:g}")
    ax.axvline(ALPHA, color="0.6", lw=0.6, ls="--", zorder=1)
    ax.set(xscale="log", xlim=(SMALLEST / 1.5, 1.2), xlabel="p-value")


def draw_metric_boxes(ax, rows, label):
    """Boxes of the observed, corrected and reweighted metric."""
    boxes = {name: rows[name].dropna() for name in VALUES if name in rows and rows[name].notna().any()}
    _draw_boxes(ax, boxes, VALUES, "{:.3f}".format)
    ax.axvline(rows["baseline_mean"].median(), color=INK, lw=0.8, ls=":")
    ax.set(xlabel=f"{label} (dotted: baseline)")


def _draw_boxes(ax, boxes, colours, number):
    """Horizontal boxes from the first to the third quartile, with whiskers from the 5 % to the 95 % quantile."""
    labels = [f"{name}, {number(values.median())}" for name, values in boxes.items()]
    drawn = ax.boxplot(
        list(boxes.values()),
        orientation="horizontal",
        whis=(5, 95),
        showfliers=False,
        patch_artist=True,
        widths=0.6,
        medianprops={"color": INK, "lw": 1.0},
    )
    for box, name in zip(drawn["boxes"], boxes, strict=True):
        box.set(facecolor=colours[name], edgecolor=INK, lw=0.6)
    ax.set_yticks(range(1, len(labels) + 1), labels)
    ax.invert_yaxis()
