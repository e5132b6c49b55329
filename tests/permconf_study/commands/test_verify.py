"""`permconf verify`: identical, rounded, different with its place, smaller runs, and the written reference."""

import re

import numpy as np
import pytest

from permconf.__main__ import main
from permconf.errors import ConfigError
from permconf_study.commands import reference as published
from permconf_study.commands import verify
from permconf_study.study.tables import write_table

TESTS, CURVES, CLAIMS = "results/exp/tests.parquet", "results/exp/curves.csv", "results/claims.csv"
STATES = dict.fromkeys((CLAIMS, CURVES, TESTS), "ok")


def run(folder, datasets=150, change=lambda _name, columns: columns):
    """A run with one scenario: data set k is the same in every run."""
    number = np.arange(datasets)
    tests = {
        "dataset": number,
        "metric": ["auc"] * datasets,
        "observed": np.sin(number + 1.0),
        "corrected": np.where(number % 7 == 3, np.nan, np.cos(number)),
        "status": ["ok"] * datasets,
        "error": np.full(datasets, None, object),
    }
    curves = {"alpha": np.linspace(0, 1, 60), "rate": np.linspace(0, 1, 60) ** 2 * datasets}
    claims = {
        "id": ["one", "two", "three"],
        "statement": ["a", "b", "c"],
        "estimate": [0.5, 1 / 3, datasets / 7],
        "low": [0.4, 0.3, 0.2],
        "high": [0.6, 0.4, 30.0],
        "verdict": ["reproduced", "reproduced", "not examined"],
        "tables": [TESTS, f"{TESTS}, {CURVES}", "results/forests/tests.parquet"],
    }
    for name, columns in {TESTS: tests, CURVES: curves, CLAIMS: claims}.items():
        write_table(change(name, columns), folder / name)
    return folder


@pytest.fixture
def reference(tmp_path, monkeypatch):
    """The written reference of a run of 150 data sets."""
    monkeypatch.setattr(verify, "final_tables", lambda *_: STATES)
    monkeypatch.setattr(verify, "is_current", lambda *_: True)
    path = tmp_path / "reference.json"
    monkeypatch.setattr(published, "REFERENCE", path)
    assert main(["verify", "--write", "--directory", str(run(tmp_path / "published"))]) == 0
    return published.read(path)["tables"]


def changed(table, column, row, by):
    def change(name, columns):
        if name == table:
            values = list(columns[column])
            values[row] = by if isinstance(by, str) else values[row] + by
            columns = columns | {column: values}
        return columns

    return change


def answers(folder, tables):
    return {name: verdict.answer for name, verdict in verify.verified(folder, tables).items()}


def test_the_same_run_is_identical(tmp_path, reference):
    assert answers(run(tmp_path / "again"), reference) == dict.fromkeys(STATES, "identical")


def of(table, make):
    """A change of one table."""
    return lambda name, columns: make(columns) if name == table else columns


def swapped(columns):
    values = np.array(columns["observed"])
    values[[110, 111]] = values[[111, 110]]
    return columns | {"observed": values}


SEVERAL = "of several data sets from 100 to 149: values change, their sum by "


