"""Fig. 9: gender and disease in the population of interest (a) and in the development data (b)."""

from matplotlib.figure import Figure

from permconf.plotting.style import PAGE, letter, styled
from permconf_study.paper.figures.mosaics import draw_mosaic

PANELS = {"a": ("population", "population of interest"), "b": ("development", "development data")}


@styled
def figure(tables):
    """Two mosaics from the table of cells of Section 4."""
    return mosaics(tables["cells"], PANELS, columns=2)


def mosaics(cells, panels, *, columns):
    """One lettered mosaic per set of the table `cells`; `panels` maps letters to names of sets and titles."""
    rows = -(-len(panels) // columns)
    drawing = Figure(figsize=(0.8 * PAGE, 2.6 * rows))
    axes = drawing.subplots(rows, columns, gridspec_kw={"wspace": 0.08, "hspace": 0.08}).ravel()
    for ax, (name, (wanted, title)) in zip(axes, panels.items(), strict=True):
        table = cells[cells["set"] == wanted]
        if table.empty:
            raise ValueError(f"the table of cells has no set {wanted!r}, only {sorted(cells['set'].unique())}")
        draw_mosaic(ax, table)
        counted = "" if table["count"].isna().any() else f", n = {int(table['count'].sum()):,}"
        ax.set_title(f"{title}{counted}")
        letter(ax, name)
    return drawing
