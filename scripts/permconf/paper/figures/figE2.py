"""Fig. E2: a continuous confounder in few and many bins."""

from permconf.paper.figures.comparisons import compared
from permconf.plotting.style import styled


@styled
def figure(tables):
    """Four panels from the tests, given as "line/10 bins/tests" and so on."""
    return compared(tables, {"line": "confounder acts linearly", "square": "confounder acts by its square"})
