"""Fig. 5: nulls of regression metrics approach normality as the test set grows."""

from permconf.plotting.style import styled
from permconf_study.paper.figures.asymptotics import null_grid


@styled
def figure(tables):
    """MAE (a-c), MSE (d-f) and CCC (g-i) from "regression/tests" and "regression/draws"."""
    return null_grid(tables["regression/tests"], tables["regression/draws"])
