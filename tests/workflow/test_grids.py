"""A study of one file: its cells against its raw tables, its own ledger, its growth, and data sets stored once."""

import copy
import math
import statistics
from pathlib import Path

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
GRID = {
    "title": "{learner}, n = {n}, beta = {beta}",
    "name": "grid_{learner}_{n}_{beta}",
    "like": "starter",
    "grid": {"learner": ["lda"], "n": [60], "beta": [0, 0.5]},
    "data": {"parameters": {"features": 2, "theta": 0.5}, "datasets": 12},
    "truth": {"response": "beta != 0", "confounding": True, "datasets": 10},
    "predictions": {"permutations": 19, "bootstrap": 20},
    "permutations": 19,
    "chunk": 12,
    "figure": {"rows": "n", "columns": "beta", "colour": "learner", "y": "bias", "of": ["observed", "corrected"]},
}
CLAIMS = [
    {
        "id": "observed",
        "statement": "The observed AUC has no large bias with a response effect.",
        "where": "scenario == 'grid_lda_60_0p5' and measure == 'bias' and of == 'observed'",
        "check": {"kind": "value", "of": "value", "error": "mcse", "within": [-0.5, 0.5]},
    },
    {
        "id": "power",
        "statement": "The response test always rejects.",
        "tables": ["results/grid_lda_60_0/tests.parquet"],
        "check": {"kind": "share", "of": "response_p <= 0.05", "within": [0.9, None]},
        "expected": "not reproduced",
    },
]
CHUNK = {"simulate": 1, "permutation_nulls": 1, "aggregate": 1}


@pytest.fixture(scope="module")
def grid(project):
    """A finished run of a grid of one learner, one size and two effects, with claims of its own."""
    project.write("starter", (ROOT / "workflow/starter.yaml").read_text())
    project.write("grid", GRID)
    project.write("grid.claims", CLAIMS)
    project.command("run", "grid")
    return copy.deepcopy(GRID)


def due(project):
    """The number of jobs by scenario and step that the study would take, apart from its tables and figure."""
    return project.planned_by_scenario("figures/studies/grid.pdf")


def stored(project):
    """How many files of data sets there are, and how many take space on the disk: hard links count once."""
    files = [path.stat().st_ino for path in project.folder.glob("results/grid_*/datasets/*/*.npz")]
    return len(files), len(set(files))


def raw(project, scenario):
    """Errors, intervals and p-values of a cell, read from its raw tables."""
    folder = project.folder / "results" / scenario
    rows = pd.read_parquet(folder / "tests.parquet").merge(pd.read_parquet(folder / "unconfounded.parquet"), how="left")
    return rows[rows["status"] == "ok"].to_dict("records")


