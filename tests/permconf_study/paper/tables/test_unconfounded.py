import numpy as np
import pytest
from scipy.special import ndtr

from permconf.learners import make_learner
from permconf.permute.random_streams import Streams
from permconf_study.paper.tables import unconfounded
from permconf_study.paper.tables.unconfounded import unconfounded_metric, unconfounded_metrics, without_association
from permconf_study.study.datasets import simulate

DATA = {"generator": "bernoulli_gaussian", "stream": "here"}
ANALYSIS = {"learner": "logistic", "metrics": ["auc"], "split": {"name": "first", "train_size": 100}}
CELL = {"p11": 0.4, "p10": 0.1, "p01": 0.05, "p00": 0.45, "rho": 0.5, "features": 2, "n": 300}


def test_the_margins_stay_and_the_association_goes():
    p = without_association("bernoulli_gaussian", CELL)
    assert p["p11"] + p["p10"] == pytest.approx(0.5)
    assert p["p11"] + p["p01"] == pytest.approx(0.45)
    assert p["p11"] * p["p00"] == pytest.approx(p["p10"] * p["p01"])
    assert p["rho"] == 0.5


def test_the_association_goes_for_other_confounders():
    levels = {"p0": 0.2, "p1": 0.3, "p2": 0.5, "q0": 0.1, "q1": 0.5, "q2": 0.9}
    assert without_association("three_levels_gaussian", levels)["q1"] == pytest.approx(0.62)
    two = without_association("two_confounders_gaussian", {"gamma1": 1, "gamma2": 2, "beta": 1})
    assert two == {"gamma1": 0, "gamma2": 0, "beta": 1}
    with pytest.raises(ValueError, match="'linear_confounding' independent is not known"):
        without_association("linear_confounding", {"beta_yc": 1})


def test_a_confounder_alone_teaches_nothing_without_association():
    effects = {"beta": 0, "theta": 2}, {"beta": 2, "theta": 0}
    alone, real = (unconfounded_metric(DATA, CELL | effect, ANALYSIS, Streams(1), train_rows=100) for effect in effects)
    assert abs(alone - 0.5) < 0.05
    assert real > 0.85


@pytest.fixture
def study():
    """Three data sets and their design."""
    design = {"dataset": np.arange(3), **{k: np.full(3, v) for k, v in (CELL | {"beta": 1, "theta": 1}).items()}}
    return design, simulate(DATA, design, stream="here", seed=1)


def test_a_data_set_has_its_own_companions(study):
    design, datasets = study
    table = unconfounded_metrics(DATA, design, datasets, ANALYSIS, seed=1)
    assert list(table) == ["dataset", "as_trained", "unconfounded", "retrained"]
    alone = unconfounded_metrics(DATA, design, datasets[2:], ANALYSIS, seed=1)
    for name in unconfounded.COLUMNS:
        assert len(set(table[name])) == 3
        assert alone[name][0] == table[name][2]


def test_the_metric_as_trained_is_that_of_the_fitted_coefficients(study):
    """Scores are normal given (y, c), so the AUC in independent data is a sum of normal probabilities."""
    design, datasets = study
    (found,) = unconfounded_metrics(DATA, design, datasets[:1], ANALYSIS, seed=1)["as_trained"]
    X_train, y_train = datasets[0].X[:100], datasets[0].y[:100, None].astype(np.uint8)
    axes = np.vstack([np.zeros(2), np.eye(2)])
    at = make_learner("logistic").scores(X_train, y_train, axes, np.zeros(1, np.uint64)).values[:, 0]
    w = at[1:] - at[0]
    spread = np.sqrt(2 * w @ np.array([[1, 0.5], [0.5, 1]]) @ w)
    p = {1: 0.45, 0: 0.55}
    expected = sum(p[c] * p[d] * ndtr(w.sum() * (1 + c - d) / spread) for c in p for d in p)
    assert found == pytest.approx(expected, abs=4 * 0.3 / np.sqrt(10_000))


def test_without_weights_or_rows_there_is_no_estimate_of_retraining(study):
    design, datasets = study
    forest = ANALYSIS | {"learner": {"name": "nearest_neighbours"}}
    assert np.isnan(unconfounded_metrics(DATA, design, datasets[:1], forest, seed=1)["retrained"]).all()
