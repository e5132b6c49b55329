import numpy as np
import pytest

from permconf.study.tables import concatenate, logged, read_columns, read_table, write_table, written_whole


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_tables_come_back_as_written(tmp_path, name):
    columns = {"dataset": np.arange(3), "value": np.array([0.1, 1 / 3, 1e-300]), "error": ["", "a, b", 'say "x"']}
    write_table(columns, tmp_path / name)
    back = read_columns(tmp_path / name)
    np.testing.assert_array_equal(back["value"], columns["value"])
    assert list(read_table(tmp_path / name)["dataset"]) == [0, 1, 2]
    assert concatenate([tmp_path / name] * 2).num_rows == 6


def test_a_file_is_whole_or_absent(tmp_path):
    path = tmp_path / "deep" / "t.csv"
    with pytest.raises(ZeroDivisionError), written_whole(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert list(path.parent.iterdir()) == []
    with written_whole(path) as temporary:
        temporary.write_text("all")
        assert not path.exists()
    assert [p.name for p in path.parent.iterdir()] == ["t.csv"]


def test_an_error_is_logged_and_goes_on(tmp_path):
    with pytest.raises(ZeroDivisionError), logged(tmp_path / "x.log", "division"):
        _ = 1 / 0
    text = (tmp_path / "x.log").read_text()
    assert "division: failed" in text
    assert "ZeroDivisionError" in text


@pytest.mark.parametrize("damage", [lambda whole: whole[:200], lambda whole: whole.replace(bytes([77]), bytes([78]))])
def test_a_damaged_table_is_removed_and_named(tmp_path, damage):
    write_table({"x": np.arange(1000)}, tmp_path / "whole.parquet")
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(damage((tmp_path / "whole.parquet").read_bytes()))
    with pytest.raises(ValueError, match=r"damaged\.parquet was damaged and has been removed"):
        concatenate([tmp_path / "whole.parquet", damaged])
    assert not damaged.exists()
    assert (tmp_path / "whole.parquet").exists()
    with pytest.raises(FileNotFoundError):
        concatenate([tmp_path / "absent.parquet"])
