"""Figures of an audit: what was computed is drawn, in the colour of its role, and nothing is shown."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from permconf.auditing.plots import confounder_figure, level_figure, metric_figure
from permconf.plotting.style import CORRECTED, OBSERVED, POPULATION


def axes(figure):
    found = [*figure.axes]
    for part in figure.subfigs:
        found += [ax for ax in part.axes if ax not in found]
    return found


def points(ax, colour):
    """Where a metric is drawn in this colour."""
    return [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o" and line.get_color() == colour]


def test_it_is_a_figure_that_nobody_shows(invented):
    before = mpl.rcParams["font.size"]
    figure = invented().plot()
    assert isinstance(figure, Figure)
    assert mpl.rcParams["font.size"] == before
    assert len(axes(figure)) == 3
    figure.draw_without_rendering()


def test_values_and_intervals(invented):
    ax = metric_figure(invented()).axes[0]
    assert points(ax, OBSERVED) == [0.8012]
    assert points(ax, POPULATION) == [0.6604, 0.655, 0.671]
    assert points(ax, CORRECTED) == [0.6412]
    bars = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "None"]
    assert (0.752, 0.843) in bars
    assert (0.611, 0.707) in bars
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        *("observed", "reweighted", "overlap", "within", "corrected (paper)")
    ]


def test_without_fits_there_are_no_nulls(predictions_only):
    figure = metric_figure(predictions_only)
    assert len(figure.axes) == 1
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()][:2] == ["observed", "reweighted"]
    figure.draw_without_rendering()


def test_nulls_of_which_there_is_one_or_that_do_not_vary(invented):
    for draws in (np.r_[np.nan, np.linspace(0.4, 0.6, 20)], np.full(20, 0.5)):
        figure = metric_figure(invented(restricted=draws, standard=None))
        legend = figure.axes[1].get_legend().get_texts()
        assert [text.get_text() for text in legend] == ["null: only confounders predict"]
        figure.draw_without_rendering()


@pytest.mark.parametrize("number", [1, 2, 40])
def test_confounders_in_order_of_evidence(invented, number):
    rows = [(f"c{k}", (number - k) / number, 0.001, (number - k) / number, "unclear") for k in range(number)]
    figure = confounder_figure(invented(*rows))
    ax = figure.axes[0]
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert names[0] == f"c{number - 1}"
    assert len(names) == min(number, 12)
    assert ax.get_xlim()[0] > 1 > ax.get_xlim()[1]  # evidence to the right
    figure.draw_without_rendering()


def test_names_that_are_no_mathematics(invented, tmp_path):
    audit = invented(("$x_^$", 0.001, 0.001, 0.001, "inflates"), name="$y_^$", response="$z_^$")
    for suffix in (".png", ".pdf", ".html"):
        audit.save(tmp_path / f"audit{suffix}")


def test_no_p_value_is_off_the_axis(invented):
    ax = confounder_figure(invented(("site", 0.0001, 0.0001, 0.0, "inflates"))).axes[0]
    drawn = [line.get_xdata()[0] for line in ax.lines if line.get_marker() in "sDo" and len(line.get_xdata()) == 1]
    assert min(drawn) > 0
    assert ax.get_xlim()[1] < 0.0001


def test_the_metric_by_level(invented):
    ax = level_figure(invented()).axes[0]
    assert points(ax, OBSERVED) == [0.66, 0.68]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["site: a", "site: b"]
