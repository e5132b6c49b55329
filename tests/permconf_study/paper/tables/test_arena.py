import numpy as np
import pandas as pd
import pytest

from permconf_study.paper.figures import figE1, figE2
from permconf_study.paper.tables.arena import COLUMNS, METHODS, NUMERIC, OF_NUMBERS, SETTINGS, arena_summary

pytestmark = pytest.mark.usefixtures("readable_in_print")


@pytest.fixture
def cells(scenarios):
    """The table of cells of the arena as it would be if every cell had the same numbers."""
    every = [scenario["cell"] for scenario in scenarios.values() if scenario["group"] == "arena"]
    values = {"value": 0.2, "mcse": 0.01, "n_datasets": 38, "failed": 1, "undefined": 2}
    measures = [
        {"measure": measure, "of": of, "alpha": alpha, **values}
        for measure, of in COLUMNS.values()
        for alpha in ([0.01, 0.05] if measure == "rejection_rate" else [np.nan])
    ]
    return pd.DataFrame([cell | measure for cell in every for measure in measures])


def test_settings_and_methods_are_those_of_the_grid(cells):
    assert set(cells["setting"]) == set(SETTINGS)
    assert set(cells["method"]) == {*METHODS, *OF_NUMBERS}
    assert set(cells.loc[cells["method"].isin(OF_NUMBERS), "setting"]) == set(NUMERIC)


def test_a_summary_has_a_row_for_each_cell(cells):
    cells.loc[(cells["measure"] == "kept") & (cells["of"] == "reversed"), "value"] = -0.1
    cells.loc[cells["alpha"] == 0.01, "value"] = 0.5
    summary = arena_summary(cells.drop(cells[cells["measure"] == "coverage"].index[:1]))
    assert len(summary) == cells.groupby(["setting", "learner", "method"]).ngroups
    assert summary["n_datasets"].eq(40).all()
    for name, expected in {"rate": 0.2, "kept_reversed": -0.1, "rate_mcse": 0.01, "n_error": 38, "failed": 1}.items():
        assert summary[name].eq(expected).all()
    assert summary["coverage"].isna().tolist() == [True] + [False] * (len(summary) - 1)


def test_intervals_of_rates_do_not_vanish_at_the_ends():
    table = pd.DataFrame({"rate": [0.0, 0.5, 1.0], "n_datasets": [100, 100, 100], "kept": 0.9, "kept_mcse": 0.01})
    low, high = figE2.interval(table, "rate")
    assert np.allclose(low, [0, 39.83, 100 * 0.025 ** (1 / 100)], atol=0.01)
    assert np.allclose(high, [100 * (1 - 0.025 ** (1 / 100)), 60.17, 100], atol=0.01)
    assert np.allclose(figE2.interval(table, "kept"), [[88.04] * 3, [91.96] * 3])


def test_the_charts_have_a_cell_for_every_method_and_setting(cells):
    charts = [figE1.figure({"cells": cells}, quantity=name) for name in ("rate", "kept", "kept_reversed")]
    last = charts[-1].axes[-1]  # for matching alone
    shown = cells[cells["method"].isin(METHODS)].groupby(["setting", "learner", "method"]).ngroups
    assert [sum(len(ax.texts) for ax in c.axes if ax is not last) for c in charts] == [shown] * 3
    assert [text.get_text() for text in last.texts] == ["20"] * len(SETTINGS)
    assert len(figE2.figure({"cells": cells}).axes) == 6


def test_the_best_methods_of_a_setting_are_framed():
    """Two columns of three methods: differences of 0.3 and 0.1 with standard errors of 0.1, then of 0.01."""
    values, errors = np.array([[0.9, 0.5], [0.6, 0.6], [0.8, 0.6]]), np.tile([0.1, 0.01], (3, 1))
    assert figE1.best(values, errors).tolist() == [[True, False], [False, True], [True, True]]
