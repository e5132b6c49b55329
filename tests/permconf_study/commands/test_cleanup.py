import numpy as np
import pytest

from permconf_study.commands import cleanup as remains
from permconf_study.study.tables import write_table


@pytest.fixture
def results(tmp_path):
    """A chunk and its data sets, whole."""
    for folder in ("chunks/f", "datasets/f"):
        (tmp_path / "exp1" / folder).mkdir(parents=True)
    write_table({"x": np.arange(100.0)}, tmp_path / "exp1/chunks/f/00000-00009.parquet")
    np.savez(tmp_path / "exp1/datasets/f/00000-00009.npz", X=np.arange(100.0))
    return tmp_path


def test_whole_files_stay(results):
    before = sorted(results.rglob("*"))
    assert remains.remove(results) == []
    assert sorted(results.rglob("*")) == before


@pytest.mark.parametrize("name", ["chunks/f/00000-00009.parquet", "datasets/f/00000-00009.npz"])
@pytest.mark.parametrize("kept", [0, 10, 400])
def test_a_truncated_file_is_removed_and_named(results, name, kept):
    path = results / "exp1" / name
    path.write_bytes(path.read_bytes()[:kept])
    assert remains.remove(results) == [path]
    assert not path.exists()


@pytest.mark.parametrize("name", ["exp1/.tests.77.parquet", "exp1/chunks/.00000-00009.77.parquet", ".claims.77.csv"])
def test_temporary_tables_are_removed(results, name):
    (results / ".gitignore").touch()
    (results / name).touch()
    assert remains.remove(results) == []
    assert not (results / name).exists()
    assert (results / ".gitignore").exists()
