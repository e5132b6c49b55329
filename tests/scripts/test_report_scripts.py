"""The scripts of the ledger, of the report and of Table 1, on a few rows."""

from contextlib import nullcontext
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permconf_study.paper.claims.ledger import ledger, write_ledger
from permconf_study.paper.report.embed import draw_quantiles
from permconf_study.paper.report.facts import commit, stages
from permconf_study.study.datasets import simulate, write_datasets
from permconf_study.study.parameters import bounds
from permconf_study.study.rejection_rates import alpha_grid, rejection_curve
from permconf_study.study.tables import write_table

ROOT = Path(__file__).parents[2]
CLAIM = """
- id: small
  place: "Fig. 0"
  statement: "Values are small & <few>."
  quantity: "mean"
  tables: [results/exp1/tests.parquet]
  check: {kind: mean, of: observed, within: [0, 1]}
  needs: {datasets: 1000}
  expected: reproduced
  quote: "few values"
"""
ARXIV = "https://arxiv.org/abs/1805.07465"
SCENARIO = {"title": "Experiment 1: one", "learner": "logistic", "metrics": ["auc"]}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A run of one experiment with two data sets and one figure."""
    monkeypatch.chdir(tmp_path)
    tests = {
        "dataset": [0, 1],
        "observed": [0.5, 0.6],
        "n_permutations": [9, 19],
        "status": ["ok", "ok"],
        "error": ["", ""],
    }
    write_table(tests, "results/exp1/tests.parquet")
    parts = [rejection_curve([0.01, 0.5], alpha_grid(20)) for _ in range(2)]
    curves = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    write_table({"test": np.repeat(["response", "confounding"], 21), **curves}, "results/exp1/curves.csv")
    (tmp_path / "figures").mkdir()
    matplotlib.image.imsave(tmp_path / "figures/fig08_study.png", np.ones((4, 6)))
    (tmp_path / "deviations.md").write_text("# Title\n\n## Part\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    (tmp_path / "claims.yaml").write_text(CLAIM)
    return tmp_path


def test_claims(run, results):
    output = {kind: results / f"results/claims.{kind}" for kind in ("csv", "json", "md")}
    run("claims", input={"claims": results / "claims.yaml"}, output=output)
    assert pd.read_csv(output["csv"])["verdict"].tolist() == ["unresolved"]  # it has two data sets
    assert "unresolved" in output["md"].read_text()


def test_html_report(run, results):
    from permconf_study.paper.claims.catalogue import load_claims

    rows = ledger(load_claims(results / "claims.yaml"))
    paths = {"csv": "results/claims.csv", "json_path": "results/claims.json", "md": "results/claims.md"}
    write_ledger(rows, **paths)
    run(
        "html_report",
        params={
            "captions": {"fig08_study": "A *slanted* figure. More of it."},
            "more": {},
            "tables": {"fig08_study": ["results/exp1/tests.parquet"]},
            "scenarios": {"exp1": SCENARIO},
            "seed": 4711,
        },
        input={
            "figures": ["figures/fig08_study.png"],
            "claims": "results/claims.json",
            "curves": ["results/exp1/curves.csv"],
            "deviations": results / "deviations.md",
            "templates": [str(ROOT / "workflow/report/report.html.j2")],
        },
        output={"page": results / "results/report.html"},
    )
    page = (results / "results/report.html").read_text()
    assert "Values are small &amp; &lt;few&gt;." in page
    assert "A <em>slanted</em> figure." in page
    assert 'alt="Fig. 8: A slanted figure."' in page
    assert "4711" in page
    assert "<td>1</td>" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "").replace(ARXIV, "")


def test_tie_term(run, scenarios, tmp_path):
    design = {"dataset": np.arange(3), "n": np.full(3, 60), "beta": np.full(3, 1.0), "theta": np.zeros(3)}
    design |= {"rho": np.full(3, 0.5)} | {name: np.full(3, 0.25) for name in ("p11", "p10", "p01", "p00")}
    write_datasets(simulate(scenarios["exp1"]["data"], design, stream="exp1", seed=1), tmp_path / "d.npz")
    analysis = {"stream": "exp1", "split": {"name": "half"}, "learner": {"name": "random_forest", "trees": 4}}
    run(
        "tie_term",
        params={"analysis": analysis, "datasets": 2, "seed": 1},
        input={"datasets": tmp_path / "d.npz"},
        output={"table": tmp_path / "t.csv"},
    )
    table = pd.read_csv(tmp_path / "t.csv")
    assert list(table["dataset"]) == [0, 1]
    assert (table["tied"] > 0.9).all()  # 30 samples, 5 possible scores
    assert (table["tie_sd"] < table["plain_sd"]).all()


def test_draws_are_embedded_as_quantiles():
    draws = pd.DataFrame(
        {"dataset": 0, "metric": "auc", "null": np.repeat(["a", "b"], 101), "value": np.r_[0:101, 0:202:2]}
    )
    table = draw_quantiles(pa.Table.from_pandas(draws))
    assert table["null"].to_pylist() == ["a", "b"]
    assert table["draws"].to_pylist() == [101, 101]
    assert table["q0.50"].to_pylist() == [50, 100]


def test_facts(tmp_path):
    for name, seconds in (("nulls/exp1/0.tsv", 2.0), ("nulls/exp2/0.tsv", 3.0), ("claims.tsv", 1.0)):
        path = tmp_path / "benchmarks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\n{seconds}\t0\n")
    times = tmp_path / "logs/simulate/exp1/times.tsv"
    times.parent.mkdir(parents=True)
    times.write_text("00000-00009\t0\t1.00\n00000-00009\t0\t4.00\n00010-00019\t0\t2.00\n")
    assert [(row["stage"], row["jobs"], row["total"]) for row in stages(tmp_path)] == [
        ("simulate", 2, 6.0),
        ("nulls", 2, 5.0),
        ("claims", 1, 1.0),
    ]
    assert commit(tmp_path) == "unknown"


def test_table_1_refuses_a_design_that_leaves_its_ranges(run, scenarios, tmp_path):
    parameters = scenarios["exp4"]["data"]["parameters"]
    design = pd.DataFrame({name: [bounds(spec, parameters)[1]] * 4 for name, spec in parameters.items()})
    output = {kind: tmp_path / f"table1.{kind}" for kind in ("csv", "pdf", "png")}
    for rho, place in ((0.8, None), (0.95, r"design of exp4 has rho outside \[0.2, 0.8\]")):
        design.assign(rho=rho).to_csv(tmp_path / "design.csv", index=False)
        params, inputs = {"scenarios": [scenarios["exp4"]]}, {"designs": [tmp_path / "design.csv"]}
        with pytest.raises(ValueError, match=place) if place else nullcontext():
            run("parameter_table", params=params, input=inputs, output=output)
    assert list(pd.read_csv(output["csv"])) == ["parameter", "exp4"]
