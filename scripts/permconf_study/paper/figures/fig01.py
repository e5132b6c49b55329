"""Fig. 1: a confounded prediction problem as causal diagrams (a, b) and as the undirected graph of both (c)."""

from matplotlib.figure import Figure

from permconf.plotting.style import PAGE, letter, styled
from permconf_study.paper.figures import graphs

PANELS = {"a": graphs.CONFOUNDED, "b": graphs.SELECTED, "c": graphs.ASSOCIATED}


@styled
def figure(tables=None):
    """Three graphs side by side; needs no table."""
    drawing = Figure(figsize=(0.8 * PAGE, 1.3))
    axes = drawing.subplots(1, len(PANELS), gridspec_kw={"wspace": 0.15})
    for ax, (name, graph) in zip(axes, PANELS.items(), strict=True):
        graphs.draw_graph(ax, graph)
        letter(ax, name)
    return drawing