@pytest.mark.parametrize(
    ("table", "change", "answer", "detail"),
    [
        *((TESTS, changed(TESTS, "observed", row, 1e-15), "equal within rounding", "") for row in (4, 149)),
        *(
            (TESTS, changed(TESTS, "observed", row, 1e-4), "different", rf"observed of data set {row}: .*\(\+0.0001\)$")
            for row in (0, 19, 20, 99, 149)
        ),
        (
            TESTS,
            changed(TESTS, "status", 120, "failed"),
            "different",
            "status of data set 120: 'failed' instead",
        ),
        (CLAIMS, changed(CLAIMS, "verdict", 1, "unresolved"), "different", "verdict of two: 'unresolved' instead of"),
        (CURVES, changed(CURVES, "rate", 30, -0.01), "different", "rate of row 31: "),
        (TESTS, of(TESTS, lambda c: c | {"observed": c["observed"] * 1.01}), "different", ".*; 20 of 20 rows differ$"),
        (
            TESTS,
            changed(TESTS, "corrected", 110, np.nan),
            "different",
            rf"corrected {SEVERAL}.*, missing values by",
        ),
        (TESTS, of(TESTS, swapped), "different", f"observed {SEVERAL}"),  # which cancels in the sum
        (TESTS, of(TESTS, lambda _: {"x": [1]}), "different", "columns x instead of dataset, metric"),
        (CURVES, of(CURVES, lambda c: {k: v[:-1] for k, v in c.items()}), "different", "59 rows instead of 60"),
        (CURVES, of(CURVES, lambda c: c | {"new": c["alpha"]}), "identical", ""),  # as in a later version
    ],
)
def test_a_change_is_found_with_its_place_and_size(tmp_path, reference, table, change, answer, detail):
    verdicts = verify.verified(run(tmp_path / "other", change=change), reference)
    assert verdicts.pop(table).answer == answer
    assert {verdict.answer for verdict in verdicts.values()} == {"identical"}
    assert re.match(detail, verify.verified(tmp_path / "other", reference)[table].detail)


@pytest.mark.parametrize(("datasets", "compared"), [(20, 20), (60, 20), (100, 100), (400, 150)])
def test_a_run_of_another_size_is_compared_where_it_overlaps(tmp_path, reference, datasets, compared):
    verdicts = verify.verified(run(tmp_path / "smoke", datasets), reference)
    assert verdicts[TESTS].answer == "identical"
    of_all = "" if compared == 150 else " of 150"
    assert verdicts[TESTS].detail == f"{compared} rows, data sets 0 to {compared - 1}{of_all}"
    assert verdicts[CURVES] == verify.Verdict("not comparable", "this run has another number of data sets")
    assert verdicts[CLAIMS].answer == "identical"


def test_a_change_in_a_smaller_run_is_found(tmp_path, reference):
    found = run(tmp_path / "smoke", 20, changed(TESTS, "observed", 17, 0.5))
    assert verify.verified(found, reference)[TESTS].detail.startswith("observed of data set 17: ")
    assert answers(run(tmp_path / "tiny", 10), reference)[TESTS] == "not comparable"


def test_the_command(tmp_path, reference, capsys):
    assert list(reference) == list(STATES)
    capsys.readouterr()
    assert main(["verify", "--directory", str(run(tmp_path / "same"))]) == 0
    said = capsys.readouterr().out
    assert "3 tables: 3 identical.\nThis environment has the versions and the processor of the published run.\n" in said
    (tmp_path / "same" / CURVES).unlink()
    assert main(["verify", "--directory", str(tmp_path / "same")]) == 0
    said = capsys.readouterr().out
    assert "not run: results/exp/\n3 tables: 2 identical, 1 not run." in said
    assert CURVES not in said
    assert main(["verify", "--directory", str(run(tmp_path / "other", change=changed(TESTS, "observed", 5, 1)))]) == 1
    assert "3 tables: 2 identical, 1 different." in capsys.readouterr().out
    assert main(["verify", "--directory", str(tmp_path / "nowhere")]) == 2
    assert "has no results; run: make" in capsys.readouterr().err


def test_writing_needs_a_complete_and_current_run(tmp_path, monkeypatch):
    monkeypatch.setattr(verify, "final_tables", lambda *_: STATES)
    monkeypatch.setattr(verify, "is_current", lambda *_: False)
    made = run(tmp_path / "run")
    with pytest.raises(ConfigError, match="not complete and current"):
        verify.write(made, (), tmp_path / "reference.json")
    (made / CURVES).unlink()
    with pytest.raises(ConfigError, match=r"curves\.csv is missing"):
        verify.write(made, (), tmp_path / "reference.json")


@pytest.mark.slow
def test_the_tables_of_a_target_are_listed_with_their_states(tmp_path):
    names = [f"results/exp1/{name}" for name in ("curves.csv", "design.csv", "draws.parquet", "tests.parquet")]
    assert verify.final_tables(tmp_path, ["results/exp1/curves.csv"]) == dict.fromkeys(names, "missing")
