"""Fig. 6: nulls of classification metrics, discrete in small test sets, approach normality as the test set grows."""

from permconf.plotting.style import styled
from permconf_study.paper.figures.fig05 import null_grid


@styled
def figure(tables):
    """AUC (a-c) and accuracy (d-f) from "classification/tests" and "classification/draws"."""
    return null_grid(tables["classification/tests"], tables["classification/draws"])
