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
    for value, sentence in (
        (np.nextafter(1 / 3, 1), "equal within rounding, 3 rows"),
        (0.5, "different, p of data set 2: 0.5 instead of 0.333333333333 (+0.167)"),
        (np.nan, "different, p of data set 2: nan instead of 0.333333333333 (+nan)"),
    ):
        write_table(columns | {"p": np.array([0.25, np.nan, value])}, path)
        assert not parity.report("b", *runs)
        assert capsys.readouterr().out.endswith(f" values: results/exp3/{name}: {sentence}\n")
