import numpy as np
import pandas as pd

from permconf_study.pages.study import page_text

FILE = """# Aims: to see a page. Data: two cells.
# Methods: none.

title: a study
"""


def test_a_page_has_aims_design_cells_and_cost(tmp_path):
    (tmp_path / "mine.yaml").write_text(FILE)
    scenario = {
        "name": "mine",
        "file": str(tmp_path / "mine.yaml"),
        "cell": {},
        "description": "What it is about.",
        "data": {"generator": "bernoulli_gaussian", "parameters": {"n": {"values": [50, 100]}, "beta": 1}},
        "split": {"name": "half"},
        "confounder": "levels",
        "adjustment": "none",
        "learner": "lda",
        "metrics": ["auc"],
        "permutations": 9,
        "confounder_tests": {},
        "predictions": {},
    }
    results = tmp_path / "results/mine"
    results.mkdir(parents=True)
    values = {"metric": "auc", "response_p": 0.01, "observed": 0.7, "status": ["failed", *["ok"] * 5]}
    pd.DataFrame({"dataset": range(6), **values}).to_parquet(results / "tests.parquet")
    pd.DataFrame({"dataset": range(6), "n": np.tile([50, 100], 3)}).to_csv(results / "design.csv", index=False)
    log = tmp_path / "results/logs/permutation_nulls/mine/times.tsv"
    log.parent.mkdir(parents=True)
    log.write_text("0-5\t1.0\t120\n")
    text = page_text("mine", [scenario], tmp_path, tmp_path / "MINE_STUDY.md", 1)
    assert "**Aims.** to see a page." in text
    assert "What it is about." in text
    assert "| n | {values: [50, 100]} |" in text
    assert "In all rows: metric auc.\n\n| n | data sets |" in text
    assert "| 50 | 2 (1 failed) | 1.000 |" in text
    assert "| 100 | 3 | 1.000 |" in text
    assert "at most 84 percentage points wide" in text
    assert "[MINE_STUDY.csv](MINE_STUDY.csv)" in text
    cells = pd.read_csv(tmp_path / "MINE_STUDY.csv")
    assert set(cells["measure"]) == {"rejection_rate", "mean"}
    assert "At most 1 data set of a cell failed. Data sets, nulls, tests and truths took 2 minutes of one core." in text
