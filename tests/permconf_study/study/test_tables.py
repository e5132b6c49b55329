from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from permconf.errors import ConfigError
from permconf_study.study.fingerprints import table_metadata
from permconf_study.study.tables import appended, carry, read_arrow, read_columns, read_table, write_table
from permconf_study.study.tables import written_whole as whole


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_tables_come_back_as_written(tmp_path, name):
    columns = {"dataset": np.arange(3), "value": np.array([0.1, 1 / 3, 1e-300]), "error": ["", "a, b", 'say "x"']}
    write_table(columns, tmp_path / name)
    back = read_columns(tmp_path / name)
    np.testing.assert_array_equal(back["value"], columns["value"])
    assert list(read_table(tmp_path / name)["dataset"]) == [0, 1, 2]


def test_a_file_is_whole_or_absent(tmp_path):
    path = tmp_path / "deep" / "t.csv"
    with pytest.raises(ZeroDivisionError), whole(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert list(path.parent.iterdir()) == []
    with whole(path) as temporary:
        temporary.write_text("all")
        assert not path.exists()
    assert [p.name for p in path.parent.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("read", [read_table, read_columns])
@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("t.parquet", b"garbage\n", "is damaged; delete it and"),
        ("t.parquet", b"", "is damaged; delete it and"),
        ("t.csv", b"", "is damaged; delete it and"),
        ("t.csv", b"\xff\xfe\0,\x80\n1,2\n", "is damaged; delete it and"),
        ("t.parquet", None, "does not exist;"),
        ("t.csv", None, "does not exist;"),
    ],
)
def test_a_missing_or_damaged_table_is_named_with_its_command(tmp_path, monkeypatch, read, name, content, fault):
    monkeypatch.chdir(tmp_path)
    for folder, option in (("", ""), ("results/smoke/", " --directory results/smoke/")):
        path = Path(f"{folder}results/{name}")
        path.parent.mkdir(parents=True)
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ConfigError) as caught:
            read(path)
        assert str(caught.value) == f"{path} {fault} run: permconf run results/{name}{option}"
        assert path.exists() == (content is not None)


@pytest.mark.parametrize("read", [read_table, read_columns])
def test_a_table_without_a_needed_column_is_damaged(tmp_path, read):
    write_table({"dataset": [0]}, tmp_path / "t.csv")
    with pytest.raises(ConfigError, match=r"t\.csv is damaged"):
        read(tmp_path / "t.csv", ("dataset", "metric"))


def test_a_table_carries_what_made_it(tmp_path):
    with carry({"fingerprint": "abc"}):
        write_table({"x": [1]}, tmp_path / "t.parquet")
        with appended(tmp_path / "u.parquet") as append:
            append(pa.table({"x": [1]}))
            append(read_arrow(tmp_path / "t.parquet"))
    assert [table_metadata(tmp_path / name) for name in ("t.parquet", "u.parquet")] == [{"fingerprint": "abc"}] * 2
    write_table({"x": [1]}, tmp_path / "v.parquet")
    assert table_metadata(tmp_path / "v.parquet") == {}


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("parts", [[1000], [1, 0, 299, 700], [250] * 4])
def test_the_bytes_of_an_appended_table_do_not_depend_on_its_parts(tmp_path, monkeypatch, name, parts):
    monkeypatch.setattr("permconf_study.study.tables.VALUES", 600)
    table = pa.table({"x": np.arange(1000.0), "text": ["a", "b, c"] * 500})
    with appended(tmp_path / f"whole_{name}") as append:
        append(table)
    with appended(tmp_path / name) as append:
        for start, rows in zip(np.cumsum([0, *parts]), parts, strict=False):
            append(table.slice(start, rows))
    assert (tmp_path / name).read_bytes() == (tmp_path / f"whole_{name}").read_bytes()
    assert read_arrow(tmp_path / name).to_pylist() == table.to_pylist()
