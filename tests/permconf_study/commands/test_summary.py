from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from permconf.errors import ConfigError
from permconf.versions import versions
from permconf_study.commands import summary
from permconf_study.commands.summary import splits_text, undefined_notes
from permconf_study.pages.cell_tables import PLUS_MINUS, cells_text, scenario_table

EXP1 = {"name": "exp1", "cell": {}, "data": {"parameters": {}}}


@pytest.fixture
def tests(rng):
    n = 400
    return pd.DataFrame(
        {
            "dataset": np.arange(n),
            "metric": "auc",
            "response_p": np.where(np.arange(n) % 4, 0.5, 0.01),
            "confounding_p": rng.random(n),
            "observed": rng.normal(0.7, 0.1, n),
            "corrected": rng.normal(0.6, 0.1, n),
            "status": ["failed"] * 40 + ["ok"] * 360,
        }
    )


def cells_of(text):
    """The cells of a Markdown table, row by row."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


def test_splits_of_a_table_have_quartiles_and_no_rates(tests):
    text = splits_text({"x": tests})
    header, _, row = cells_of(text)
    texts = [
        "{:.3f} ({:.3f} to {:.3f})".format(*np.quantile(tests[name][40:], [0.5, 0.25, 0.75]))
        for name in ("response_p", "observed")
    ]
    assert header[2:] == ["splits", "response p", "confounding p", "observed", "corrected"]
    assert (row[2], row[3], row[5]) == ("360 (40 failed)", *texts)
    assert "is not a power" in text
    assert PLUS_MINUS not in text


def test_tables_of_a_run(tests, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ConfigError, match=r"results/exp1/tests.parquet does not exist; run: permconf run results/exp1/tests.parquet"
    ):
        scenario_table("exp1")
    folder = tmp_path / "results/exp1"
    folder.mkdir(parents=True)
    tests.to_parquet(folder / "tests.parquet")
    pd.DataFrame({"dataset": np.arange(400), "n": np.arange(400) % 2}).to_csv(folder / "design.csv", index=False)
    assert len(scenario_table("exp1")) == 400
    header, _, row = cells_of(cells_text([EXP1], ["scenario"]).split("\n\n")[0])
    assert header[2:] == ["data sets", "response test at 0.05", "confounding test at 0.05"]
    assert row[:4] == ["exp1", "auc", "360 (40 failed)", "0.250 (0.206 to 0.298)"]
    rates, estimators = cells_text([EXP1], ["n"]).split("\n\n")
    assert [line.split(" | ")[:3] for line in rates.splitlines()[2:]] == [
        ["| 0", "auc", "180 (20 failed)"],
        ["| 1", "auc", "180 (20 failed)"],
    ]
    assert len(estimators.splitlines()) == 2 + 2 * 2  # observed and corrected, without a truth
    with pytest.raises(ConfigError, match="there is no variable 'm'; choose from n, scenario"):
        cells_text([EXP1], ["m"])


def test_undefined_values_are_counted_with_the_most_frequent_reason():
    nan, cell = float("nan"), "no row has y = 1, c = 'a'"
    tests = pd.DataFrame(
        {
            "status": ["ok"] * 4 + ["failed"],
            "response_p": [0.1] * 4 + [nan],
            "conditional_p": [nan, 0.1, 0.2, 0.3, nan],
            "prediction_p": [0.5, 0.5, nan, nan, nan],
            "association_p": [0.5, 0.5, nan, nan, nan],
            "prediction_undefined": ["", "", "the prediction is constant", "the prediction is constant", ""],
            "corrected": [nan] * 5,
            "reweighted": [0.6, nan, nan, nan, nan],
            "reweighted_undefined": ["", cell, "another", cell, ""],
        }
    )
    assert list(undefined_notes("x", tests)) == [
        "Note: x: conditional is undefined in 1 of 4 rows.",
        "Note: x: prediction is undefined in 2 of 4 rows, most often because the prediction is constant.",
        f"Note: x: reweighted is undefined in 3 of 4 rows, most often because {cell}.",
    ]


def test_another_version_of_a_package_is_a_note(monkeypatch):
    """It is no part of a fingerprint, so that nothing is computed again."""
    record = {"versions": versions() | {"scikit-learn": "0.1"}}
    monkeypatch.setattr(summary, "read_record", lambda _: record)
    monkeypatch.setattr(summary, "why_outdated", lambda *_: "")
    steps = SimpleNamespace(fingerprint=lambda *_: "", old_folders=lambda _: [])
    (note,) = summary.origin_notes("x", steps)
    assert note.startswith(f"Note: x was computed with scikit-learn 0.1 (here {versions()['scikit-learn']}); delete")
    record["versions"] = versions()
    assert not list(summary.origin_notes("x", steps))
