"""The figure of any study: small multiples of a measure over its cells, with Monte Carlo intervals.

Variables of the study are shown by rows, columns, colour and the horizontal axis. Those that nothing shows are part of
the colour, so that no two cells are drawn as one.
"""

import itertools

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from permconf.errors import ConfigError, nearest
from permconf.plotting import style
from permconf.plotting.nulls import shared_legend
from permconf_study.study.cells import RESULTS

MEASURES = {
    "rejection_rate": "rejection rate at {alpha:g}",
    "mean": "mean of {metric}",
    "bias": "bias of {metric}",
    "empirical_se": "empirical s.e. of {metric}",
    "rmse": "RMSE of {metric}",
    "coverage": "coverage of {metric}",
    "width": "interval width of {metric}",
}
NOMINAL = {"bias": 0.0, "coverage": 0.95}
MARKERS = "osD^vPX"
PANEL, MARGIN = 1.75, 1.1
LETTER, HANDLE = 0.052, 0.45  # inches, of a legend


@style.styled
def figure(cells, *, title="", rows=None, columns=None, colour=None, x=None, y="rejection_rate", of=(), **options):
    """Draw the table of cells. `of` names tests or estimators; `alpha` and `metric` choose among several."""
    shown, measured = _shown(cells, y, list(of), **options)
    variables = [name for name in shown if name not in ("scenario", *RESULTS)]
    for name in filter(None, (rows, columns, colour, x)):
        if name not in variables:
            raise ConfigError(f"figure: the study has no variable {name!r}{nearest(name, variables)}")
    hidden = [v for v in variables if v not in (rows, columns, colour, x) and shown[v].nunique() > 1]
    by = [name for name in (colour, *hidden, *(["of"] if x and shown["of"].nunique() > 1 else [])) if name]
    shown = shown.assign(series=[_label(row, by) for row in shown.to_dict("records")])
    at = {name: list(dict.fromkeys(shown[name])) if name else [None] for name in (rows, columns)}
    size = style.PAGE if len(at[columns]) > 1 else 0.7 * style.PAGE, MARGIN + PANEL * len(at[rows])
    drawing = Figure(figsize=size)
    axes = drawing.subplots(len(at[rows]), len(at[columns]), squeeze=False, sharex=True, sharey=True)
    for (row, column), ax in zip(itertools.product(at[rows], at[columns]), axes.flat, strict=True):
        chosen = shown[_is(shown, rows, row) & _is(shown, columns, column)]
        _draw_panel(ax, chosen, shown, x or "of", y)
    for ax, value in zip(axes[0] if columns else (), at[columns], strict=False):
        ax.set_title(f"{columns}: {_text(value)}", fontsize=8)
    for ax, value in zip(axes[:, 0], at[rows], strict=True):
        ax.set_ylabel(f"{rows}: {_text(value)}\n{measured}" if rows else measured)
    for ax in axes[-1] if x else ():
        ax.set_xlabel(x)
    if shown["series"].nunique() > 1:
        widest = HANDLE + LETTER * shown["series"].str.len().max()
        shared_legend(drawing, axes.ravel(), ncols=max(1, int(drawing.get_figwidth() / widest)))
    style.tolerant(drawing.suptitle(title, fontsize=8))
    return drawing


def _shown(cells, y, of, alpha=0.05, metric=None):
    """The rows of the table that are drawn, and the measure in words."""
    if y not in MEASURES:
        raise ConfigError(f"figure.y is {y!r}{nearest(y, MEASURES)}")
    metric = metric or cells["metric"].iloc[0]
    shown = cells[(cells["measure"] == y) & (cells["metric"] == metric)]
    if y == "rejection_rate":
        shown = shown[np.isclose(shown["alpha"], alpha)]
    else:  # an estimator is drawn against the first truth, the one that it is for
        first = shown.groupby("of", sort=False)["against"].transform("first")
        shown = shown[shown["against"].eq(first) | first.isna()]
    measured, known = MEASURES[y].format(alpha=alpha, metric=metric), ", ".join(dict.fromkeys(shown["of"]))
    if shown.empty:
        raise ConfigError(f"figure: the results have no {measured}")
    for name in of:
        if name not in set(shown["of"]):
            raise ConfigError(f"figure.of: the results have no {measured} for {name!r}, only for {known}")
    shown = shown[shown["of"].isin(of)] if of else shown
    truths = shown["against"].dropna().unique()
    if y == "rejection_rate" and cells["metric"].nunique() > 1:
        measured += f", {metric}"
    return shown, measured + (f"\n(truth: {truths[0].replace('_', ' ')})" if len(truths) == 1 and truths[0] else "")


def _is(table, name, value):
    return table[name].eq(value) if name else pd.Series(data=True, index=table.index)


def _label(row, names):
    return ", ".join(row[name] if name == "of" else f"{name}: {_text(row[name])}" for name in names)


def _text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _draw_panel(ax, rows, everything, x, y):
    """Points with intervals, series side by side; lines where the horizontal axis has numbers."""
    series, values = (list(dict.fromkeys(everything[name])) for name in ("series", x))
    numeric = all(isinstance(value, int | float | np.number) for value in values)
    values = sorted(values) if numeric else values
    places = {value: place for place, value in enumerate(values)}
    for k, name in enumerate(series):
        one = rows[rows["series"] == name]
        at = one[x].map(places) + (0.2 if numeric else 0.6) * ((k + 0.5) / len(series) - 0.5)
        errors = np.abs(one[["low", "high"]].to_numpy().T - one["value"].to_numpy())
        look = {"color": style.SERIES[k % len(style.SERIES)], "marker": MARKERS[(k + k // 7) % len(MARKERS)]}
        line = {"ls": style.DASHES[k % len(style.DASHES)] if numeric else "none", "lw": 0.8}
        ax.errorbar(at, one["value"], errors, ms=3, elinewidth=0.8, label=name or None, **look, **line)
    nominal = everything["alpha"].iloc[0] if y == "rejection_rate" else NOMINAL.get(y)
    if nominal is not None:
        ax.axhline(nominal, color="0.6", lw=0.6, ls="--", zorder=1)
    turned = {} if numeric else {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(values)), [_text(value) for value in values], **turned)
    ax.set_xlim(-0.5, len(values) - 0.5)
