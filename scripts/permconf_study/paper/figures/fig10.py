"""Fig. 10: gender and disease in the population sets (a, b) and in the development training and test sets (c, d)."""

from permconf.plotting.style import styled
from permconf_study.paper.figures.fig09 import mosaics

PANELS = {
    "baseline_train": "baseline training set",
    "baseline_test": "baseline test set",
    "development_train": "development training set",
    "development_test": "development test set",
}


@styled
def figure(tables):
    """Four mosaics from the table of cells of Section 4."""
    return mosaics(tables["cells"], PANELS)
