import numpy as np
import pytest

from permconf.method.random_streams import Streams
from permconf.paper.tables.unconfounded import unconfounded_metric, unconfounded_metrics, without_association

DATA = {"generator": "bernoulli_gaussian", "stream": "here"}
ANALYSIS = {"learner": "logistic", "metrics": ["auc"], "split": {"name": "first", "train_size": 100}}
CELL = {"p11": 0.4, "p10": 0.1, "p01": 0.05, "p00": 0.45, "rho": 0.5, "features": 2, "n": 120}


def test_the_margins_stay_and_the_association_goes():
    p = without_association(CELL)
    assert p["p11"] + p["p10"] == pytest.approx(0.5)
    assert p["p11"] + p["p01"] == pytest.approx(0.45)
    assert p["p11"] * p["p00"] == pytest.approx(p["p10"] * p["p01"])
    assert p["rho"] == 0.5


def test_a_confounder_alone_teaches_nothing_without_association():
    assert unconfounded_metric(DATA, CELL | {"beta": 0, "theta": 2}, ANALYSIS, Streams(1)) == pytest.approx(
        0.5, abs=0.05
    )
    assert unconfounded_metric(DATA, CELL | {"beta": 2, "theta": 0}, ANALYSIS, Streams(1)) > 0.85


def test_a_data_set_has_its_own_companions():
    design = {"dataset": np.arange(3), **{k: np.full(3, v) for k, v in (CELL | {"beta": 1, "theta": 1}).items()}}
    table = unconfounded_metrics(DATA, design, ANALYSIS, seed=1)
    assert len(set(table["unconfounded"])) == 3
    last = {name: values[2:] for name, values in design.items()}
    assert unconfounded_metrics(DATA, last, ANALYSIS, seed=1)["unconfounded"][0] == table["unconfounded"][2]
