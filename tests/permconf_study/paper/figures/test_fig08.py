import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from permconf.plotting.style import CORRECTED, EXPERIMENTS, OBSERVED
from permconf_study.paper.figures import fig08
from permconf_study.study.rejection_rates import alpha_grid, rejection_curve


@pytest.fixture
def tables(rng):
    made = {}
    for e, shift in zip("1234", (3, 3, 0, 0), strict=True):
        p = rng.random(50) ** (1 + shift)
        curves = [pd.DataFrame(rejection_curve(p, alpha_grid(20))).assign(test=t) for t in ("response", "confounding")]
        made[f"{e}/curves"] = pd.concat(curves)
        status = ["failed"] * 3 + ["ok"] * 47
        made[f"{e}/tests"] = pd.DataFrame(
            {"observed": 0.7 + rng.normal(0, 0.05, 50), "corrected": 0.6 + rng.normal(0, 0.05, 50), "status": status}
        )
    return made


def test_panels_show_the_tables(tables):
    figure = fig08.figure(tables)
    letters = [ax.get_title(loc="left") for ax in figure.axes]
    assert letters == list("abcdef")
    curves = figure.axes[0].get_lines()[1:]
    for experiment, line, colour in zip("1234", curves, EXPERIMENTS, strict=True):
        table = tables[f"{experiment}/curves"]
        np.testing.assert_array_equal(line.get_ydata(), table.loc[table["test"] == "response", "rate"])
        assert line.get_color() == colour


def test_histograms_hold_the_usable_data_sets(tables):
    ax = fig08.figure(tables).axes[2]
    filled = [bars for bars in ax.containers if len(bars) > 1]
    assert ax.get_legend_handles_labels()[1] == ["observed", "corrected"]
    for bars, colour in zip(filled, (OBSERVED, CORRECTED), strict=True):
        assert sum(bar.get_height() for bar in bars) == 47
        assert to_hex(bars[0].get_facecolor()) == colour.lower()
    assert ax.get_ylabel() == "data sets (of 47)"
