"""Mosaics: areas are shares, every cell is written, for any number of levels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from permconf_study.paper.figures import fig09, fig10
from permconf_study.paper.figures.mosaics import GAP, cell_text, draw_mosaic


def table(counts, name="development"):
    counts = np.asarray(counts)
    y, c = np.indices(counts.shape)
    columns = {"y": y.ravel(), "c": c.ravel(), "count": counts.ravel().astype(float)}
    return pd.DataFrame({"set": name, **columns, "share": counts.ravel() / counts.sum()})


def mosaic(cells, **names):
    ax = Figure().subplots()
    draw_mosaic(ax, cells, **names)
    return ax


def rectangles(ax):
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("counts", [[[40, 10], [10, 40]], [[5, 20, 3], [9, 1, 30], [2, 8, 22], [7, 7, 7]]])
def test_areas_are_shares(counts):
    cells = table(counts)
    drawn = np.array([r.get_width() * r.get_height() for r in rectangles(mosaic(cells))])
    y, c = np.shape(counts)
    room = (1 - GAP * (y - 1)) * (1 - GAP * (c - 1))
    by_column = cells.sort_values(["c", "y"])
    assert drawn / room == pytest.approx(by_column["share"].to_numpy())


def test_cells_do_not_overlap_and_stay_inside():
    boxes = [r.get_bbox() for r in rectangles(mosaic(table([[5, 20, 3], [9, 1, 30]])))]
    for k, box in enumerate(boxes):
        assert min(box.x0, box.y0) >= 0
        assert max(box.x1, box.y1) <= 1 + 1e-12
        for other in boxes[:k]:
            assert box.x0 >= other.x1 - 1e-12 or box.y0 >= other.y1 - 1e-12


def test_counts_percentages_and_levels_are_written():
    ax = mosaic(table([[4082, 986], [978, 3954]]))
    assert {"4082\n(40.82 %)", "986\n(9.86 %)", "978\n(9.78 %)", "3954\n(39.54 %)", "female", "male"} == set(texts(ax))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["control", "case"]


def test_shares_without_counts_are_percentages_only():
    assert cell_text({"count": float("nan"), "share": 1 / 3}) == "33.33 %"


def test_levels_may_have_any_name_and_an_empty_cell_no_text():
    ax = mosaic(table([[4, 0], [1, 5]]), y_names={0: "no", 1: "yes"}, c_names={0: "site A", 1: "site B"})
    assert "0\n(0.00 %)" not in texts(ax)
    assert {"site A", "site B"} <= set(texts(ax))


@pytest.mark.parametrize(("module", "letters"), [(fig09, "ab"), (fig10, "abcd")])
def test_figures_are_lettered_and_show_the_number_of_rows(module, letters):
    names = {name for name, _ in module.PANELS.values()}
    cells = pd.concat([table([[40, 10], [10, 41]], name) for name in sorted(names)])
    cells.loc[cells["set"] == "population", "count"] = np.nan
    axes = module.figure({"cells": cells}).axes
    assert "".join(ax.get_title(loc="left") for ax in axes) == letters
    for ax, (name, title) in zip(axes, module.PANELS.values(), strict=True):
        assert ax.get_title() == (title if name == "population" else f"{title}, n = 101")


def test_a_missing_set_is_named():
    with pytest.raises(ValueError, match="no set 'population', only \\['development'\\]"):
        fig09.figure({"cells": table([[1, 2], [3, 4]])})
