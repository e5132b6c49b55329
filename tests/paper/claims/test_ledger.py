"""The ledger as a table, its summary and its exit status."""

import json

import pandas as pd
import pytest

from permconf.paper.claims import command
from permconf.paper.claims.catalogue import broken, counts, summary, surprises
from permconf.paper.claims.ledger import checked, ledger, write_ledger
from permconf.study.tables import write_table

CLAIM = {
    "id": "mean",
    "place": "Fig. 0",
    "statement": "The mean is one.",
    "quantity": "mean",
    "tables": ["results/tests.parquet"],
    "check": {"kind": "mean", "of": "a", "within": [0.9, 1.1]},
    "needs": {"datasets": 3},
    "expected": "reproduced",
}


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """One claim each that holds, does not, is open, and cannot be tested."""
    monkeypatch.chdir(tmp_path)
    write_table({"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01], "status": ["ok"] * 3}, "results/tests.parquet")
    wrong = CLAIM | {"id": "wrong", "check": {"kind": "mean", "of": "a + 1", "within": [0.9, 1.1]}}
    open_ = CLAIM | {"id": "open", "needs": {"datasets": 1000}}
    untestable = {
        "id": "none",
        "place": "Section 1",
        "statement": "No | one.",
        "expected": "not testable",
        "reason": "why",
    }
    return ledger([CLAIM, wrong, open_, untestable])


def test_verdicts_and_counts(rows):
    assert [row["verdict"] for row in rows] == ["reproduced", "not reproduced", "unresolved", "not testable"]
    assert counts(rows) == dict.fromkeys(("reproduced", "not reproduced", "unresolved", "not testable"), 1)
    assert [row["id"] for row in broken(rows)] == ["wrong"]
    assert "1 not reproduced (0 of them as expected)" in summary(rows)


def test_what_is_expected_to_fail_breaks_nothing(rows):
    expected = [row | {"expected": "not reproduced"} for row in rows]
    assert broken(expected) == []
    assert [row["id"] for row in surprises(expected)] == ["mean"]


def test_written_ledger(rows, tmp_path):
    write_ledger(rows, csv=tmp_path / "c.csv", json_path=tmp_path / "c.json", md=tmp_path / "c.md")
    assert pd.read_csv(tmp_path / "c.csv")["verdict"].tolist() == [row["verdict"] for row in rows]
    assert json.loads((tmp_path / "c.json").read_text()) == rows
    text = (tmp_path / "c.md").read_text()
    assert all(f"| {row['id']} |" in text for row in rows)
    assert "No \\| one." in text


def test_the_command_fails_if_a_claim_is_broken(rows, tmp_path, capsys):
    for kept, status in ((rows, 1), (rows[:1], 0)):
        write_ledger(kept, csv=tmp_path / "c.csv", json_path=tmp_path / "c.json", md=tmp_path / "c.md")
        assert command.main(path=tmp_path / "c.json") == status
    assert "wrong (Fig. 0): not reproduced, expected reproduced" in capsys.readouterr().out


def test_failed_data_sets_count_as_attempted_but_not_as_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"dataset": [0, 1, 2], "a": [1.0, 1.0, float("nan")], "status": ["ok", "ok", "failed"]}
    write_table(columns, "results/tests.parquet")
    row = checked(CLAIM)
    assert (row["estimate"], row["datasets"], row["verdict"]) == (1.0, 3, "reproduced")


def test_joined_tables_and_sums(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table({"dataset": [0, 1], "a": [1.0, 2.0]}, "results/one.csv")
    write_table({"dataset": [1, 0], "a": [20.0, 10.0]}, "results/two.csv")
    claim = CLAIM | {"tables": ["results/one.csv"], "join": {"other": "results/two.csv"}}
    check = {"kind": "identity", "left": "10 * a", "right": "other_a", "tolerance": 0}
    assert checked(claim | {"check": check, "needs": {}})["verdict"] == "reproduced"
    write_table({"group": ["x", "x", "y"], "count": [1, 2, 3]}, "results/three.csv")
    claim = CLAIM | {"tables": ["results/three.csv"], "sum_by": ["group"], "needs": {}}
    check = {"kind": "identity", "left": "count", "right": 3, "tolerance": 0}
    assert checked(claim | {"check": check})["verdict"] == "reproduced"
