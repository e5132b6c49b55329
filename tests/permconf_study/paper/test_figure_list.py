"""The list of figures."""

from pathlib import Path

from permconf_study.paper.figure_list import FigureList
from permconf_study.study.paths import HOME


def test_a_figure_that_this_run_did_not_draw_comes_from_the_gallery(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = FigureList({"figE1_adjustments": {"group": "arena"}, "fig01_causaldiagram": {"group": "paper"}}, {})
    assert figures.more_images() == [str(HOME / "docs/images/figE1_adjustments.png")]
    Path("figures").mkdir()
    Path("figures/figE1_adjustments.png").touch()
    assert figures.more_images() == ["figures/figE1_adjustments.png"]
