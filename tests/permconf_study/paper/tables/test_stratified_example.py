"""The 16 samples of Fig. 2."""

import numpy as np
import pandas as pd
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.paper.figures.fig02 import matrices
from permconf_study.paper.tables.stratified_example import stratified_example


def test_restricted_permutations_keep_four_and_two_and_standard_ones_do_not():
    cells = matrices(pd.DataFrame(stratified_example(Streams(20180518, "stratified_example"))))
    widths = {"X": 5, "c": 1, "y": 1, "restricted": 8, "standard": 8}
    assert {name: matrix.shape for name, matrix in cells.items()} == {name: (16, n) for name, n in widths.items()}
    assert cells["c"][:, 0].tolist() == [1] * 7 + [0] * 9
    above, below = ({name: set(m[rows].sum(axis=0)) for name, m in cells.items()} for rows in (slice(7), slice(7, 16)))
    assert above["y"] == above["restricted"] == {4}
    assert below["y"] == below["restricted"] == {2}
    assert above["standard"] != {4}
    assert set(cells["standard"].sum(axis=0)) == {6}
    c, y = cells["c"][:, 0], cells["y"][:, 0]
    for value in (0, 1, 2):  # features have mean y + c
        x = cells["X"][y + c == value]
        assert x.mean() == pytest.approx(value, abs=3 / np.sqrt(x.size))
