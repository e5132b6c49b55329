"""A learner fails on one data set of forty: the run continues and reports it, and the data set can be replayed."""

import copy

import pandas as pd
import pytest

pytestmark = pytest.mark.slow
FRAGILE = """
import numpy as np


class Fragile:
    def scores(self, X_train, Y_train, X_test, keys):
        if len(X_test) == 41:
            raise FloatingPointError("this data set is one row too long")
        return np.repeat(X_test[:, :1], keys.size, axis=1)


LEARNER = Fragile
"""
FIGURE = "figures/scenarios/fragile.png"


@pytest.fixture(scope="module")
def done(project, cheap):
    """A run of forty data sets, of which number 17 has 41 rows."""
    project.plugin("learners/fragile.py", FRAGILE)
    data = copy.deepcopy(cheap["data"])
    del data["parameters"]["n"]
    data["rows"] = [{"n": 41 if number == 17 else 40} for number in range(40)]
    project.write("fragile", cheap | {"data": data, "learner": "fragile"})
    return project.command("run", FIGURE)[0]


def test_39_good_rows_one_failed_row_and_the_figure(project, done):
    tests = pd.read_parquet(project.folder / "results/fragile/tests.parquet")
    assert list(tests["dataset"]) == list(range(40))
    assert tests["status"].value_counts().to_dict() == {"ok": 39, "failed": 1}
    failed = tests[tests["status"] == "failed"].iloc[0]
    assert failed["dataset"] == 17
    assert failed["error"] == "FloatingPointError: this data set is one row too long"
    assert failed["traceback"].startswith("Traceback (most recent call last):")
    assert "fragile.py" in failed["traceback"]
    curves = pd.read_csv(project.folder / "results/fragile/curves.csv")
    assert set(curves["n_datasets"]) == {39}
    assert (project.folder / FIGURE).stat().st_size > 10_000
    assert "(1 failed)" in done


@pytest.mark.usefixtures("done")
def test_replay_shows_the_traceback_and_agrees_with_the_run(project):
    failing, code = project.command("replay", "fragile", "17", check=False)
    assert code == 1
    assert "parameters: " in failing
    assert "n = 41" in failing
    assert "Traceback (most recent call last):" in failing
    assert "FloatingPointError: this data set is one row too long" in failing
    assert "It agrees with results/fragile/tests.parquet." in failing
    good, _ = project.command("replay", "fragile", "16")
    assert "response_p: " in good
    assert "It agrees with results/fragile/tests.parquet." in good
