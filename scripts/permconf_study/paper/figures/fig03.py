"""Fig. 3: the simulation model (a), and restricted nulls of the AUC with decreasing confounding (b-d)."""

from permconf.plotting.nulls import draw_null, draw_value, hide_density_axis, null_bins, null_draws, shared_legend
from permconf.plotting.style import INK, lettered, styled
from permconf_study.paper.figures import graphs


@styled
def figure(tables):
    """The graph, then one panel per data set; needs "auc/design", "auc/tests" and "auc/draws"."""
    rows = tables["auc/tests"].merge(tables["auc/design"], on="dataset")
    drawing, axes = lettered(2.2, 1, 4, gridspec_kw={"width_ratios": [1.1, 1, 1, 1]})
    graphs.draw_graph(axes[0, 0], graphs.CLASSIFICATION)
    axes[0, 0].set_anchor("N")  # its letter in line with the others
    for ax, (_, row) in zip(axes[0, 1:], rows.iterrows(), strict=True):
        draw_auc(ax, row, null_draws(tables["auc/draws"], row["dataset"], "restricted"))
    shared_legend(drawing, axes[0, 1:], ncols=3)
    return drawing


def draw_auc(ax, row, draws):
    """The restricted null and the observed AUC, with the parameters of the data set and the p-value in the title."""
    draw_null(ax, draws, "restricted", null_bins(draws, most=40))
    draw_value(ax, row, "observed")
    ax.axvline(0.5, color=INK, lw=0.6, ls=":", label="random guess (0.5)")
    ax.set(xlim=(0.38, 1.0), xticks=[0.4, 0.6, 0.8, 1.0], xlabel="AUC")
    effects = rf"$\theta = {row['theta']:g}$, $\beta = {row['beta']:g}$"
    ax.set_title(f"cor$(C, Y) = {cell_correlation(row):.3g}$\n{effects}\n{p_value(row)}", fontsize=7, y=1.0)
    hide_density_axis(ax)


def cell_correlation(row):
    """Sample correlation of C and Y from the numbers of samples in their four cells."""
    n11, n10, n01, n00 = (float(row[name]) for name in ("n11", "n10", "n01", "n00"))
    margins = (n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00)
    return (n11 * n00 - n10 * n01) / margins**0.5


def p_value(row):
    """The p-value of the response test, as a fraction if no draw was as good as the observed value."""
    draws = 1 + int(row["n_permutations"])
    if row["response_p"] * draws < 1.5:
        return "$p = 1/" + f"{draws:,}$".replace(",", "{,}")
    return f"$p = {row['response_p']:#.2g}$"
