import numpy as np
import pytest

from permconf_study.commands import parity
from permconf_study.study.tables import read_columns, write_table


@pytest.fixture
def runs(tmp_path):
    """Two folders with the same tables."""
    columns = {"dataset": np.arange(3), "p": np.array([0.25, np.nan, 1 / 3]), "status": ["ok", "failed", "ok"]}
    for run in ("a", "b"):
        for scenario in parity.SCENARIOS:
            for name in parity.TABLES:
                write_table(columns, tmp_path / run / "results" / scenario / name)
    return tmp_path / "a", tmp_path / "b"


def test_equal_tables_agree(runs, capsys):
    assert parity.report("b", *runs)
    assert capsys.readouterr().out == "b against one core: 12 tables, 108 values: identical\n"


@pytest.mark.parametrize("name", parity.TABLES)
def test_the_last_bit_of_one_value_is_reported(runs, capsys, name):
    path = runs[1] / "results" / "exp3" / name
    columns = read_columns(path)
    columns["p"] = np.array([0.25, np.nan, np.nextafter(1 / 3, 1)])
    write_table(columns, path)
    assert not parity.report("b", *runs)
    said = capsys.readouterr().out
    assert f"results/exp3/{name}: p differs in 1 row, first in row 2" in said
    assert "0.33333333333333337" in said


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"x": np.array([1, 2]), "s": np.array(["a", "c"], object)}, "s differs in 1 row, first in row 1: 'c'"),
        ({"x": np.array([1]), "s": np.array(["a"], object)}, "1 row instead of 2"),
        ({"x": np.array([1, 2])}, "columns x instead of x, s"),
        ({"x": np.array([1.0, np.nan]), "s": np.array(["a", "b"], object)}, "x differs in 1 row, first in row 1"),
    ],
)
def test_other_differences_are_told(found, sentence):
    told = parity.differences({"x": np.array([1, 2]), "s": np.array(["a", "b"], object)}, found)
    assert told[0].startswith(sentence)


def test_a_missing_value_in_place_of_a_number_is_a_difference():
    assert parity.differences({"x": np.array([1.0])}, {"x": np.array([np.nan])})
    assert not parity.differences({"x": np.array([np.nan])}, {"x": np.array([np.nan])})
