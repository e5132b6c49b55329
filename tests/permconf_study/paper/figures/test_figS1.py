"""Fig. S1 draws Algorithm 2's draws, the normal approximation and the observed mean of its tables."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from scipy.stats import norm

from permconf.plotting.style import INK, RESTRICTED, STANDARD
from permconf_study.paper.figures import figS1


def tables(rng):
    made = {}
    for size, n in (("small", 10), ("large", 100)):
        steps = rng.binomial(40 * n, 0.5, 4000) / (40 * n)
        draws = pd.DataFrame({"dataset": 0, "metric": "auc", "null": "algorithm2", "value": steps})
        restricted = pd.DataFrame({"dataset": 0, "metric": "auc", "null": "restricted", "value": np.full(n, 0.9)})
        made[f"{size}/draws"] = pd.concat([restricted, draws])
        row = {"n_test": n, "baseline_mean": 0.5, "baseline_sd": 0.1, "algorithm2_inner": n, "algorithm2_p": 0.02}
        made[f"{size}/tests"] = pd.DataFrame([row | {"algorithm2_statistic": 0.52}])
    return made


@pytest.fixture
def axes(rng):
    return figS1.figure(tables(rng)).axes


def test_two_lettered_panels_for_two_sizes(axes):
    assert [ax.get_title(loc="left") for ax in axes] == ["a", "b"]
    assert [ax.get_title() for ax in axes] == ["test set of 10", "test set of 100"]


def test_the_histogram_holds_the_draws_of_algorithm_2_only(axes):
    for ax in axes:
        bars = [bar for bar in ax.patches if bar.get_facecolor() == to_rgba(RESTRICTED, 0.45)]
        area = [bar.get_width() * bar.get_height() for bar in bars]
        assert sum(area) == pytest.approx(1)
        assert max(bar.get_x() + bar.get_width() for bar in bars) < 0.8


def test_the_curve_is_the_normal_approximation(axes):
    for ax, n in zip(axes, (10, 100), strict=True):
        (curve,) = [line for line in ax.lines if to_rgba(line.get_color()) == to_rgba(STANDARD)]
        x, density = curve.get_data()
        np.testing.assert_allclose(density, norm.pdf(x, 0.5, 0.1 / np.sqrt(n)))


def test_the_observed_mean_and_both_p_values_are_shown(axes):
    (line,) = [line for line in axes[0].lines if to_rgba(line.get_color()) == to_rgba(INK)]
    assert line.get_xdata()[0] == 0.52
    notes = [text.get_text() for text in axes[0].texts]
    assert notes[0] == "observed 0.52"
    assert notes[1].endswith("p = 0.02")
    assert notes[2] == f"sd 0.032\np = {norm.sf(0.02 / 0.1 * np.sqrt(10)):.2g}"


def test_bins_hold_equally_many_attainable_values(rng):
    draws = rng.binomial(250, 0.5, 5000) / 250
    edges = figS1.aligned_bins(draws, 0.5, 0.15)
    attainable = np.arange(251) / 250
    inside = attainable[(attainable > edges[0]) & (attainable < edges[-1])]
    assert len(set(np.histogram(inside, edges)[0])) == 1
    assert edges[0] < draws.min()
    assert edges[-1] > draws.max()


def test_small_p_values_are_bounded():
    assert (figS1.p_text(0.0123), figS1.p_text(0.0)) == ("= 0.012", "< 1e-6")
