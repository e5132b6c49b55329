"""The tables of other choices from their scripts, on a few data sets of every scenario that they need."""

import pandas as pd
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block
from permconf_study.study.tables import write_table

EXPERIMENTS = ("exp1", "exp2")


@pytest.fixture
def results(scenarios, tmp_path, monkeypatch):
    """Make the tables of one scenario, with few data sets and permutations; the path of one of them."""
    monkeypatch.setattr("permconf_study.study.design.BLOCK", 60)  # a hypercube of 1,000 rows takes seconds

    def make(name, table="tests.parquet", datasets=2):
        scenario, folder = scenarios[name], tmp_path / "results" / name
        if not folder.exists():
            stream, data = scenario["stream"], scenario["data"]
            design = design_block(data, 0, Streams(1, stream, 0))
            design = {column: values[:datasets] for column, values in design.items()}
            analysis = scenario | {"permutations": 9, "learner": small(scenario["learner"])}
            made = simulate(data, design, stream=stream, seed=1)
            tests, draws = assess_datasets(made, analysis, stream=stream, seed=1)
            for file, columns in (("design.csv", design), ("tests.parquet", tests), ("draws.parquet", draws)):
                write_table(columns, folder / file)
        return str(folder / table)

    return make


def small(learner):
    return {"name": "random_forest", "trees": 3} if "random_forest" in str(learner) else learner


def redraws(results, folder):
    """The tests of Section 4's redraws in one table."""
    names = [f"section4_redraws_{part}" for part in ("development", "baseline")]
    tables = [pd.read_parquet(results(name)).assign(scenario=name) for name in names]
    pd.concat(tables).to_parquet(folder / "redraws.parquet")
    return folder / "redraws.parquet"


def test_deviation_tables(results, run, tmp_path):
    choices = {"as run": "", "stratified split": "_stratified", "random Latin hypercube": "_random_design"}
    experiments = {choice: {e: results(f"{e}{suffix}") for e in EXPERIMENTS} for choice, suffix in choices.items()}
    figures = {
        "sizes": [results("fig03_sizes", table, 27) for table in ("tests.parquet", "design.csv")],
        "permutations": [results("fig04"), results("fig04_1000_permutations")],
        "effects": [results("fig05_effects", table, 6) for table in ("draws.parquet", "design.csv")],
        "unpenalised": results("fig06_unpenalised"),
        "redraws": str(redraws(results, tmp_path)),
    }
    output = {name: tmp_path / f"{name}.csv" for name in ("experiments", "figures")}
    done = run("deviation_tables", params={"experiments": experiments, "figures": figures}, output=output)
    table = pd.read_csv(done.experiments)
    assert table.groupby("choice", sort=False)["experiment"].nunique().to_dict() == {
        "as run": 2,
        "p-value of the text, count / b": 2,
        "confounding test two-sided": 2,
        "stratified split": 2,
        "random Latin hypercube": 2,
    }
    table = pd.read_csv(done.figures)
    assert table.groupby("figure")["choice"].nunique().to_dict() == {
        "3b": 9,
        "3c": 9,
        "3d": 9,
        "4a": 1,
        "5f": 3,
        "6a, d": 1,
        "11": 1,
    }
    assert table["value"].notna().all()


def test_forest_comparison(results, run, tmp_path):
    done = run(
        "forest_comparison",
        params={"experiments": EXPERIMENTS},
        input={"forests": [results(f"{e}_forest") for e in EXPERIMENTS], "logistic": [results(e) for e in EXPERIMENTS]},
        output={"table": tmp_path / "forests.csv"},
    )
    table = pd.read_csv(done.table)
    assert table["choice"].nunique() == 2
    assert set(table["n_datasets"]) == {2}
    assert list(table["experiment"].unique()) == list(EXPERIMENTS)