@pytest.mark.parametrize("beta", [0, 0.5])
@pytest.mark.parametrize("estimator", ["observed", "corrected", "reweighted"])
def test_a_cell_has_the_numbers_of_its_raw_tables(project, grid, beta, estimator):
    """By the formulas of Morris, White and Crowther (2019, Table 6), as in R's rsimsum; of the RMSE by the jackknife,
    as in R's simhelpers.
    """
    cells = pd.read_csv(project.folder / "results/grid/cells.csv")
    here = cells[(cells["beta"] == beta) & (cells["of"] == estimator)]
    found = here[here["against"] == "as_trained"].set_index("measure")
    known = [row for row in raw(project, f"grid_lda_60_{str(beta).replace('.', 'p')}") if row["as_trained"] > 0]
    rows = [row for row in known if not math.isnan(row[estimator])]
    errors, k = [row[estimator] - row["as_trained"] for row in rows], len(rows)
    assert 5 < k == found.loc["bias", "n_datasets"] <= grid["truth"]["datasets"]
    spread, mse = statistics.stdev(errors), statistics.fmean(e**2 for e in errors)
    without = [math.sqrt((k * mse - e**2) / (k - 1)) for e in errors]
    expected = {
        "bias": (statistics.fmean(errors), spread / math.sqrt(k)),
        "empirical_se": (spread, spread / math.sqrt(2 * (k - 1))),
        "rmse": (math.sqrt(mse), math.sqrt((k - 1) ** 2 / k * statistics.variance(without))),
    }
    if estimator == "reweighted":
        inside = [row["reweighted_low"] <= row["as_trained"] <= row["reweighted_high"] for row in rows]
        covered = statistics.fmean(inside)
        expected["coverage"] = covered, math.sqrt(covered * (1 - covered) / k)
        widths = [row["reweighted_high"] - row["reweighted_low"] for row in rows]
        expected["width"] = statistics.fmean(widths), statistics.stdev(widths) / math.sqrt(k)
    for measure, (value, error) in expected.items():
        assert found.loc[measure, "value"] == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert found.loc[measure, "mcse"] == pytest.approx(error, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("test", ["response", "confounding", "prediction", "association", "combined"])
def test_a_rejection_rate_is_that_of_the_p_values(project, grid, test):
    cells = pd.read_csv(project.folder / "results/grid/cells.csv")
    for beta in grid["grid"]["beta"]:
        p = [row[f"{test}_p"] for row in raw(project, f"grid_lda_60_{str(beta).replace('.', 'p')}")]
        rate = statistics.fmean(one <= 0.05 for one in p)
        chosen = (cells["beta"] == beta) & (cells["of"] == test) & (cells["alpha"] == 0.05)
        (row,) = cells[chosen].to_dict("records")
        assert (row["value"], row["n_datasets"]) == (pytest.approx(rate), 12)
        assert row["mcse"] == pytest.approx(math.sqrt(rate * (1 - rate) / 12))


@pytest.mark.usefixtures("grid")
def test_a_study_has_a_ledger_of_its_own(project):
    ledger = pd.read_csv(project.folder / "results/grid/claims.csv").set_index("id")
    assert dict(ledger["verdict"]) == {"observed": "reproduced", "power": "not reproduced"}
    cells = pd.read_csv(project.folder / "results/grid/cells.csv").query(CLAIMS[0]["where"])
    assert ledger.loc["observed", "estimate"] == pytest.approx(cells["value"].item())
    said, _ = project.command("claims", "--study", "grid")
    assert said.splitlines()[-1].startswith("2 checks of ours: reproduced 1, not reproduced 1; details in")
    assert not (project.folder / "results/claims.csv").exists()
    again, _ = project.command("claims", "power", "--study", "grid")
    assert "tables: results/grid_lda_60_0/tests.parquet" in again
    missing = project.command("claims", "--study", "gird", check=False)
    assert missing == ("permconf: unknown study 'gird', did you mean 'grid'?\n", 2)


def test_growth_in_any_direction_recomputes_nothing(project, grid):
    """And the data sets of a second learner are those of the first, stored once."""
    assert due(project) == {}
    before = pd.read_parquet(project.folder / "results/grid_lda_60_0/tests.parquet")
    parts = [
        path for kind in ("design", "chunks", "truths") for path in project.folder.glob(f"results/grid_*/{kind}/*/*")
    ]
    chunks = {path: path.stat().st_mtime_ns for path in parts}  # a further hard link renews the time of data sets
    grown = copy.deepcopy(grid)
    grown["grid"]["learner"] = ["naive_bayes", "lda"]
    project.write("grid", grown)
    old, new = ([f"grid_{of}_60_{beta}" for beta in ("0", "0p5")] for of in ("lda", "naive_bayes"))
    cell = {"design": 1, **CHUNK, "true_metrics": 1, "unconfounded": 1}
    assert due(project) == dict.fromkeys(new, cell)

    grown["grid"]["n"] = [40, 60]
    project.write("grid", grown)
    smaller = {f"grid_{learner}_40_{beta}" for learner in ("lda", "naive_bayes") for beta in ("0", "0p5")}
    assert due(project) == dict.fromkeys([*new, *smaller], cell)

    grown["grid"]["n"], grown["data"]["datasets"] = [60], 24
    project.write("grid", grown)
    grown_cell = cell | {"simulate": 2, "permutation_nulls": 2}
    assert due(project) == dict.fromkeys(old, CHUNK) | dict.fromkeys(new, grown_cell)
    project.command("run", "grid")
    assert stored(project) == (8, 4)  # two chunks in each of four cells
    after = pd.read_parquet(project.folder / "results/grid_lda_60_0/tests.parquet")
    pd.testing.assert_frame_equal(after[: len(before)], before)
    assert {path: path.stat().st_mtime_ns for path in chunks} == chunks


@pytest.mark.usefixtures("grid")
def test_a_wrong_claim_is_a_sentence(project):
    for change, sentence in (
        ({"check": {"kind": "shares"}}, "claim observed: check: unknown kind 'shares', did you mean 'share'?"),
        ({"where": "n == 60"}, "claim observed: the claim is about one row, but"),
        ({"where": "effect == 1"}, "claim observed: name 'effect' is not defined"),
        (
            {"check": {"kind": "value", "off": "value"}},
            "claim observed: value() got an unexpected keyword argument 'off'",
        ),
        ({"statement": None}, "grid.claims.yaml: claim 1 needs the key 'statement'"),
    ):
        claim = {key: value for key, value in (CLAIMS[0] | change).items() if value is not None}
        project.write("grid.claims", yaml.safe_dump([claim]))
        said, code = project.command("claims", "observed", "--study", "grid", check=False)
        assert (code, said.count("\n")) == (2, 1)
        assert said.startswith(f"permconf: {sentence}")
    project.write("grid.claims", CLAIMS)
