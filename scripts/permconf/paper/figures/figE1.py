"""Fig. E1: adjustments for confounding on the data of experiments 1 and 3."""

from permconf.paper.figures.comparisons import compared
from permconf.plotting.style import styled


@styled
def figure(tables):
    """Four panels from the tests, given as "1/none/tests", "1/residuals/tests" and so on."""
    return compared(tables, {"1": "experiment 1: response + confounding", "3": "experiment 3: confounding only"})
