"""A table of one's own, through the rules of the workflow."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow
TESTS, FIGURE = "results/mine/tests.parquet", "figures/scenarios/mine.pdf"


@pytest.fixture(scope="module")
def mine(project):
    rng = np.random.default_rng(1)
    n = 60
    frame = pd.DataFrame({"x": rng.normal(size=n), "sex": rng.choice(["f", "m"], n), "id": np.arange(n) // 6})
    frame["ill"] = rng.integers(0, 2, n)
    frame.to_csv(project.folder / "mine.csv", index=False)
    data = {"table": "mine.csv", "response": "ill", "confounders": ["sex"], "groups": "id", "datasets": 12}
    scenario = {"title": "mine", "data": data, "learner": "lda", "metrics": ["auc"], "permutations": 19, "chunk": 6}
    project.write("mine", scenario | {"predictions": {"permutations": 19, "bootstrap": 9}})
    project.snakemake(FIGURE)
    return frame


def test_it_runs_from_the_table_to_figure_summary_and_replay(project, mine):
    tests = pd.read_parquet(project.folder / TESTS)
    assert (tests["status"] == "ok").all(), tests["error"].tolist()
    assert (tests["n_train"] + tests["n_test"] == len(mine)).all()
    assert tests["observed"].nunique() > 3
    assert (project.folder / FIGURE).stat().st_size > 1000
    summary, _ = project.command("summary", "mine")
    assert "| splits |" in summary
    assert "not a power" in summary
    assert "It agrees with" in project.command("replay", "mine", "7")[0]


def test_an_edited_table_is_computed_again(project, mine):
    mine.assign(x=mine["x"] + mine["ill"]).to_csv(project.folder / "mine.csv", index=False)
    assert project.planned(TESTS) == {"aggregate": 1, "permutation_nulls": 2, "simulate": 2}
    mine.to_csv(project.folder / "mine.csv", index=False)
    assert not project.planned(TESTS)
