"""The arena from its scripts, on two data sets and two methods."""

import pandas as pd

from permconf_study.study.arena import load_methods


def test_from_design_to_summary(run, parts_of, scenarios, tmp_path):
    name, every = "arena_two", load_methods()
    contestants = {"learners": {"logistic": "logistic"}} | {
        "methods": {method: every["methods"][method] for method in ("none", "residuals_5bins")}
    }
    made = parts_of(scenarios[name], tmp_path, "00000-00001", nulls=False)
    chunk = run(
        "arena_chunk",
        wildcards={"scenario": name, "chunk": "00000-00001"},
        params=made.params | {"methods": contestants},
        input={"design": made.design, "datasets": made.datasets[0]},
        output={"results": tmp_path / "chunk.parquet"},
    )
    done = run(
        "arena_summary",
        params={"chunks": {name: [chunk.results]}},
        output={"results": tmp_path / "results.parquet", "summary": tmp_path / "summary.csv"},
    )
    assert len(pd.read_parquet(done.results)) == 4
    summary = pd.read_csv(done.summary)
    assert summary[["setting", "learner", "method", "n_datasets"]].values.tolist() == [
        ["two", "logistic", "none", 2],
        ["two", "logistic", "residuals_5bins", 2],
    ]


def test_rates_after_residualising(run, tmp_path):
    tests = {"status": ["ok"], "n_train": [100], "confounding_z": [2.0], "confounding_p": [0.02], "baseline_sd": [0.1]}
    tests |= {"restricted_sd": [0.2], "restricted_mean": [0.5], "prediction_p": [0.3]}
    pd.DataFrame(tests).to_parquet(tmp_path / "tests.parquet")
    params, output = {"scenarios": ["unneeded_none"]}, {"table": tmp_path / "residuals.csv"}
    done = run("residual_tests", params=params, input={"tests": [tmp_path / "tests.parquet"]}, output=output)
    assert pd.read_csv(done.table)[["scenario", "confounding"]].values.tolist() == [["unneeded_none", 1.0]]
