"""Records of results: an edit of settings, code, input or output makes them outdated; times and Snakemake do not."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from permconf.errors import ConfigError
from permconf_study.study import fingerprints
from permconf_study.study.fingerprints import (
    Making,
    align_times,
    fingerprint,
    order_part_times,
    part_folders,
    parts,
    stamp,
    why_outdated,
)
from permconf_study.study.steps import PARTS

OUTPUT, INPUT = "results/a/t.csv", "results/b/u.csv"


@pytest.fixture
def making(tmp_path, monkeypatch):
    """A step that makes OUTPUT from INPUT, at work; `settings` and wildcards can be given."""
    monkeypatch.chdir(tmp_path)
    for path in (OUTPUT, INPUT):
        Path(path).parent.mkdir(parents=True)
        Path(path).write_text("1\n")

    def start(settings=(), **wildcards):
        params = SimpleNamespace(recipe={"step": "aggregate", "settings": list(settings)})
        inputs = [INPUT, "results/a/chunks/0123456789abcdef/0-9.parquet", "results/made/a/t.csv.outdated"]
        files = {"input": inputs, "output": [OUTPUT]}
        return Making(SimpleNamespace(params=params, wildcards=SimpleNamespace(**wildcards), **files))

    return start


def test_what_makes_a_result_outdated(making):
    step = making()
    assert why_outdated(OUTPUT) == f"{OUTPUT} has no record of what made it"
    step.finish()
    assert why_outdated(OUTPUT, step.fingerprint) == ""
    assert "settings or code changed" in why_outdated(OUTPUT, fingerprint("aggregate", ["other"]))
    for path in (INPUT, OUTPUT):
        Path(path).write_text("2\n")
        assert why_outdated(OUTPUT, step.fingerprint) == f"{path} changed"
        Path(path).unlink()
        assert why_outdated(OUTPUT, step.fingerprint) == f"{path} is missing"
        Path(path).write_text("1\n")
    assert why_outdated(OUTPUT, step.fingerprint) == ""


def test_a_job_that_would_compute_something_else_is_refused(making):
    asked = fingerprint("aggregate", [])
    making(fingerprint=asked).finish()
    with pytest.raises(ConfigError, match="changed while this job waited or ran; run again"):
        making(["edited"], fingerprint=asked)


@pytest.mark.parametrize("edited", ["input", "code"])
def test_what_changes_while_a_step_runs_leaves_no_result(making, monkeypatch, edited):
    step = making()
    if edited == "input":
        Path(INPUT).write_text("22\n")
    else:
        monkeypatch.setattr(fingerprints, "imported_state", lambda: {"a": 1})
    with pytest.raises(ConfigError, match="changed while this job waited or ran"):
        step.finish()
    assert not Path(OUTPUT).exists()


def test_stamps_are_newer_and_have_new_content(making):
    making()
    paths = [stamp([OUTPUT]), stamp([OUTPUT])]
    assert paths == ["results/made/a/t.csv.outdated"] * 2
    assert Path(paths[0]).stat().st_mtime >= Path(OUTPUT).stat().st_mtime
    making().finish()
    assert not Path(paths[0]).exists()


def test_copied_results_get_one_time(making):
    making().finish()
    os.utime(OUTPUT, (1e9, 1e9))
    align_times(OUTPUT, [], "results/benchmarks/none.tsv")
    assert Path(OUTPUT).stat().st_mtime == Path(INPUT).stat().st_mtime


def test_parts_are_known_by_their_folders():
    inputs = ["results/a/chunks/f/0-9.parquet", ["results/a/chunks/f/10-19.parquet", "results/a/tests.parquet"]]
    assert part_folders(parts(inputs)) == ["results/a/chunks/f"]


def test_no_part_is_newer_than_those_made_from_it(tmp_path):
    times = {"design/f/0.csv": 40, "datasets/f/0-9.npz": 30, "datasets/f/10-19.npz": 5, "chunks/f/0-9.parquet": 10}
    for name, seconds in times.items():
        path = tmp_path / "results/a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (seconds, seconds))
    order_part_times(tmp_path)
    assert [(tmp_path / "results/a" / name).stat().st_mtime for name in times] == [5, 10, 5, 10]


def test_every_kind_of_part_counts_for_what_is_made_from_it():
    """Code behind truths changed, and the table made of them was called up to date."""
    assert {kind for kinds in fingerprints.MADE_IN_TURN for kind in kinds} == set(PARTS)
    known = {"scenario": "x", "fingerprint": "0" * 16, "block": "000", "chunk": "00000-00009"}
    files = [pattern.format(**known) for _, pattern in PARTS.values()]
    assert fingerprints.parts(files) == files
