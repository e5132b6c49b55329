"""The list of figures."""

from pathlib import Path

from permconf_study.paper.figure_list import FigureList
from permconf_study.study.paths import HOME


def test_a_figure_that_this_run_did_not_draw_comes_from_the_gallery(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = FigureList({"figS3_level": {"group": "stress"}, "fig01_causaldiagram": {"group": "paper"}}, {}, {})
    assert figures.more_images() == [str(HOME / "docs/images/figS3_level.png")]
    Path("figures").mkdir()
    Path("figures/figS3_level.png").touch()
    assert figures.more_images() == ["figures/figS3_level.png"]
