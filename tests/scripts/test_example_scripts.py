"""The scripts behind Figs. 2, 4, 7 and S2, on a small study, one after the other, as a run would."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from permconf.study.scenario import load_scenarios

ROOT = Path(__file__).parents[2]
SEED = 5
PERMUTATIONS = 199


class Files(list):
    """Numbered and named files, like Snakemake's."""

    def __init__(self, files):
        super().__init__(files if isinstance(files, list) else files.values())
        self.__dict__.update({} if isinstance(files, list) else files)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(scope="module")
def run(folder):
    """Import a script, which has no effect, and call its `main` as Snakemake does."""

    def call(script, *, input=(), output, **about):
        spec = importlib.util.spec_from_file_location(f"script_{script}", ROOT / "scripts" / f"{script}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        about = {name: SimpleNamespace(**about.get(name, {})) for name in ("wildcards", "params")}
        output = {name: str(folder / path) for name, path in output.items()}
        input = input if isinstance(input, dict) else list(input)
        files = {"input": Files(input), "output": Files(output), "log": [str(folder / "log")]}
        module.main(SimpleNamespace(config={}, **files, **about))
        return SimpleNamespace(**output)

    return call


@pytest.fixture(scope="module")
def study(run):
    """Tests and data sets of scenario fig04: five data sets in two chunks, few permutations."""
    scenario = load_scenarios(ROOT / "workflow" / "scenarios", {"datasets": 5})["fig04"]
    analysis = scenario | {"permutations": PERMUTATIONS}
    data = {"stream": "fig04", **scenario["data"]}
    params = {"data": data, "analysis": analysis, "seed": SEED}
    block = {"scenario": "fig04", "block": "000"}
    design = run("design", wildcards=block, params=params, output={"design": "design/000.csv"}).design
    datasets, chunks = [], []
    for chunk in ("00000-00002", "00003-00004"):
        about = {"wildcards": {"scenario": "fig04", "chunk": chunk}, "params": params}
        made = run("simulate", input={"design": design}, output={"datasets": f"datasets/{chunk}.npz"}, **about)
        tables = {kind: f"chunks/{chunk}.{kind}.parquet" for kind in ("tests", "draws")}
        tested = run("permutation_nulls", input={"datasets": made.datasets}, output=tables, **about)
        datasets.append(made.datasets)
        chunks.append(tested)
    joined = run(
        "aggregate",
        wildcards={"scenario": "fig04"},
        params={"datasets": 5, "alpha_steps": 10, "max_failed": 0},
        input={"design": [design], "tests": [c.tests for c in chunks], "draws": [c.draws for c in chunks]},
        output={
            "design": "fig04/design.csv",
            "tests": "fig04/tests.parquet",
            "draws": "fig04/draws.parquet",
            "curves": "fig04/curves.csv",
        },
    )
    return SimpleNamespace(tests=joined.tests, draws=joined.draws, datasets=datasets, params=params)


@pytest.fixture(scope="module")
def examples(run, study):
    return run(
        "selected_draws",
        wildcards={"scenario": "fig04"},
        params=study.params,
        input={"tests": study.tests, "datasets": study.datasets},
        output={"examples": "fig04/examples.csv", "draws": "fig04/selected_draws.parquet"},
    )


@pytest.fixture(scope="module")
def association(run, study):
    return run(
        "partial_correlations",
        wildcards={"scenario": "fig04"},
        input={"tests": study.tests, "datasets": study.datasets},
        output={"association": "fig04/association.parquet"},
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
    assert list(table["dataset"]) == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(table["theorem1_exact"], table["partial_correlation"], rtol=0, atol=1e-12)
    tests = pd.read_parquet(study.tests).set_index("dataset").loc[table["dataset"]].reset_index()
    error = (table["theorem1_exact"] - table["theorem1_mc"]).abs() * tests["restricted_sd"] / tests["baseline_sd"]
    assert (error < 5 * tests["restricted_sd"] / np.sqrt(PERMUTATIONS)).all()


@pytest.mark.parametrize("module", ["fig04", "fig07"])
def test_a_small_study_is_enough_for_a_figure(run, study, examples, association, module):
    drawn = run(
        "figure",
        wildcards={"figure": module},
        params={"figure": {"module": module, "scenarios": {"correlation": "fig04"}}},
        input=[study.tests, association, examples.examples, examples.draws],
        output={kind: f"{module}.{kind}" for kind in ("pdf", "png")},
    )
    assert Path(drawn.pdf).read_bytes()[:5] == b"%PDF-"
    assert Path(drawn.png).read_bytes()[:4] == b"\x89PNG"


def test_fig_2_from_its_table(run):
    table = run("stratified_example", params={"seed": SEED}, output={"table": "stratified.csv"}).table
    assert pd.read_csv(table).groupby("panel").size()["c"] == 16
    drawn = run(
        "figure",
        wildcards={"figure": "fig02"},
        params={"figure": {"module": "fig02"}},
        input=[table],
        output={kind: f"fig02.{kind}" for kind in ("pdf", "png")},
    )
    assert Path(drawn.pdf).stat().st_size > 1000


def test_the_theorems_table_and_its_verdicts(run):
    tables = run("theorems", params={"seed": SEED}, output={"table": "theorems.csv", "decay": "theorem_decay.csv"})
    table, decay = pd.read_csv(tables.table), pd.read_csv(tables.decay)
    assert set(table["n"]) == {50, 100, 200, 400, 800}
    assert set(decay["verdict"]) == {"exact", "vanishing", "not vanishing"}
