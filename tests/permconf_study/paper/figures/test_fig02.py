"""Fig. 2 shows its table: the cells, the line between the levels, the counts on either side of it."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgba

from permconf.plotting import style
from permconf_study.paper.figures import fig02

C = np.repeat([1, 0], [7, 9])
Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0])
LETTERS = list("abcdefgh")


def matrices():
    """The paper's 16 samples: 4 ones among the 7 with c = 1, 2 among the 9 with c = 0."""
    rng = np.random.default_rng(4)
    restricted = [np.concatenate([rng.permutation(Y[:7]), rng.permutation(Y[7:])]) for _ in range(6)]
    standard = [rng.permutation(Y) for _ in range(6)]
    return {
        "X": rng.normal(size=(16, 5)),
        "c": C[:, None],
        "y": Y[:, None],
        "restricted": np.transpose(restricted),
        "standard": np.transpose(standard),
    }


def long(panels):
    parts = []
    for panel, matrix in panels.items():
        row, column = np.indices(matrix.shape)
        values = {"row": row.ravel(), "column": column.ravel(), "value": matrix.ravel().astype(float)}
        parts.append(pd.DataFrame({"panel": panel} | values))
    return pd.concat(parts).sample(frac=1, random_state=1)


@pytest.fixture
def table():
    return long(matrices())


def panels(figure):
    return {ax.get_title(loc="left"): ax for ax in figure.axes}


def mesh(ax):
    return next(artist for artist in ax.collections if isinstance(artist, QuadMesh))


def test_eight_panels_are_lettered_as_in_the_paper(table):
    assert [ax.get_title(loc="left") for ax in fig02.figure({"stratified": table}).axes] == LETTERS


def test_every_cell_is_drawn_with_its_value(table):
    axes = panels(fig02.figure({"stratified": table}))
    for letter, name in zip("defgh", ("X", "c", "y", "restricted", "standard"), strict=True):
        drawn = mesh(axes[letter]).get_array().reshape(16, -1)
        np.testing.assert_array_equal(drawn, matrices()[name])
        assert axes[letter].yaxis_inverted()


def test_ones_are_dark_and_zeros_light(table):
    for letter in "efgh":
        cells = mesh(panels(fig02.figure({"stratified": table}))[letter])
        np.testing.assert_allclose(cells.to_rgba([0, 1]), [to_rgba(style.LIGHT), to_rgba(style.DARK)])


def test_a_red_line_separates_the_levels_in_every_data_panel(table):
    axes = panels(fig02.figure({"stratified": table}))
    for letter in "defgh":
        (line,) = axes[letter].lines
        assert list(line.get_ydata()) == [7, 7]
        assert line.get_color() == style.STANDARD


def test_restricted_columns_keep_four_and_two_and_standard_ones_do_not(table):
    restricted, standard = fig02.counts(table, "restricted"), fig02.counts(table, "standard")
    assert (restricted.above == 4).all()
    assert (restricted.below == 2).all()
    assert (standard.above + standard.below == 6).all()
    assert (standard.above != 4).any()


def test_counts_are_written_on_the_columns(table):
    axes = panels(fig02.figure({"stratified": table}))
    count = fig02.counts(table, "standard")
    (top,) = axes["h"].child_axes
    assert [int(label.get_text()) for label in axes["h"].get_xticklabels()] == count.below.tolist()
    assert [int(label.get_text()) for label in top.get_xticklabels()] == count.above.tolist()


def test_another_shape_of_the_example_is_drawn_as_well(tmp_path):
    wide = matrices() | {"X": np.ones((16, 2)) * C[:, None], "standard": matrices()["standard"][:, :3]}
    style.save(fig02.figure({"stratified": long(wide)}), tmp_path / "fig02.png")
    assert (tmp_path / "fig02.png").stat().st_size > 0


def test_two_figures_of_one_table_are_equal_files(table, tmp_path):
    for name in ("one.pdf", "two.pdf"):
        style.save(fig02.figure({"stratified": table}), tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def test_bad_tables_are_named(table):
    with pytest.raises(ValueError, match=r"lacks the columns \['value'\]"):
        fig02.cells(table.drop(columns="value"), "X")
    with pytest.raises(ValueError, match="has no panel 'z'"):
        fig02.cells(table, "z")
    with pytest.raises(ValueError, match="panel 'restricted' of table 'stratified' has missing cells"):
        fig02.cells(table.drop(table.query("panel == 'restricted'").index[0]), "restricted")
    unsorted = long(matrices() | {"c": C[::-1, None]})
    with pytest.raises(ValueError, match="must be sorted with its ones on top"):
        fig02.boundary(unsorted)
