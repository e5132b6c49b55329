"""Fig. S2: where Theorems 1 and 2 are exact, where their error vanishes as n grows, and where it does not."""

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import DARK, LIGHT, POPULATION, QUANTILE_CORRECTED, lettered, styled
from permconf_study.paper.tables.theorems import ROUNDING

# Theorem and estimator: label, colour, marker.
EQUATIONS = {
    (1, ""): ("Theorem 1", DARK, "o"),
    (2, "U"): ("Theorem 2, U-statistics", POPULATION, "s"),
    (2, "V"): ("Theorem 2, V-statistics", QUANTILE_CORRECTED, "^"),
}
CODINGS = {
    ("binary", "numeric"): "binary $C$",
    ("three levels", "dummy"): "three levels, dummy coding",
    ("three levels", "numeric"): "three levels, numeric code",
}
EFFECTS = ("linear", "nonlinear")
STATISTIC = "correlation"
EXACT = 4e-7  # discrepancies that are rounding errors, zeros included, are drawn here


@styled
def figure(tables):
    """Rows: effects; columns: kinds and codings of the confounder; needs "theorems" and "theorem_decay"."""
    both = (_rows(tables[name], {"statistic": STATISTIC}) for name in ("theorems", "theorem_decay"))
    table, decay = (rows.fillna({"estimator": ""}) for rows in both)  # that of Theorem 1 is missing after reading CSV
    drawing, axes = lettered(3.8, len(EFFECTS), len(CODINGS), sharex=True, sharey=True)
    for line, effect in zip(axes, EFFECTS, strict=True):
        line[0].set_ylabel(f"{effect} effects")
        for ax, (confounder, coding) in zip(line, CODINGS, strict=True):
            where = {"confounder": confounder, "coding": coding, "effect": effect}
            draw_discrepancies(ax, _rows(table, where), _rows(decay, where))
    for top, bottom, title in zip(axes[0], axes[-1], CODINGS.values(), strict=True):
        top.set_title(title, loc="right", y=1.0, fontsize=8)
        bottom.set_xlabel("n")
    drawing.supylabel("|discrepancy|", fontsize=8)
    shared_legend(drawing, axes[0, :1], ncols=3)
    return drawing


def _rows(table, where):
    for name, value in where.items():
        table = table[table[name] == value]
    return table


def draw_discrepancies(ax, table, decay):
    """|permutation side - conventional side| of each equation against n: every data set, medians, and the verdict."""
    ax.axhspan(EXACT / 2, 2 * EXACT, color=LIGHT, lw=0, alpha=0.6)
    for line, ((theorem, estimator), (label, colour, marker)) in enumerate(EQUATIONS.items()):
        where = {"theorem": theorem, "estimator": estimator}
        rows = _rows(table, where)
        size = rows["discrepancy"].abs()
        size = size.clip(lower=3 * EXACT).where(size > ROUNDING, EXACT)
        ax.plot(rows["n"], size, ".", ms=2.5, color=colour, alpha=0.3, mew=0)
        medians = size.groupby(rows["n"]).median()
        ax.plot(medians.index, medians, marker=marker, ms=3.5, lw=1.0, color=colour, label=label, mfc="none")
        (verdict,) = _rows(decay, where)["verdict"]
        text = {"transform": ax.transAxes, "color": colour, "fontsize": 7}
        ax.text(0.03, 0.92 - 0.085 * line, f"{label}: {verdict}", **text)
    sizes = sorted(table["n"].unique())
    ax.set(xscale="log", yscale="log", ylim=(EXACT / 2, 800))
    ax.set_xticks(sizes, [f"{n:g}" for n in sizes])
    ax.set_yticks([EXACT, 1e-5, 1e-3, 1e-1], ["< 1e-10", "0.00001", "0.001", "0.1"])
    ax.minorticks_off()
