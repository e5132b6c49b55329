"""Appendix graph: the model that simulates data for the correlation illustrations (Figs. 4 and 7)."""

from matplotlib.figure import Figure

from permconf.plotting.style import styled
from permconf_study.paper.figures import graphs


@styled
def figure(tables=None):
    """One graph; needs no table."""
    drawing = Figure(figsize=(2.2, 1.4))
    graphs.draw_graph(drawing.subplots(), graphs.CORRELATION_MODEL)
    return drawing
