"""Fig. S2: where Theorems 1 and 2 are exact, where their error vanishes as n grows, and where it does not."""

import numpy as np

from permconf.plotting.nulls import shared_legend
from permconf.plotting.style import DARK, INK, LIGHT, POPULATION, QUANTILE_CORRECTED, lettered, styled
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
FLOOR = 1e-17  # a discrepancy of zero is drawn here


@styled
def figure(tables):
    """Rows: effects; columns: kinds and codings of the confounder; needs "theorems" and "theorem_decay"."""
    table, decay = (_correlations(tables[name]) for name in ("theorems", "theorem_decay"))
    drawing, axes = lettered(4.4, len(EFFECTS), len(CODINGS), sharex=True, sharey=True)
    for line, effect in zip(axes, EFFECTS, strict=True):
        line[0].set_ylabel(f"|discrepancy|, {effect} effects")
        for ax, (confounder, coding) in zip(line, CODINGS, strict=True):
            where = {"confounder": confounder, "coding": coding, "effect": effect}
            draw_discrepancies(ax, _rows(table, where), _rows(decay, where))
    for top, bottom, title in zip(axes[0], axes[-1], CODINGS.values(), strict=True):
        top.set_title(title, loc="right", y=1.0, fontsize=8)
        bottom.set_xlabel("n")
    shared_legend(drawing, axes[0, :1], ncols=3)
    return drawing


def _correlations(table):
    """Rows about correlations; the empty estimator of Theorem 1 is missing after reading CSV."""
    return table[table["statistic"] == STATISTIC].fillna({"estimator": ""})


def _rows(table, where):
    for name, value in where.items():
        table = table[table[name] == value]
    return table


def draw_discrepancies(ax, table, decay):
    """|permutation side - conventional side| of each equation against n: every data set, medians, and the verdict."""
    ax.axhspan(FLOOR / 3, ROUNDING, color=LIGHT, lw=0, alpha=0.6)
    for line, ((theorem, estimator), (label, colour, marker)) in enumerate(EQUATIONS.items()):
        where = {"theorem": theorem, "estimator": estimator}
        rows = _rows(table, where)
        size = np.maximum(rows["discrepancy"].abs(), FLOOR)
        ax.plot(rows["n"], size, ".", ms=2.5, color=colour, alpha=0.3, mew=0)
        medians = size.groupby(rows["n"]).median()
        ax.plot(medians.index, medians, marker=marker, ms=3.5, lw=1.0, color=colour, label=label)
        (verdict,) = _rows(decay, where)["verdict"]
        ax.text(0.03, 0.66 - 0.08 * line, f"{label}: {verdict}", transform=ax.transAxes, color=colour, fontsize=7)
    sizes = sorted(table["n"].unique())
    ax.set(xscale="log", yscale="log", ylim=(FLOOR / 3, 10))
    ax.set_xticks(sizes, [f"{n:g}" for n in sizes])
    ax.minorticks_off()
    ax.text(0.03, 0.35, "rounding", transform=ax.transAxes, color=INK, fontsize=7)
