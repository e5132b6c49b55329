"""Fig. 11 draws the draws and the values of its tables, in the paper's colours."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from permconf.plotting.style import CORRECTED, OBSERVED, POPULATION, RESTRICTED, STANDARD
from permconf_study.paper.figures import fig11


def draws(rng, **means):
    parts = [
        pd.DataFrame({"dataset": dataset, "metric": "auc", "null": null, "value": rng.normal(mean, 0.01, 500)})
        for dataset in (0, 1)
        for null, mean in means.items()
    ]
    return pd.concat(parts)


@pytest.fixture
def ax():
    rng = np.random.default_rng(0)
    relative = {
        "dataset": [0, 0, 1, 1],
        "relative_to": ["standard", "population"] * 2,
        "observed": [0.83, 0.83, 0.1, 0.1],
    }
    tables = {
        "development/draws": draws(rng, restricted=0.77, standard=0.5),
        "baseline/draws": draws(rng, restricted=0.56),
        "relative": pd.DataFrame(relative | {"corrected": [0.62, 0.67, 0.2, 0.3]}),
    }
    (ax,) = fig11.figure(tables).axes
    return ax


def test_lines_stand_at_the_values_of_the_first_data_set(ax):
    vertical = {to_rgba(line.get_color()): line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2}
    assert vertical == {to_rgba(OBSERVED): 0.83, to_rgba(CORRECTED): 0.62, to_rgba(POPULATION): 0.67}


def test_histograms_hold_each_null_and_have_area_one(ax):
    for colour, mean in ((POPULATION, 0.56), (RESTRICTED, 0.77)):
        bars = [bar for bar in ax.patches if bar.get_facecolor() == to_rgba(colour, 0.45)]
        area = sum(bar.get_width() * bar.get_height() for bar in bars)
        centre = sum(bar.get_width() * bar.get_height() * (bar.get_x() + bar.get_width() / 2) for bar in bars)
        assert area == pytest.approx(1)
        assert centre == pytest.approx(mean, abs=0.003)


def test_the_standard_null_is_a_red_density(ax):
    (curve,) = [line for line in ax.lines if to_rgba(line.get_color()) == to_rgba(STANDARD)]
    x, density = curve.get_data()
    assert np.trapezoid(density, x) == pytest.approx(1, abs=0.03)
    assert x[np.argmax(density)] == pytest.approx(0.5, abs=0.01)


def test_every_part_is_in_the_legend(ax):
    labels = ax.get_legend_handles_labels()[1]
    assert len(labels) == 6
    assert "observed AUC, 0.830" in labels
