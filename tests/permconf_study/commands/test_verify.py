"""`permconf verify`: identical, rounded, different with its place, smaller runs, and the written reference."""

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


def test_a_table_of_something_else_is_different(tmp_path, reference):
    """Without the numbers of data sets, nothing says that the run has fewer of them."""
    write_table({"x": [1]}, run(tmp_path / "other") / TESTS)
    verdict = verify.verified(tmp_path / "other", reference)[TESTS]
    assert verdict.answer == "different"
    assert verdict.detail.startswith("columns x instead of dataset, metric")


@pytest.mark.parametrize("row", [4, 50, 149])
def test_the_last_digits_are_rounding(tmp_path, reference, row):
    found = run(tmp_path / "other", change=changed(TESTS, "observed", row, 1e-15))
    assert answers(found, reference)[TESTS] == "equal within rounding"


@pytest.mark.parametrize("row", [0, 19, 20, 57, 99, 100, 149])
def test_one_changed_number_is_found_with_its_place_and_size(tmp_path, reference, row):
    found = run(tmp_path / "other", change=changed(TESTS, "observed", row, 1e-4))
    verdict = verify.verified(found, reference)[TESTS]
    expected = np.sin(row + 1.0)
    assert verdict.answer == "different"
    assert verdict.detail.startswith(f"observed of data set {row}: {expected + 1e-4:.6f}"[:-1])
    assert verdict.detail.endswith("(+0.0001)")


@pytest.mark.parametrize(
    ("table", "column", "row", "by", "sentence"),
    [
        (TESTS, "status", 120, "failed", "status of data set 120: 'failed' instead of 'ok'"),
        (CLAIMS, "verdict", 1, "unresolved", "verdict of two: 'unresolved' instead of 'reproduced'"),
        (CURVES, "rate", 30, -0.01, "rate of row 31: "),
    ],
)
def test_texts_and_tables_without_data_sets(tmp_path, reference, table, column, row, by, sentence):
    found = run(tmp_path / "other", change=changed(table, column, row, by))
    verdicts = verify.verified(found, reference)
    assert verdicts[table].answer == "different"
    assert verdicts[table].detail.startswith(sentence)
    assert [name for name, verdict in verdicts.items() if verdict.answer != "identical"] == [table]


def test_several_changes_and_new_missing_values(tmp_path, reference):
    def change(name, columns):
        return columns | {"observed": columns["observed"] * 1.01} if name == TESTS else columns

    verdict = verify.verified(run(tmp_path / "a", change=change), reference)[TESTS]
    assert verdict.detail.startswith("observed of data set 0: ")
    assert verdict.detail.endswith("; 20 of 20 rows differ")
    found = run(tmp_path / "b", change=changed(TESTS, "corrected", 110, np.nan))
    verdict = verify.verified(found, reference)[TESTS]
    assert verdict.detail.startswith("corrected of several data sets from 100 to 149: values change, their sum by ")
    assert verdict.detail.endswith(", missing values by +1")


def test_changes_that_cancel_in_the_sum_are_found(tmp_path, reference):
    def swapped(name, columns):
        values = np.array(columns["observed"]) if name == TESTS else None
        if values is not None:
            values[[110, 111]] = values[[111, 110]]
        return columns if values is None else columns | {"observed": values}

    verdict = verify.verified(run(tmp_path / "other", change=swapped), reference)[TESTS]
    assert verdict.answer == "different"
    assert verdict.detail.startswith("observed of several data sets from 100 to 149: values change, their sum by ")


def test_another_column_and_another_number_of_rows(tmp_path, reference):
    def added(name, columns):
        return columns | {"new": columns["alpha"]} if name == CURVES else columns

    def renamed(name, columns):
        return {"new": columns["alpha"], "rate": columns["rate"]} if name == CURVES else columns

    def shorter(name, columns):
        return {key: values[:-1] for key, values in columns.items()} if name == CURVES else columns

    details = [
        verify.verified(run(tmp_path / c.__name__, change=c), reference)[CURVES].detail for c in (renamed, shorter)
    ]
    assert details == ["columns new, rate instead of alpha, rate", "59 rows instead of 60"]
    later = verify.verified(run(tmp_path / "added", change=added), reference)[CURVES]
    assert later.answer == verify.IDENTICAL, "a later version may add columns at the end"


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
