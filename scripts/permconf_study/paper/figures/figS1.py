"""Fig. S1: null distribution of Algorithm 2 compared with the normal approximation, for two test-set sizes."""

import numpy as np
from scipy.special import ndtr

from permconf.plotting.nulls import draw_histogram, normal_density, shared_legend, support_step
from permconf.plotting.style import INK, RESTRICTED, STANDARD, lettered, styled

BINS = 50
SHOWN = 0.999  # share of the draws within the axis


@styled
def figure(tables):
    """Two panels from the tests and draws of a small and a large test set."""
    drawing, axes = lettered(2.9, 1, 2)
    for ax, size in zip(axes.flat, ("small", "large"), strict=True):
        draws = tables[f"{size}/draws"].query("null == 'algorithm2'")
        draw_algorithm2(ax, draws["value"].to_numpy(), tables[f"{size}/tests"].iloc[0])
    shared_legend(drawing, axes[0, :1], ncols=3)
    return drawing


def draw_algorithm2(ax, draws, test):
    """Means of restricted draws with a shuffled confounder, the normal density of the confounding test, and the
    observed mean; `test` is the data set's row in the table of tests."""
    centre, sd = test["baseline_mean"], test["baseline_sd"] / np.sqrt(test["algorithm2_inner"])
    reach = max(np.quantile(np.abs(draws - centre), SHOWN), 4 * sd)
    bins = aligned_bins(draws, centre, reach)
    draw_histogram(ax, draws, bins, RESTRICTED, "Algorithm 2", density=True)
    grid = np.linspace(centre - reach, centre + reach, 400)
    ax.plot(grid, normal_density(grid, centre, sd), color=STANDARD, label="normal approximation")
    observed = test["algorithm2_statistic"]
    ax.axvline(observed, color=INK, lw=1.2, ls="--", label="observed mean")
    if observed > centre + reach:
        arrow = {"arrowstyle": "->", "color": INK}
        ax.annotate(
            f"{observed:.2f}", (1, 0.5), (0.85, 0.5), "axes fraction", arrowprops=arrow, ha="right", va="center"
        )
    ax.set(xlim=(centre - reach, centre + reach), xlabel="mean of the restricted null (AUC)", ylabel="density")
    ax.set_title(f"test set of {int(test['n_test'])}")
    notes = (
        (INK, f"observed {observed:.2f}"),
        (RESTRICTED, f"Algorithm 2\nsd {draws.std(ddof=1):.2g}\np {p_text(test['algorithm2_p'])}"),
        (STANDARD, f"normal\nsd {sd:.2g}\np {p_text(ndtr((centre - observed) / sd))}"),
    )
    for top, (colour, note) in zip((0.98, 0.87, 0.62), notes, strict=True):
        ax.text(0.02, top, note, transform=ax.transAxes, va="top", fontsize=7, color=colour)


def aligned_bins(draws, centre, reach):
    """Edges of about BINS bins over all draws, with equally many possible values of the mean per bin."""
    step = support_step(draws)
    width = step * max(1, round(2 * reach / BINS / step))
    low, high = ((f(draws) - centre) / width for f in (np.min, np.max))
    return centre + step / 2 + width * np.arange(np.floor(low) - 1, np.ceil(high) + 1)


def p_text(p):
    """A p-value to two digits, or an upper bound if it is tiny."""
    return f"= {p:.2g}" if p >= 1e-6 else "< 1e-6"
