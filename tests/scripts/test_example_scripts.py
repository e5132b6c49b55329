"""The scripts behind Figs. 2, 4, 7 and S2, on a small study, in the order of a run."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from permconf_study.paper.tables import theorems

SEED = 5
PERMUTATIONS = 199


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(scope="module")
def study(parts_of, tables_of, scenarios, folder):
    """Tests and data sets of scenario fig04: four data sets in two chunks, few permutations."""
    scenario = scenarios["fig04"] | {"permutations": PERMUTATIONS}
    parts = parts_of(scenario, folder, "00000-00002", "00003-00003", seed=SEED)
    tables = tables_of(scenario, parts, folder / "fig04")
    return SimpleNamespace(tests=tables.tests, draws=tables.draws, datasets=parts.datasets, params=parts.params)


@pytest.fixture(scope="module")
def examples(run, study, folder):
    return run(
        "selected_draws",
        wildcards={"scenario": "fig04"},
        params=study.params,
        input={"tests": study.tests, "datasets": study.datasets},
        output={"examples": folder / "fig04/examples.csv", "draws": folder / "fig04/selected_draws.parquet"},
    )


@pytest.fixture(scope="module")
def association(run, study, folder):
    return run(
        "partial_correlations",
        wildcards={"scenario": "fig04"},
        input={"tests": study.tests, "datasets": study.datasets},
        output={"association": folder / "fig04/association.parquet"},
    ).association


def test_the_study_keeps_no_draws_and_the_replay_has_exactly_its_moments(study, examples):
    assert len(pd.read_parquet(study.draws)) == 0
    tests = pd.read_parquet(study.tests).set_index("dataset")
    draws = pd.read_parquet(examples.draws)
    chosen = pd.read_csv(examples.examples)
    assert set(draws["dataset"]) == set(chosen["dataset"])
    for (dataset, null), rows in draws.groupby(["dataset", "null"]):
        column = {"restricted": "restricted_mean", "standard": "baseline_mean"}[null]
        assert len(rows) == PERMUTATIONS
        assert np.mean(rows["value"].to_numpy()) == tests[column][dataset]


def test_partial_correlations_agree_with_theorem_1_exactly_and_with_its_estimate_nearly(study, association):
    table = pd.read_parquet(association)
    assert list(table["dataset"]) == [0, 1, 2, 3]
    np.testing.assert_allclose(table["theorem1_exact"], table["partial_correlation"], rtol=0, atol=1e-12)
    tests = pd.read_parquet(study.tests).set_index("dataset").loc[table["dataset"]].reset_index()
    error = (table["theorem1_exact"] - table["theorem1_mc"]).abs() * tests["restricted_sd"] / tests["baseline_sd"]
    assert (error < 5 * tests["restricted_sd"] / np.sqrt(PERMUTATIONS)).all()


def drawn(run, folder, module, tables):
    """The figure of a module, drawn by its script."""
    output = {kind: folder / f"{module}.{kind}" for kind in ("pdf", "png")}
    run(
        "figure",
        wildcards={"figure": module},
        params={"module": module, "tables": tables, "options": {}},
        output=output,
    )
    assert output["pdf"].read_bytes()[:5] == b"%PDF-"
    assert output["png"].read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("module", ["fig04", "fig07"])
def test_a_small_study_is_enough_for_a_figure(run, folder, study, examples, association, module):
    paths = (study.tests, association, examples.examples, examples.draws)
    drawn(run, folder, module, {f"correlation/{Path(path).stem}": path for path in paths})


def test_fig_2_from_its_table(run, folder):
    table = run("stratified_example", params={"seed": SEED}, output={"table": folder / "stratified.csv"}).table
    assert pd.read_csv(table).groupby("panel").size()["c"] == 16
    drawn(run, folder, "fig02", {"stratified": table})


def test_the_theorems_table_and_its_verdicts(run, folder, monkeypatch):
    smaller = partial(theorems.theorem_table, sizes=(20, 40, 80), replicates=4)
    monkeypatch.setattr(theorems, "theorem_table", smaller)
    paths = {"table": folder / "theorems.csv", "decay": folder / "theorem_decay.csv"}
    tables = run("theorems", params={"seed": SEED}, output=paths)
    table, decay = pd.read_csv(tables.table), pd.read_csv(tables.decay)
    assert set(table["n"]) == {20, 40, 80}
    assert set(decay["verdict"]) == {"exact", "vanishing", "not vanishing"}


def test_rates_after_residualising(run, tmp_path):
    tests = {"status": ["ok"], "n_train": [100], "confounding_z": [2.0], "confounding_p": [0.02], "baseline_sd": [0.1]}
    tests |= {"restricted_sd": [0.2], "restricted_mean": [0.5], "prediction_p": [0.3]}
    pd.DataFrame(tests).to_parquet(tmp_path / "tests.parquet")
    params, output = {"scenarios": ["unneeded_none"]}, {"table": tmp_path / "residuals.csv"}
    done = run("residual_tests", params=params, input={"tests": [tmp_path / "tests.parquet"]}, output=output)
    assert pd.read_csv(done.table)[["scenario", "confounding"]].values.tolist() == [["unneeded_none", 1.0]]
