"""Logs of steps: a finished part leaves one line, a failed step its log and a sentence."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from permconf_study.study.part_logs import part_times, recorded, remove_empty_logs, step
from permconf_study.study.tables import read_columns, write_table, written_whole


@pytest.fixture
def smk(tmp_path, monkeypatch):
    """A step as Snakemake calls it, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def make(log="x.log", *, inputs=(), outputs=("results/t.csv",), **wildcards):
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        recipe = {"step": "design", "settings": []}
        names = {"wildcards": SimpleNamespace(**wildcards), "params": SimpleNamespace(recipe=recipe)}
        return SimpleNamespace(config={}, log=[log], input=list(inputs), output=list(outputs), **names)

    return make


def test_a_finished_part_leaves_its_time_only(smk, tmp_path):
    for part in ("00000-00009", "00010-00019", "00000-00009"):
        log = f"results/logs/simulate/exp1/{part}.0123456789abcdef.log"
        with recorded(smk(log, chunk=part), part):
            assert "started" in Path(log).read_text()
    assert [path.name for path in (tmp_path / "results/logs/simulate/exp1").iterdir()] == ["times.tsv"]
    times = part_times(tmp_path / "results")
    assert [(time.step, time.scenario, time.part) for time in times] == [
        ("simulate", "exp1", "00000-00009"),
        ("simulate", "exp1", "00010-00019"),
    ]
    assert all(0 <= time.seconds < 5 for time in times)


def test_a_step_that_fails_keeps_its_log(smk):
    with pytest.raises(RuntimeError), recorded(smk(chunk="0-9"), "a chunk"):
        raise RuntimeError("out of order")
    assert "RuntimeError: out of order" in Path("x.log").read_text()
    assert not Path("times.tsv").exists()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), "t.csv: the disk is full; free some space and repeat the command"),
        (PermissionError(13, "Permission denied", "a"), "a: Permission denied"),
        (MemoryError(), "there is not enough memory"),
    ],
    ids=repr,
)
def test_a_system_error_ends_a_step_with_a_sentence(smk, error, sentence):
    with pytest.raises(SystemExit) as ended, recorded(smk(), "a step"), written_whole("t.csv"):
        raise error
    assert str(ended.value).startswith(f"permconf: a step: {sentence}")
    assert type(error).__name__ in Path("x.log").read_text()


@pytest.mark.parametrize("damage", [lambda whole: whole[:200], lambda whole: whole.replace(bytes([77]), bytes([78]))])
def test_only_a_step_removes_its_own_damaged_input(smk, damage):
    path = Path("results/damaged.parquet")
    write_table({"x": np.arange(1000)}, path)
    path.write_bytes(damage(path.read_bytes()))
    for inputs in ([], [str(path)]):
        assert path.exists(), "a reader never deletes"
        with (
            pytest.raises(SystemExit, match=r"damaged\.parquet (is|was) damaged"),
            recorded(smk(inputs=inputs), "a step"),
        ):
            read_columns(path)
    assert not path.exists()


def test_logs_of_failures_outlive_empty_ones(tmp_path):
    folder = tmp_path / "simulate/exp1"
    folder.mkdir(parents=True)
    (folder / "00000-00009.log").touch()
    (folder / "00010-00019.log").write_text("failed")
    remove_empty_logs(tmp_path, "exp1")
    assert [path.name for path in folder.iterdir()] == ["00010-00019.log"]


def test_a_script_runs_where_snakemake_calls_it_and_nowhere_else(smk):
    code = "@step('a step of {w.scenario}')\ndef main(smk):\n    done.append(smk)\n"
    called, done = smk(scenario="exp1"), []
    exec(code, {"step": step, "done": done})
    assert done == []
    exec(code, {"step": step, "done": done, "snakemake": called})
    assert done == [called]
    assert "a step of exp1: done in" in Path("x.log").read_text()
