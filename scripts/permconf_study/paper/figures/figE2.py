"""Fig. E2: numeric confounders in bins and as they come, in four methods of adjustment."""

import numpy as np

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import INK, LIGHT, OBSERVED, POPULATION, STANDARD, lettered, styled
from permconf_study.paper.tables.arena import ALPHA, METHODS, NUMERIC, OF_NUMBERS, SETTINGS, arena_summary
from permconf_study.study.rejection_rates import binomial_band

ORDER = (
    *("none", "residuals", "residuals_10bins", "residuals_5bins", "residuals_line"),
    *("matching", "matching_5bins", "weighting", "weighting_5bins", "backdoor"),
)
SMOOTH = ("residuals", "matching", "weighting", "backdoor")
KEPT = (  # column, colour, marker, offset and label
    ("kept", POPULATION, "s", -0.16, "right: C and Y independent"),
    ("kept_reversed", OBSERVED, "o", 0.16, "right: association reversed"),
)
TESTS = (
    ("rate", STANDARD, "s", -0.16, "left: C in 5 groups"),
    ("plain", INK, "o", 0.16, "left: C as it comes"),
)
Z95 = 1.96


@styled
def figure(tables):
    """For each setting with a numeric confounder: rejections of the prediction test, and performance kept."""
    summary, labels = arena_summary(tables["cells"]), METHODS | OF_NUMBERS
    fig, axes = lettered(6.6, len(NUMERIC), 2, sharey=True, sharex="col")
    for (tested, kept), setting in zip(axes, NUMERIC, strict=True):
        here = summary[(summary["setting"] == setting) & (summary["learner"] == "logistic")].set_index("method")
        for ax, drawn, at, title in ((tested, TESTS, ALPHA, "confounding left"), (kept, KEPT, 1, "performance kept")):
            draw_points(ax, here.loc[list(ORDER)], drawn)
            ax.axvline(100 * at, color=INK, lw=0.6, ls=":")
            ax.set_title(f"{SETTINGS[setting]}: {title}")
        tested.set_yticks(range(len(ORDER)), [labels[name] + ", smooth" * (name in SMOOTH) for name in ORDER])
    axes[0, 0].set_ylim(len(ORDER) - 0.5, -0.5)
    axes[-1, 0].set(xlim=(-3, 103), xlabel="prediction test rejects, % of data sets")
    axes[-1, 1].set(xlabel="AUC above chance, % of oracle")
    shared_legend(fig, axes[0], ncols=4)
    return fig


def draw_points(ax, rows, drawn):
    """Values with 95 % Monte Carlo intervals, one row for each method."""
    at = np.arange(len(rows))
    for row in at[::2]:
        ax.axhspan(row - 0.5, row + 0.5, color=LIGHT, alpha=0.4, lw=0, zorder=0)
    for column, colour, marker, offset, label in drawn:
        ax.hlines(at + offset, *interval(rows, column), color=colour, lw=1.2)
        ax.plot(100 * rows[column], at + offset, marker, color=colour, ms=3.5, label=label)
    ax.tick_params(axis="y", length=0)


def interval(rows, column):
    """Ends of 95 % Monte Carlo intervals in percent: of Clopper and Pearson for rates, else normal."""
    if column in (name for name, *_ in TESTS):
        counts = zip(rows[column], rows["n_datasets"], strict=True)
        return 100 * np.transpose([binomial_band(round(rate * n), n) for rate, n in counts])
    error = Z95 * rows[f"{column}_mcse"]
    return 100 * (rows[column] - error), 100 * (rows[column] + error)
