"""Nulls as histograms: bins that respect a discrete support, densities with area one, colours by role."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from permconf.plotting import nulls, style


@pytest.fixture
def ax():
    return Figure().subplots()


def discrete(m=15, b=2000):
    return np.random.default_rng(0).binomial(m, 0.6, b) / m


def test_bins_of_a_discrete_metric_have_one_value_in_the_middle_of_each():
    values = discrete()
    edges = nulls.null_bins(values)
    np.testing.assert_allclose(np.diff(edges), 1 / 15)
    middles = (edges[1:] + edges[:-1]) / 2
    np.testing.assert_allclose(middles * 15, np.round(middles * 15), atol=1e-9)
    assert edges[0] < values.min() < values.max() < edges[-1]


@pytest.mark.parametrize("m", [100, 997, 4000])
def test_merged_bins_have_equally_many_values_of_the_support(m):
    values = np.arange(m + 1) / m
    edges = nulls.null_bins(values, most=30)
    counts = np.histogram(values, edges)[0]
    assert 15 <= len(counts) <= 31
    assert set(counts[:-1]) == {counts[0]}
    assert counts.sum() == m + 1


CONTINUOUS = np.random.default_rng(2).normal(size=3000)


@pytest.mark.parametrize("values", [discrete(), CONTINUOUS])
def test_a_null_is_drawn_in_its_colour_with_area_one(ax, values):
    edges = nulls.null_bins(values)
    nulls.draw_null(ax, values, "standard", edges)
    expected, _ = np.histogram(values, edges)
    top = ax.patches[0].get_xy()[1 : 2 * len(edges) - 1 : 2]  # the left end of each step
    np.testing.assert_allclose(top, np.column_stack([edges[:-1], expected / values.size / np.diff(edges)]))
    assert ax.patches[0].get_facecolor()[:3] == to_rgb(style.STANDARD)


def test_normal_curve_has_the_moments_given(ax):
    nulls.draw_normal(ax, 0.7, 0.05, "restricted")
    x, y = ax.lines[0].get_data()
    area = np.trapezoid(y, x)
    mean = np.trapezoid(x * y, x)
    assert area == pytest.approx(1, abs=1e-4)
    assert mean == pytest.approx(0.7, abs=1e-4)
    assert np.sqrt(np.trapezoid((x - mean) ** 2 * y, x)) == pytest.approx(0.05, abs=1e-4)


def test_draws_are_those_of_the_data_set_null_and_metric():
    table = pd.DataFrame(
        {
            "dataset": [1, 1, 1, 2],
            "metric": ["auc", "auc", "accuracy", "auc"],
            "null": ["restricted", "standard", "restricted", "restricted"],
            "value": [0.1, 0.2, 0.3, 0.4],
        }
    )
    assert nulls.null_draws(table, 1, "restricted", "auc").tolist() == [0.1]
    assert nulls.null_draws(table, 2, "restricted").tolist() == [0.4]
    with pytest.raises(ValueError, match="no standard null of auc for data set 2"):
        nulls.null_draws(table, 2, "standard", "auc")
