"""`permconf audit`: a file in, a screenful out; files where they were asked for; mistakes in one sentence."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from permconf.__main__ import main

OPTIONS = ["--response", "ill", "--confounders", "site", "--permutations", "19"]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    site = rng.integers(0, 2, 120)
    ill = rng.uniform(size=120) < 0.2 + 0.6 * site
    return pd.DataFrame(
        {
            "x": rng.normal(site + 0.5 * ill).round(3),
            "z": rng.normal(size=120).round(3),
            "site": np.where(site, "north", "south"),
            "ill": np.where(ill, "yes", "no"),
            "patient": np.arange(120) // 2,
            "score": rng.normal(site + ill).round(3),
        }
    )


@pytest.fixture
def folder(table, tmp_path, monkeypatch):
    """A folder of its own, with the table as patients.csv."""
    monkeypatch.chdir(tmp_path)
    table.to_csv("patients.csv", index=False)
    return tmp_path


def run(*arguments):
    return main(["audit", *map(str, arguments)])


def test_answer_and_files(folder, capsys):
    assert run("patients.csv", *OPTIONS) == 0
    said = capsys.readouterr().out
    assert said.startswith("Are the predictions of ill confounded by site?")
    assert said.endswith("Wrote audit/patients/audit.html (the page), audit.json and audit.png.\n")
    assert sorted(path.name for path in (folder / "audit/patients").iterdir()) == [
        "audit.html",
        "audit.json",
        "audit.png",
    ]


def test_json_only(folder, capsys):
    assert run("patients.csv", *OPTIONS, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["response"] == "ill"
    assert found["permutations"] == 19
    assert run("patients.csv", *OPTIONS, "--json", "--out", "here/and/there") == 0
    written = json.loads((folder / "here/and/there/audit.json").read_text())
    assert json.loads(capsys.readouterr().out) == found == written
    assert not (folder / "audit").exists()


@pytest.mark.parametrize(
    "name", ["t.tsv", "t.csv.gz", "t.pq", "t.parquet.gz", "t.tsv.gz", "T.CSV", "indexed.csv", "r.csv"]
)
def test_formats_and_names_of_rows_do_not_matter(folder, table, name, capsys):
    run("patients.csv", *OPTIONS, "--json")
    expected = capsys.readouterr().out
    if ".p" in name:
        table.to_parquet(name.removesuffix(".gz"))
        if name.endswith(".gz"):
            (folder / name).write_bytes(gzip.compress((folder / "t.parquet").read_bytes()))
    else:
        table.to_csv(name, index=name in ("indexed.csv", "r.csv"), sep="\t" if "tsv" in name else ",")
    if name == "r.csv":  # no name of the column with the names of rows
        (folder / name).write_text((folder / name).read_text().removeprefix(","))
    assert run(name, *OPTIONS, "--json") == 0
    assert capsys.readouterr().out == expected


@pytest.mark.usefixtures("folder")
def test_all_options_are_passed_on(capsys):
    options = ["--features", "x", "z", "--groups", "patient", "--learner", "lda", "--metric", "auc", "accuracy"]
    options += ["--cv", "3", "--repeats", "2", "--adjustment", "none", "--seed", "5", "--jobs", "1"]
    assert run("patients.csv", *OPTIONS, *options, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["features"] == ["x", "z"]
    assert found["groups"] == "patient"
    assert found["learner"] == "lda"
    assert [one["metric"] for one in found["metrics"]] == ["auc", "accuracy"]
    assert "3-fold" in found["split"]
    assert found["seed"] == 5
    for size, rows in (("40", 40), ("0.25", 30)):
        assert run("patients.csv", *OPTIONS, "--test-size", size, "--json") == 0
        assert json.loads(capsys.readouterr().out)["counts"]["test"] == rows


@pytest.mark.usefixtures("folder")
def test_what_is_said_about_confounders_and_classes(table, capsys, monkeypatch):
    more = table.assign(age=np.arange(120) % 40 + 20, part=["train", "test", "test"] * 40, fold=np.arange(120) % 4)
    more.assign(code=np.arange(120) % 12 + 1).to_csv("more.csv", index=False)
    options = ["--response", "ill", "--positive", "no", "--confounders", "site", "age", "code", "--json"]
    said = ["--levels", "code", "--bins", "age=5", "--roles", "age=cause", "code=mediator"]
    assert run("more.csv", *options, *said, "--predictions", "score", "--folds", "fold") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(c["kind"], c["role"]) for c in found["by_confounder"]] == [
        ("binary", ""),
        ("categorical", "cause"),
        ("categorical", "mediator"),
    ]
    assert (found["positive"], found["split"]) == ("no", "all rows are test rows, in 4 folds")
    fitted = ["--features", "x", "--split", "part", "--permutations", "9"]
    assert run("more.csv", *options, "--smooth", "age", "code", *fitted) == 0
    found = json.loads(capsys.readouterr().out)
    assert [c["kind"] for c in found["by_confounder"]] == ["binary", "numeric", "numeric"]
    assert found["split"] == "given split, 80 test rows"
    cells = [("yes", "north", 0.1), ("yes", "south", 0.3), ("no", "north", 0.3), ("no", "south", 0.3)]
    pd.DataFrame(cells, columns=["ill", "site", "share"]).to_csv("shares.csv", index=False)
    assert run("more.csv", *OPTIONS[:4], "--predictions", "score", "--population", "shares.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["population"] == "shares given for the cells of response and confounder"
    with open("more.csv") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert run("-", *OPTIONS[:4], "--predictions", "score", "--json") == 0
    assert json.loads(capsys.readouterr().out)["counts"]["rows"] == 120


@pytest.mark.usefixtures("folder")
def test_codes_stay_apart_and_text_that_is_read_as_missing_is_named(table, capsys):
    codes = table.assign(site=np.where(table["site"] == "north", ["01", "NA"] * 60, "1"))
    codes.to_csv("codes.csv", index=False)
    options = [*OPTIONS[:4], "--predictions", "score", "--json"]
    assert run("codes.csv", *options) == 2
    assert "the first is row 1 ('NA' in the file was read as missing); drop those rows" in capsys.readouterr().err
    assert run("codes.csv", *options, "--missing-level", "site") == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["level"] for row in found["by_level"]} == {"01", "1", "missing"}
    assert found["notes"][0] == "'NA' in confounder 'site' was read as missing."


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("condition", "code", "sentence"),
    [
        ("prediction_p < 0.05", 3, "--fail-if 'prediction_p < 0.05' is true: prediction_p = "),
        ("metrics.auc.observed < 0.5 or counts.test != 120", 0, ""),
        ("by_confounder.site.p > 0.9", 0, ""),
        ("response_p < 0.05", 3, "cannot be judged, which counts as a failure: response_p is withheld"),
        ("verdict == 'nothing'", 0, ""),
        ("verdict < 1", 2, "takes a text for a number; texts can only be compared by == and !="),
        ("verdict < 'b'", 2, "takes a text for a number"),
        ("1 / (observed - observed) > 1", 2, "'1 / (observed - observed) > 1' divides by zero"),
        ("prediction_q < 1", 2, "unknown name 'prediction_q', did you mean 'prediction_p'?"),
        ("open('x')", 2, "permconf: --fail-if \"open('x')\" has more than names"),
        ("verdict", 2, "permconf: --fail-if 'verdict': verdict must be compared, such as x < 0.05 or x == 'text'"),
        ("observed < 1 and not (sign or 1 < 2)", 2, "sign must be compared"),
        ("observed < 0.05and 1", 2, "permconf: --fail-if 'observed < 0.05and 1' is no expression"),
        ("1 < 2", 2, "permconf: --fail-if '1 < 2' uses no value of the audit, such as confounding_p"),
    ],
)
def test_a_gate(condition, code, sentence, capsys):
    options = ["--response", "ill", "--confounders", "site", "--predictions", "score", "--json"]
    assert run("patients.csv", *options, "--fail-if", condition) == code
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == bool(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["patient.csv", *OPTIONS], "there is no file 'patient.csv', did you mean 'patients.csv'?"),
        (["notes.docx", *OPTIONS], "notes.docx is not a CSV, TSV or Parquet file by its suffix"),
        (["semicolons.csv", *OPTIONS], "semicolons.csv separates columns by semicolons"),
        (["tabs.csv", *OPTIONS], "tabs.csv separates columns by tabs; save it with commas"),
        (["commas.tsv", *OPTIONS], "commas.tsv separates columns by commas; save it with tabs"),
        (["twice.csv", *OPTIONS], "twice.csv has several columns named 'x'; give every column its own name"),
        (["cut.csv.gz", *OPTIONS], "cut.csv.gz could not be read"),
        (["spoilt.csv.gz", *OPTIONS], "spoilt.csv.gz could not be read"),
        (["latin.csv", *OPTIONS], "latin.csv is not encoded as UTF-8"),
        (
            ["trailing.csv", *OPTIONS],
            "trailing.csv has more fields in its rows than in its header, such as a separator",
        ),
        (["remarks.csv", *OPTIONS], "remarks.csv has more fields in its rows than in its header"),
        (["empty.csv", *OPTIONS], "empty.csv could not be read"),
        (["broken.parquet", *OPTIONS], "broken.parquet could not be read"),
        (["patients.csv", "--response", "il", "--confounders", "site"], "response: the data have no column 'il'"),
        (["patients.csv", *OPTIONS, "--predictions", "score"], "--permutations has no effect with --predictions"),
        (["patients.csv", *OPTIONS, "--folds", "x"], "--folds names the folds of --predictions; for folds that are"),
        (["patients.csv", *OPTIONS, "--levels", "sit"], "'sit' is not among the --confounders, did you mean 'site'?"),
        (
            ["patients.csv", *OPTIONS, "--levels", "site", "--bins", "site=3"],
            "give one of --levels, --smooth and --bins",
        ),
        (
            ["patients.csv", *OPTIONS, "--population", "patients.csv"],
            "patients.csv has no column 'share'; it needs ill",
        ),
        (
            [*["patients.csv", "--predictions", "score"], *OPTIONS[:4], "--population", "shares.csv"],
            "the population table gives cell (y = 'no', c = 'north') twice",
        ),
        (["patients.csv", *OPTIONS, "--out", "patients.csv/x"], "the audit could not be written to patients.csv/x"),
    ],
)
def test_mistakes_in_one_sentence(folder, arguments, sentence, capsys):
    (folder / "notes.docx").write_text("")
    (folder / "semicolons.csv").write_text("ill;site\nyes;1,5\n")
    (folder / "latin.csv").write_bytes("ill,site\nyes,Köln\n".encode("latin-1"))
    (folder / "tabs.csv").write_text("ill\tsite\nyes\t1\n")
    (folder / "commas.tsv").write_text("ill,site\nyes,1\n")
    (folder / "twice.csv").write_text("ill,site,x,x\nyes,1,2,3\n")
    whole = gzip.compress((folder / "patients.csv").read_bytes())
    (folder / "cut.csv.gz").write_bytes(whole[:-200])
    (folder / "spoilt.csv.gz").write_bytes(whole[:60] + b"\xff" * 60 + whole[120:])
    (folder / "trailing.csv").write_text("ill,site,x\nyes,1,2,\nno,2,3,\n")
    (folder / "remarks.csv").write_text("id,ill,site\n1,yes,1,\n2,no,2,late\n3,no,2,\n")
    (folder / "shares.csv").write_text("ill,site,share\nno,north,0.5\nno,north,0.5\n")
    (folder / "empty.csv").write_text("")
    (folder / "broken.parquet").write_text("not parquet")
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"permconf: {sentence}")
    assert said.count("\n") == 1
