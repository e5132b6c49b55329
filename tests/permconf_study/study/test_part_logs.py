"""A finished part of a scenario leaves one line; a part that fails leaves its log."""

import pytest

from permconf_study.study.part_logs import logged_part, part_times, remove_empty_logs


def test_a_finished_part_leaves_its_time_only(tmp_path):
    folder = tmp_path / "logs/simulate/exp1"
    folder.mkdir(parents=True)
    for part in ("00000-00009", "00010-00019", "00000-00009"):
        with logged_part(folder / f"{part}.log", part):
            assert "started" in (folder / f"{part}.log").read_text()
    assert [path.name for path in folder.iterdir()] == ["times.tsv"]
    times = part_times(tmp_path)
    assert [(time.step, time.scenario, time.part) for time in times] == [
        ("simulate", "exp1", "00000-00009"),
        ("simulate", "exp1", "00010-00019"),
    ]
    assert all(0 <= time.seconds < 5 for time in times)


def test_a_part_that_fails_keeps_its_log(tmp_path):
    path = tmp_path / "00000-00009.log"
    with pytest.raises(RuntimeError), logged_part(path, "a chunk"):
        raise RuntimeError("out of order")
    assert "RuntimeError: out of order" in path.read_text()
    assert not (tmp_path / "times.tsv").exists()


def test_logs_of_failures_outlive_empty_ones(tmp_path):
    folder = tmp_path / "simulate/exp1"
    folder.mkdir(parents=True)
    (folder / "00000-00009.log").touch()
    (folder / "00010-00019.log").write_text("failed")
    remove_empty_logs(tmp_path, "exp1")
    assert [path.name for path in folder.iterdir()] == ["00010-00019.log"]
