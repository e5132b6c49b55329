import numpy as np
import pandas as pd
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.predictions import N_TEST, predicted
from permconf_study.paper.tables.stress_cells import TESTS
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block

DATA = {"generator": "bernoulli_gaussian", "parameters": {"n": {"values": [120, 200, 1100]}, "features": 3, "rho": 0.5}}
DATA["parameters"] |= {"p11": 0.4, "p10": 0.1, "p01": 0.1, "p00": 0.4, "beta": 1, "theta": 0}
ANALYSIS = {"stream": "here", "split": {"name": "first", "train_size": 100}, "learner": "logistic"}


@pytest.fixture
def cell():
    """Twelve data sets, four of them with a test set of N_TEST rows, and their table of tests."""
    design = {name: column[:12] for name, column in design_block(DATA, 0, Streams(1, "here", 0)).items()}
    tests = pd.DataFrame({"dataset": design["dataset"], "n_test": design["n"] - 100, "status": "ok"})
    tests = tests.assign(**{f"{test}_p": tests["dataset"] / 100 for test in TESTS})
    return simulate(DATA, design, stream="here", seed=1), tests


def test_predictions_are_those_of_the_data_sets_with_that_test_size(cell):
    columns = predicted(*cell, ANALYSIS, count=10, seed=1)
    assert columns["dataset"].tolist() == [1, 4, 7, 10]
    assert columns["y"].shape == columns["c"].shape == columns["yhat"].shape == (4, N_TEST)
    np.testing.assert_array_equal(columns["y"][1], cell[0][4].y[100:])
    np.testing.assert_allclose(columns["combined_p"], [0.01, 0.04, 0.07, 0.10])
    assert ((columns["yhat"] > 0) & (columns["yhat"] < 1)).all()
    assert np.mean(columns["yhat"][columns["y"] == 1]) > np.mean(columns["yhat"][columns["y"] == 0])
