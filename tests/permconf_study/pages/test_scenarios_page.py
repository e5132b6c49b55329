import pandas as pd

from permconf_study.pages import scenarios

ONE = {"name": "mine", "group": "extension", "table": None, "family": None, "place": 0, "cell": {}}
ONE |= {"data": {"parameters": {"n": 50}}}


def test_extensions_are_listed_once_all_have_run(tmp_path, monkeypatch):
    others = {"theirs": ONE | {"name": "theirs", "group": "paper"}, "told": ONE | {"name": "told", "family": "sister"}}
    monkeypatch.setattr(scenarios, "configured", lambda **_: ({}, {"mine": ONE, **others}))
    assert scenarios.parts(tmp_path / "results", None) == {"extensions": None}
    folder = tmp_path / "results/mine"
    folder.mkdir(parents=True)
    values = {
        "response_p": 0.01,
        "confounding_p": 0.5,
        "observed": 0.7,
        "corrected": 0.6,
        "status": ["failed", *["ok"] * 5],
    }
    pd.DataFrame({"dataset": range(6), "metric": "auc", **values}).to_parquet(folder / "tests.parquet")
    pd.DataFrame({"dataset": range(6), "n": 50}).to_csv(folder / "design.csv", index=False)
    *_, row, _, widest = scenarios.parts(tmp_path / "results", None)["extensions"].splitlines()
    assert row == "| mine | auc | 5 (1 failed) | 1.000 | 0.000 |"
    assert "at most 52 percentage points wide" in widest
