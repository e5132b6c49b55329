"""Predictions of the stress study's test sets, for tests that other packages make of them.

`python -m permconf.paper.tables.predictions` writes results/stress/predictions.npz: per cell and data set of one test size, the
response, the confounder and the predicted probability of the test rows, and the p-values of this package's tests.
"""

import argparse

import numpy as np
from scipy.special import expit

from permconf.learners import make_learner
from permconf.paper.tables.stress import CELLS, TESTS
from permconf.study.chunks import chunks
from permconf.study.datasets import read_datasets
from permconf.study.scenario import load_scenarios
from permconf.study.schema import read_yaml
from permconf.study.tables import read_table, written_whole

N_TEST = 100


def predictions(dataset, train_size, learner):
    """Response, confounder and predicted probability of class 1 of the test rows."""
    y = dataset.y.astype(np.uint8)
    train, test = slice(0, train_size), slice(train_size, None)
    scores = learner.scores(dataset.X[train], y[train, None], dataset.X[test], np.zeros(1, np.uint64))
    return y[test], dataset.c[test], expit(scores.values[:, 0])


def cell_columns(scenario, count):
    """Columns of one cell's table, one entry per data set: the first `count` whose test set has N_TEST rows."""
    folder = f"results/{scenario['name']}"
    tests = read_table(f"{folder}/tests.parquet")
    tests = tests[(tests["n_test"] == N_TEST) & (tests["status"] == "ok")].head(count).set_index("dataset")
    learner = make_learner(scenario["learner"])
    predicted: dict[int, tuple[np.ndarray, ...]] = {}
    for chunk in chunks(scenario["datasets"], scenario["chunk"]):
        if len(predicted) == len(tests):
            break
        for dataset in read_datasets(f"{folder}/datasets/{chunk}.npz"):
            if dataset.number in tests.index:
                predicted[dataset.number] = predictions(dataset, scenario["split"]["train_size"], learner)
    y, c, yhat = (np.array(part) for part in zip(*predicted.values(), strict=True))
    p = {f"{test}_p": tests.loc[list(predicted), f"{test}_p"].to_numpy() for test in TESTS}
    return {"dataset": np.array(list(predicted)), "y": y, "c": c, "yhat": yhat, **p}


def main():
    parser = argparse.ArgumentParser(prog="python -m permconf.paper.tables.predictions", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="data sets per cell")
    parser.add_argument("--datasets", type=int, help="data sets that the run was asked for, if not those of the files")
    options = parser.parse_args()
    config = read_yaml("config.yaml")
    scenarios = load_scenarios(config["scenario_dir"], config | {"datasets": options.datasets})
    arrays = {
        f"{cell}/{name}": values
        for cell in CELLS
        for name, values in cell_columns(scenarios[f"stress_{cell}"], options.count).items()
    }
    with written_whole("results/stress/predictions.npz") as temporary, open(temporary, "wb") as file:
        np.savez(file, **arrays)


if __name__ == "__main__":
    main()
