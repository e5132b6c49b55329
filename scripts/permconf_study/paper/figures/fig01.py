"""Fig. 1: a confounded prediction problem as causal diagrams (a, b) and as the undirected graph of both (c)."""

from permconf.plotting.style import PAGE, lettered, styled
from permconf_study.paper.figures import graphs


@styled
def figure(tables=None):
    """Three graphs side by side; needs no table."""
    drawing, axes = lettered(1.3, 1, 3, width=0.8 * PAGE, gridspec_kw={"wspace": 0.15})
    for ax, graph in zip(axes.flat, (graphs.CONFOUNDED, graphs.SELECTED, graphs.ASSOCIATED), strict=True):
        graphs.draw_graph(ax, graph)
    return drawing
