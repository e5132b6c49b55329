"""scripts/population.py on a small development data set."""

import numpy as np
import pandas as pd

from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import Dataset, write_datasets
from permconf_study.study.tables import write_table

COUNTS = {(0, 0): 60, (0, 1): 16, (1, 0): 14, (1, 1): 50}
SHARES = [{"y": 0, "c": 0, "share": 0.3}, {"y": 0, "c": 1, "share": 0.3}, {"y": 1, "c": 0, "share": 0.1}]
SPLITS = {
    "baseline": {"name": "population", "shares": [*SHARES, {"y": 1, "c": 1, "share": 0.3}]},
    "development": {"name": "stratified", "test_size": 23},
}


def development():
    rng = np.random.default_rng(1)
    rows = rng.permutation(np.repeat(np.arange(4), list(COUNTS.values())))
    y, c = (np.array([cell[k] for cell in COUNTS])[rows] for k in (0, 1))
    return Dataset(0, rng.standard_normal((y.size, 2)) + (y + c)[:, None], y.astype(np.uint8), c)


def test_tables_of_section_4(run, tmp_path):
    dataset, inputs = development(), {"datasets": tmp_path / "data.npz"}
    write_datasets([dataset], inputs["datasets"])
    analysis = {"learner": "logistic", "metrics": ["auc"], "nulls": ["restricted"], "permutations": 20, "draws": "none"}
    for name, split in SPLITS.items():
        inputs[name] = tmp_path / f"{name}.parquet"
        tests, _ = assess_datasets([dataset], {**analysis, "split": split}, stream="s", seed=3)
        write_table(tests, inputs[name])
    outputs = run(
        "population",
        wildcards={"study": "section4"},
        params={"stream": "s", "splits": SPLITS, "seed": 3},
        input=inputs,
        output={"relative": tmp_path / "relative.csv", "cells": tmp_path / "cells.csv"},
    )
    relative = pd.read_csv(outputs.relative)
    assert relative["relative_to"].tolist() == ["standard", "population"]
    assert relative["n_test"].tolist() == relative["baseline_n_test"].tolist() == [23, 23]
    cells = pd.read_csv(outputs.cells).set_index(["set", "y", "c"])
    assert [cells["count"]["development", *cell] for cell in COUNTS] == list(COUNTS.values())
    for part in ("train", "test"):
        assert cells["count"][f"baseline_{part}"].tolist() == [7, 7, 2, 7]
    assert (cells["count"]["development_train"] + cells["count"]["development_test"]).tolist() == list(COUNTS.values())
    assert cells["share"]["population"].tolist() == [0.3, 0.3, 0.1, 0.3]
    assert cells["count"]["population"].isna().all()
