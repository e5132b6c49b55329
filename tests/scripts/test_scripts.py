"""Every script on a few rows, in the order of a run."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from permconf.generators import make_generator
from permconf_study.study.datasets import read_datasets

SEED = 3


@pytest.fixture(scope="module")
def study(parts_of, tables_of, scenarios, tmp_path_factory):
    """Design, data, nulls and tables of one experiment with four data sets, in two chunks."""

    @cache
    def make(name):
        folder = tmp_path_factory.mktemp(name)
        parts = parts_of(scenarios[name], folder, "00000-00001", "00002-00003")
        return tables_of(scenarios[name], parts, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("permconf_study.study.design.BLOCK", 20)  # a hypercube of 1,000 rows takes seconds
        yield make


def test_from_design_to_curves(study):
    tables = study("exp1")
    assert list(pd.read_csv(tables.design)["dataset"]) == [0, 1, 2, 3]
    tests = pd.read_parquet(tables.tests)
    assert list(tests["dataset"]) == [0, 1, 2, 3]
    assert (tests["n_permutations"] == tests["n_test"]).all()
    curves = pd.read_csv(tables.curves)
    assert set(curves["test"]) == {"response", "confounding"}
    assert (curves["n_datasets"] == 4).all()
    assert curves.loc[curves["alpha"] == 1, "rate"].eq(1).all()


@pytest.mark.usefixtures("study")
def test_too_many_failures_stop_the_run(parts_of, tables_of, scenarios, tmp_path):
    scenario = scenarios["exp4"] | {"learner": {"name": "sklearn.svm.SVC", "kernel": "no such kernel"}}
    message = "4 of 4 data sets failed, more than max_failed = 0.5; the first is data set 0: ValueError: SVC fails"
    with pytest.raises(SystemExit, match=message):
        tables_of(scenario, parts_of(scenario, tmp_path, "00000-00003"), tmp_path, max_failed=0.5)


def test_figure_8_and_table_1(study, run, scenarios, tmp_path):
    tables = [study(f"exp{k}") for k in (1, 2, 3, 4)]
    shown = {f"{k}/{kind}": getattr(t, kind) for k, t in enumerate(tables, start=1) for kind in ("curves", "tests")}
    drawn = run(
        "figure",
        wildcards={"figure": "fig08_simstudy"},
        params={"module": "fig08", "tables": shown, "options": {}},
        output={kind: tmp_path / f"fig08.{kind}" for kind in ("pdf", "png")},
    )
    table1 = run(
        "parameter_table",
        params={"scenarios": [scenarios[f"exp{k}"] for k in (1, 2, 3, 4)]},
        input={"designs": [t.design for t in tables]},
        output={kind: tmp_path / f"table1.{kind}" for kind in ("csv", "pdf", "png")},
    )
    assert all(Path(path).read_bytes()[:5] == b"%PDF-" for path in (drawn.pdf, table1.pdf))
    assert all(Path(path).read_bytes()[:4] == b"\x89PNG" for path in (drawn.png, table1.png))
    assert list(pd.read_csv(table1.csv).columns) == ["parameter", "exp1", "exp2", "exp3", "exp4"]


def test_table_1_refuses_a_design_that_leaves_its_ranges(study, run, scenarios, tmp_path):
    design = pd.read_csv(study("exp4").design)
    design.loc[2, "rho"] = 0.95
    design.to_csv(tmp_path / "changed.csv", index=False)
    with pytest.raises(ValueError, match=r"design of exp4 has rho outside \[0.2, 0.8\]"):
        run("parameter_table", params={"scenarios": [scenarios["exp4"]]}, input={"designs": [tmp_path / "changed.csv"]})


def with_object_labels(name):
    """A generator whose labels are Python objects."""
    generator = make_generator(name)

    def sample(rng, **parameters):
        X, y, c = generator.sample(rng, **parameters)
        return X, np.array(["no", "yes"], object)[y], np.array(["left", "right"], object)[c]

    return replace(generator, sample=sample)


@pytest.mark.parametrize("features", [{"values": [3, 10]}, 3])
@pytest.mark.parametrize("generator", [make_generator, with_object_labels])
def test_a_chunk_of_unlike_data_sets_is_whole(parts_of, scenarios, tmp_path, monkeypatch, features, generator):
    monkeypatch.setattr("permconf_study.study.datasets.make_generator", generator)
    parameters = {"n": 40, "beta": 1, "theta": 0, "rho": 0.5, "features": features}
    parameters |= dict.fromkeys(("p11", "p10", "p01", "p00"), 0.25)
    data = {"generator": "bernoulli_gaussian", "parameters": parameters}
    made = parts_of(scenarios["exp4"] | {"stream": "x", "data": data}, tmp_path, "00000-00003", seed=1)
    table = pd.read_parquet(made.chunks[0])
    assert len(table) == 4
    if generator is make_generator:
        assert list(table["status"]) == ["ok"] * 4
        widths = [dataset.X.shape[1] for dataset in read_datasets(*made.datasets)]
        assert widths == ([3] * 4 if features == 3 else [3, 10, 3, 10])
    else:
        assert all("generator 'bernoulli_gaussian' gave y of type object" in error for error in table["error"])
