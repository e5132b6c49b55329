"""The ledger as a table, its summary and its exit status."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from permconf.__main__ import main
from permconf.errors import ConfigError
from permconf_study.paper.claims import command
from permconf_study.paper.claims.catalogue import (
    broken,
    counts,
    load_claims,
    optional_tables,
    passage_verdict,
    required_tables,
    surprises,
    undecided,
    verdict_counts,
)
from permconf_study.paper.claims.ledger import checked, ledger, ledger_table, write_ledger
from permconf_study.paper.report.headlines import cells, columns, failures
from permconf_study.study.tables import write_table

CLAIM = {
    "id": "mean",
    "place": "Fig. 0",
    "statement": "The mean is one.",
    "quantity": "mean",
    "tables": ["results/tests.parquet"],
    "check": {"kind": "mean", "of": "a", "within": [0.9, 1.1]},
    "needs": {"datasets": 3},
    "expected": "reproduced",
    "quote": "the mean is one",
}


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """One claim each that holds, does not, is open, and cannot be tested."""
    monkeypatch.chdir(tmp_path)
    write_table({"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01], "status": ["ok"] * 3}, "results/tests.parquet")
    wrong = CLAIM | {
        "id": "wrong",
        "quote": "it is two",
        "check": {"kind": "mean", "of": "a + 1", "within": [0.9, 1.1]},
    }
    open_ = CLAIM | {"id": "open", "needs": {"datasets": 1000}}
    untestable = {"id": "none", "place": "Section 1", "statement": "No | one.", "quote": "No one.", "reason": "why"}
    return ledger([CLAIM, wrong, open_, untestable | {"expected": "not examined"}])


def test_verdicts_and_counts(rows):
    assert [row["verdict"] for row in rows] == ["reproduced", "not reproduced", "unresolved", "not examined"]
    assert {name for name, number in counts(rows).items() if number == 1} == {row["verdict"] for row in rows}
    assert [row["id"] for row in broken(rows)] == ["wrong"]
    assert verdict_counts(rows) == "3 passages of the paper: 1 holds in part, 1 does not hold, 1 is not examined"
    listed = {
        heading: [row["id"] for entry in found for row in entry["claims"]] for heading, found in failures(rows).items()
    }
    assert listed == {"Does not hold in full": ["wrong"], "Unresolved": ["open"]}


def test_every_verdict_that_differs_from_the_published_one_is_listed(rows, tmp_path, capsys):
    """Also one that does not break a claim: it now depends on a choice, or is open."""
    depends = rows[0] | {"id": "chosen", "verdict": "depends on an open choice", "choice": "logistic"}
    assert [row["id"] for row in surprises([*rows, depends])] == ["wrong", "chosen"]
    assert [row["id"] for row in undecided([*rows, depends])] == ["open"]
    (tmp_path / "c.json").write_text(json.dumps([depends, rows[2]]))
    assert command.main(path=tmp_path / "c.json") == 0
    said = capsys.readouterr().out
    assert "chosen (Fig. 0): depends on an open choice, reproduced in the published run; with logistic" in said
    assert "Unresolved in this run only: open.\n" in said


@pytest.mark.parametrize(
    ("a", "verdict", "status"),
    [
        ([0.99, 1.0, 1.01], "reproduced", 0),
        ([1.99, 2.0, 2.01], "depends on an open choice", 1),  # refuted; the published forests still agree
        ([0.8, 1.0, 1.2], "unresolved", 1),  # open, although the run has the size of the published one
        ([0.99, 1.01], "unresolved", 0),  # open, since the run is smaller
        ([1.99, 2.01], "depends on an open choice", 1),  # refuted by a small run
    ],
)
def test_broken_code_is_not_hidden_by_published_tables(two_learners, tmp_path, capsys, a, verdict, status):
    forests = {"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01]}
    write_table(forests, "workflow/published/exp1_forest/tests.parquet")
    write_table({"dataset": list(range(len(a))), "a": a}, "results/exp1/tests.parquet")
    (tmp_path / "c.json").write_text(json.dumps([row := checked(two_learners)]))
    assert row["verdict"] == verdict
    assert command.main(path=tmp_path / "c.json") == status
    assert ("mean (Fig. 0): " in capsys.readouterr().out) == bool(status)


def test_a_statement_that_depends_is_broken_if_our_own_reading_no_longer_holds(two_learners, capsys, tmp_path):
    """Published: ours holds, another reading fails, a third holds. Now ours fails too, and the verdict is the same."""
    choices = {"linear": {"exp1": "exp1_linear"}, "random forests": {"exp1": "exp1_forest"}}
    depends = {"choices": choices, "expected": "depends on an open choice", "own_expected": "reproduced"}
    write_table({"dataset": [0, 1, 2], "a": [1.99, 2.0, 2.01]}, "workflow/published/exp1_linear/tests.parquet")
    write_table({"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01]}, "workflow/published/exp1_forest/tests.parquet")
    row = checked(two_learners | depends)
    assert (row["verdict"], row["own_verdict"]) == (depends["expected"], "reproduced")
    assert broken([row]) == surprises([row]) == []
    assert [cell["verdict"] for cell in cells(row, columns([row]))] == ["reproduced", "not reproduced", "reproduced"]
    write_table({"dataset": [0, 1, 2], "a": [1.99, 2.0, 2.01]}, "results/exp1/tests.parquet")
    row = checked(two_learners | depends)
    assert (row["verdict"], broken([row])) == (depends["expected"], [row])
    (tmp_path / "c.json").write_text(json.dumps([row]))
    assert command.main(path=tmp_path / "c.json") == 1
    assert "with logistic not reproduced, reproduced in the published run" in capsys.readouterr().out


def test_written_ledger(rows, tmp_path):
    write_ledger(rows, csv=tmp_path / "c.csv", json_path=tmp_path / "c.json", md=tmp_path / "c.md")
    assert pd.read_csv(tmp_path / "c.csv")["verdict"].tolist() == [row["verdict"] for row in rows]
    assert json.loads((tmp_path / "c.json").read_text()) == rows
    assert pd.read_csv(tmp_path / "c.csv")["command"][0] == "permconf claims mean"
    text = (tmp_path / "c.md").read_text()
    assert all(f"| {row['id']} |" in text for row in rows)
    assert "No \\| one." in text


def test_a_ledger_of_other_tables_is_not_printed(rows, tmp_path, capsys):
    ledger_path, table = tmp_path / "c.json", Path("results/tests.parquet")
    ledger_path.write_text(json.dumps(rows))
    (tmp_path / "c.csv.json").write_text(json.dumps({"inputs": {str(table): "another content"}, "outputs": {}}))
    for change, reason in ((lambda: os.utime(table, (2e9, 2e9)), "changed"), (table.unlink, "is missing")):
        change()
        with pytest.raises(ConfigError, match=f"is out of date, because results/tests.parquet {reason}; run: perm"):
            command.main(path=ledger_path)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("content", [b'{"a":', b"\xff", b'[{"id":1}]', b"[]", b"3"])
def test_a_damaged_ledger_is_named_in_one_sentence(content, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/claims.json").write_bytes(content)
    assert main(["claims"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "permconf: results/claims.json is damaged; delete it and run: permconf run\n")


@pytest.mark.parametrize(
    ("ids", "path", "target"),
    [
        ([], "results/claims.json", ""),
        (["fig8a-power-exp1"], "results/exp1/tests.parquet", " results/exp1/tests.parquet"),
    ],
)
def test_what_is_missing_is_not_called_damaged(ids, path, target, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["claims", *ids]) == 2
    assert capsys.readouterr().err == f"permconf: {path} does not exist; run: permconf run{target}\n"


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


@pytest.fixture
def two_learners(tmp_path, monkeypatch):
    """A claim that holds in one table, and is read in another too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("permconf_study.paper.claims.catalogue.PUBLISHED", tmp_path / "workflow/published")
    write_table({"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01]}, "results/exp1/tests.parquet")
    choices = {"random forests": {"exp1": "exp1_forest"}}
    return CLAIM | {"tables": ["results/exp1/tests.parquet"], "choice": "logistic", "choices": choices}


@pytest.mark.parametrize(
    ("values", "found", "other"),
    [
        (None, "reproduced", "not examined"),
        ([0.99, 1.0, 1.01], "reproduced", "reproduced"),
        ([1.99, 2.0, 2.01], "depends on an open choice", "not reproduced"),
    ],
)
def test_a_claim_is_judged_with_both_learners(two_learners, values, found, other):
    if values:
        write_table({"dataset": [0, 1, 2], "a": values}, "results/exp1_forest/tests.parquet")
    row = checked(two_learners)
    assert (row["verdict"], [o["verdict"] for o in row["others"]]) == (found, [other])
    assert required_tables([two_learners]) == ["results/exp1/tests.parquet"]
    assert optional_tables([two_learners]) == ["results/exp1_forest/tests.parquet"]


def test_tables_of_the_published_run_stand_in_for_those_that_were_not_computed(two_learners):
    write_table({"dataset": [0, 1, 2], "a": [1.99, 2.0, 2.01]}, "workflow/published/exp1_forest/tests.parquet")
    row = checked(two_learners)
    assert (row["verdict"], row["tables"]) == ("depends on an open choice", "results/exp1/tests.parquet")
    assert row["others"][0]["tables"].endswith("workflow/published/exp1_forest/tests.parquet")
    assert "random forests (published run): not reproduced" in ledger_table([row])
    write_table({"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01]}, "results/exp1_forest/tests.parquet")
    assert checked(two_learners)["verdict"] == "reproduced"


def test_one_claim_is_recomputed_and_explained(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_table({"dataset": [0, 1, 2], "a": [0.99, 1.0, 1.01]}, "results/tests.parquet")
    (tmp_path / "claims.yaml").write_text(json.dumps([CLAIM]))
    assert command.recomputed(["mean"], tmp_path / "claims.yaml") == 0
    said = capsys.readouterr().out
    for text in ('the paper: "the mean is one"', "tables: results/tests.parquet", "criterion: between 0.9 and 1.1"):
        assert text in said
    with pytest.raises(ConfigError, match="no claim 'maen'"):
        command.recomputed(["maen"], tmp_path / "claims.yaml")


def test_an_entry_stands_for_each_combination_of_its_values(tmp_path):
    entry = {"id": "<a>-<b>", "each": [[{"a": 1}, {"a": 2}], [{"b": "x"}]], "check": {"alpha": "<a>", "of": "c < <a>"}}
    (tmp_path / "claims.yaml").write_text(json.dumps([entry, {"id": "as <it> is"}]))
    first, second, third = load_claims(tmp_path / "claims.yaml")
    assert first == {"id": "1-x", "check": {"alpha": 1, "of": "c < 1"}}
    assert (second["id"], third["id"]) == ("2-x", "as <it> is")


@pytest.mark.parametrize(
    ("verdicts", "found"),
    [
        (["reproduced", "by construction"], "reproduced"),
        (["reproduced", "depends on an open choice"], "depends on an open choice"),
        (["reproduced", "not reproduced"], "holds in part"),
        (["not reproduced", "unresolved"], "holds in part"),
        (["erratum"], "erratum"),
        (["not examined", "by construction"], "by construction"),
    ],
)
def test_the_verdict_on_a_passage(verdicts, found):
    assert passage_verdict([{"verdict": verdict} for verdict in verdicts]) == found


@pytest.mark.usefixtures("rows")
def test_a_misprint_does_not_count_against_the_paper():
    wrong = CLAIM | {"erratum": True, "check": {"kind": "mean", "of": "a + 1", "within": [0.9, 1.1]}}
    assert checked(wrong)["verdict"] == "erratum"
    assert checked(CLAIM | {"erratum": True})["verdict"] == "reproduced"
