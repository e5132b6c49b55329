"""Fig. 3: the simulation model (a), and restricted nulls of the AUC with decreasing confounding (b-d)."""

from matplotlib.figure import Figure

from permconf.plotting.nulls import draw_null, draw_value, hide_density_axis, null_bins, null_draws, shared_legend
from permconf.plotting.style import INK, PAGE, letter, styled
from permconf_study.paper.figures import graphs

LETTERS = "bcd"


@styled
def figure(tables):
    """The graph, then one panel per data set; needs "auc/design", "auc/tests" and "auc/draws"."""
    tests, design, draws = (tables[f"auc/{name}"] for name in ("tests", "design", "draws"))
    drawing = Figure(figsize=(PAGE, 2.2))
    axes = drawing.subplots(1, 1 + len(LETTERS), gridspec_kw={"width_ratios": [1.1, 1, 1, 1]})
    graphs.draw_graph(axes[0], graphs.CLASSIFICATION)
    letter(axes[0], "a")
    for ax, name, dataset in zip(axes[1:], LETTERS, tests["dataset"], strict=True):
        row = tests.set_index("dataset").loc[dataset]
        draw_auc(ax, row, null_draws(draws, dataset, "restricted"))
        ax.set_title(setting(design.set_index("dataset").loc[dataset], row), fontsize=7, y=1.0)
        letter(ax, name)
    shared_legend(drawing, axes[1:], ncols=3)
    return drawing


def cell_correlation(row):
    """Sample correlation of C and Y from the numbers of samples in their four cells."""
    n11, n10, n01, n00 = (float(row[name]) for name in ("n11", "n10", "n01", "n00"))
    margins = (n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00)
    return (n11 * n00 - n10 * n01) / margins**0.5


def setting(parameters, row):
    """Parameters of a data set, and the p-value of its response test."""
    effects = rf"$\theta = {parameters['theta']:g}$, $\beta = {parameters['beta']:g}$"
    return f"cor$(C, Y) = {cell_correlation(parameters):.3g}$\n{effects}, {p_value(row)}"


def p_value(row):
    """The p-value of the response test, as a fraction if no draw was as good as the observed value."""
    draws = 1 + int(row["n_permutations"])
    if row["response_p"] * draws < 1.5:
        return "$p = 1/" + f"{draws:,}$".replace(",", "{,}")
    return f"$p = {row['response_p']:#.2g}$"


def draw_auc(ax, row, draws):
    """The restricted null and the observed AUC."""
    draw_null(ax, draws, "restricted", null_bins(draws, most=40))
    draw_value(ax, row, "observed")
    ax.axvline(0.5, color=INK, lw=0.6, ls=":", label="random guess (0.5)")
    ax.set(xlim=(0.38, 1.0), xticks=[0.4, 0.6, 0.8, 1.0], xlabel="AUC")
    hide_density_axis(ax)
