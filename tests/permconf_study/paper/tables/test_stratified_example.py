"""The 16 samples of Fig. 2."""

import numpy as np
import pandas as pd

from permconf.permute.random_streams import Streams
from permconf_study.paper.figures.fig02 import counts
from permconf_study.paper.tables.stratified_example import stratified_example


def test_restricted_permutations_keep_four_and_two_and_standard_ones_do_not():
    table = pd.DataFrame(stratified_example(Streams(20180518, "stratified_example")))
    for panel in ("y", "restricted"):
        assert set(counts(table, panel).above) == {4}
        assert set(counts(table, panel).below) == {2}
    standard = counts(table, "standard")
    assert set(standard.above + standard.below) == {6}
    assert (standard.above != 4).any()


def test_the_example_has_sixteen_sorted_samples_and_distinct_permutations():
    table = pd.DataFrame(stratified_example(Streams(1, "x"), features=3, permutations=4))
    cells = table.groupby("panel").size()
    assert cells.to_dict() == {"X": 48, "c": 16, "y": 16, "restricted": 64, "standard": 64}
    assert table.query("panel == 'c'")["value"].tolist() == [1] * 7 + [0] * 9
    columns = table.query("panel == 'restricted'").pivot(index="row", columns="column", values="value")
    assert columns.T.duplicated().sum() < 3


def test_the_example_depends_on_the_seed_only():
    one, same, other = (stratified_example(Streams(seed, "x"))["value"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
