"""The list of figures."""

from pathlib import Path

import pandas as pd

from permconf_study.paper.figure_list import FigureList
from permconf_study.study.paths import HOME


def test_a_figure_that_this_run_did_not_draw_comes_from_the_gallery(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = FigureList({"figE1_adjustments": {"group": "arena"}, "fig01_causaldiagram": {"group": "paper"}}, {})
    assert figures.more_images() == [str(HOME / "docs/images/figE1_adjustments.png")]
    Path("figures").mkdir()
    Path("figures/figE1_adjustments.png").touch()
    assert figures.more_images() == ["figures/figE1_adjustments.png"]


def test_a_caption_counts_the_data_sets_behind_an_image(tmp_path, monkeypatch):
    entry = {"caption": "{a[datasets]:,} data sets", "scenarios": {"1": "a"}}
    figures = FigureList({"f": entry}, {"a": {"datasets": 1000}})
    monkeypatch.chdir(tmp_path)
    assert figures.caption("f", drawn=True) == "1,000 data sets"
    (tmp_path / "results/a").mkdir(parents=True)
    pd.DataFrame({"dataset": [0, 0, 1], "metric": ["auc", "mse", "auc"]}).to_parquet("results/a/tests.parquet")
    assert figures.caption("f", drawn=True) == "2 data sets"
    assert figures.caption("f") == "1,000 data sets"
