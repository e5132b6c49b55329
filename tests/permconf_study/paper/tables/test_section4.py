"""Tables of Section 4: corrections relative to two baselines, and cell counts."""

import pandas as pd
import pytest

from permconf_study.paper.tables.section4 import cell_columns, relative_columns


def frame(*rows):
    return pd.DataFrame([vars(row) for row in rows])


def test_the_table_has_two_rows_per_assessment(assessed_row, baseline_row):
    development = frame(assessed_row(), assessed_row(dataset=1))
    baseline = frame(baseline_row(), baseline_row(dataset=1))
    columns = pd.DataFrame(relative_columns(development, baseline))
    assert columns["relative_to"].tolist() == ["standard", "population"] * 2
    assert columns["dataset"].tolist() == [0, 0, 1, 1]
    assert columns["corrected"].tolist() == pytest.approx([1.0, 1.0] * 2)
    assert columns["confounding_z"].tolist() == pytest.approx([40, 25] * 2)
    assert columns["baseline_n_train"].tolist() == [80, 50] * 2
    assert (columns["b"] == 100).all()


def test_failed_data_sets_are_left_out_and_different_ones_refused(assessed_row, baseline_row):
    development = frame(assessed_row(status="failed"), assessed_row(dataset=1))
    columns = relative_columns(development, frame(baseline_row(), baseline_row(dataset=1)))
    assert columns["dataset"] == [1, 1]
    with pytest.raises(ValueError, match="no data set was assessed"):
        relative_columns(frame(assessed_row(status="failed")), frame(baseline_row()))
    with pytest.raises(ValueError, match="have different data sets: 0 and 1"):
        relative_columns(frame(assessed_row()), frame(baseline_row(dataset=1)))


def test_cells_have_the_shares_of_the_population_and_the_counts_of_the_sets():
    shares = {(y, c): 0.25 for y in (0, 1) for c in (0, 1)}
    table = pd.DataFrame(cell_columns(shares, {"train": ([0, 0, 1, 1], [0, 1, 1, 1])}))
    assert table["set"].tolist() == ["population"] * 4 + ["train"] * 4
    assert table["count"].tolist()[4:] == [1, 1, 0, 2]
    assert table["share"].tolist() == [0.25] * 4 + [0.25, 0.25, 0, 0.5]
