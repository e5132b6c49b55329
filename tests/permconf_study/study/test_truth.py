from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from permconf.generators import make_generator
from permconf.generators.bernoulli_gaussian import independent
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf_study.study.datasets import simulate
from permconf_study.study.truth import COLUMNS, Case, own_breaks, true_metrics

DATA = {"generator": "bernoulli_gaussian", "stream": "here"}
ANALYSIS = {"learner": "logistic", "metrics": ["auc"], "split": {"name": "first", "train_size": 100}}
CELL = {"p11": 0.4, "p10": 0.1, "p01": 0.05, "p00": 0.45, "rho": 0.5, "features": 2, "n": 300}


def test_the_margins_stay_and_the_association_goes():
    p = independent(CELL)
    assert p["p11"] + p["p10"] == pytest.approx(0.5)
    assert p["p11"] + p["p01"] == pytest.approx(0.45)
    assert p["p11"] * p["p00"] == pytest.approx(p["p10"] * p["p01"])


def test_the_response_keeps_its_distribution_where_the_confounder_is_another():
    """Quartiles of Y with and without association, in the model whose parameters cannot make them independent."""
    generator, effects = make_generator("linear_confounding"), {"p": 0.4, "beta_xc": 1, "beta_yc": 2, "beta_xy": 1}
    samplers = generator.sample, generator.worlds["unconfounded"]
    y, other = (sampler(np.random.default_rng(1), n=40_000, **effects)[1] for sampler in samplers)
    for share in (0.25, 0.5, 0.75):
        assert np.mean(other <= np.quantile(y, share)) == pytest.approx(share, abs=4 * np.sqrt(2 * 0.25 / 40_000))


def case(**changed):
    """A data set with the association of CELL."""
    design, datasets = drawn(changed)
    metrics = {"auc": make_metric("auc")}
    parameters = {k: v[0] for k, v in design.items() if k != "dataset"}
    return Case(datasets[0], parameters, make_generator(DATA["generator"]), ANALYSIS, metrics, Streams(1))


def test_a_confounder_alone_teaches_nothing_without_association():
    assert abs(case(beta=0, theta=2).unconfounded(100)[0] - 0.5) < 0.05
    assert case(beta=2, theta=0).unconfounded(100)[0] > 0.85


def drawn(effects):
    """Three data sets and their design."""
    design = {"dataset": np.arange(3), **{k: np.full(3, v) for k, v in (CELL | effects).items()}}
    return design, simulate(DATA, design, stream="here", seed=1)


@pytest.fixture
def study():
    return drawn({"beta": 1, "theta": 1})


def test_a_data_set_has_its_own_companions(study):
    design, datasets = study
    table = true_metrics(DATA, design, datasets, ANALYSIS, seed=1)
    assert list(table) == ["dataset", "as_trained", "unconfounded", "retrained", "metric"]
    alone = true_metrics(DATA, design, datasets[2:], ANALYSIS, seed=1)
    for name in COLUMNS:
        assert len(set(table[name])) == 3
        assert alone[name][0] == table[name][2]


def test_the_metric_as_trained_is_that_of_the_fitted_coefficients(study):
    """Scores are normal given (y, c), so the AUC in independent data is a sum of normal probabilities."""
    design, datasets = study
    (found,) = true_metrics(DATA, design, datasets[:1], ANALYSIS, seed=1)["as_trained"]
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
    assert np.isnan(true_metrics(DATA, design, datasets[:1], forest, seed=1)["retrained"]).all()


def test_every_metric_has_a_truth_and_a_failed_data_set_has_none(study):
    design, datasets = study
    both = ANALYSIS | {"metrics": ["auc", "accuracy"]}
    table = true_metrics(DATA, design, [datasets[0], replace(datasets[1], error="broken")], both, seed=1)
    assert table["dataset"].tolist() == [0, 0, 1, 1]
    assert table["metric"].tolist() == ["auc", "accuracy"] * 2
    assert np.isfinite(table["as_trained"]).tolist() == [True, True, False, False]
    assert table["as_trained"][0] == true_metrics(DATA, design, datasets[:1], ANALYSIS, seed=1)["as_trained"][0]


def test_an_adjusted_learner_is_tested_on_adjusted_rows(study):
    """Residuals of new rows are made with the means of the training rows, so the confounder is gone there too."""
    design, datasets = study
    plain, adjusted = (
        true_metrics(DATA, design, datasets[:1], ANALYSIS | {"adjustment": name}, seed=1)["as_trained"][0]
        for name in ("none", "residuals")
    )
    assert adjusted != plain
    assert adjusted == pytest.approx(0.76, abs=0.05)  # beta 1 in two features with correlation 0.5: Phi(sqrt(2/3))


def test_bins_of_a_data_set_are_kept_for_further_rows():
    c = np.arange(8.0)
    assert own_breaks("levels", c) == "levels"
    assert own_breaks({"quantiles": 2}, c)["breaks"] == [3.5]
    both = own_breaks([{"width": 2}, "levels"], np.column_stack([c, c]))
    assert both[0]["breaks"] == [3.5]
    assert both[1] == "levels"


WORLDS = ("independent", "reversed", "ideal")


def worlds(adjustment="none", datasets=1, **effects):
    """The metric in the worlds of the generator, for data sets with two confounders."""
    parameters = {"n": 200, "gamma": 1.1, "beta": 0.5, "theta": 0.5, "rho": 0.3, **effects}
    design = {"dataset": np.arange(datasets), **{k: np.full(datasets, v) for k, v in parameters.items()}}
    data, analysis = {"generator": "overlapping_effects", "stream": "here"}, ANALYSIS | {"adjustment": adjustment}
    made = simulate(data, design, stream="here", seed=1)
    found = true_metrics(data, design, made, analysis, seed=1, columns=WORLDS)
    return np.array([found[name] for name in WORLDS])


def test_the_ideal_has_the_rows_of_the_independent_world_and_neither_confounder_nor_adjustment():
    independent, _, ideal = worlds(theta=0)
    assert independent == ideal
    assert worlds()[2] == ideal == worlds("residuals")[2]
    assert worlds()[0] != worlds("residuals")[0]


def test_worlds_differ_by_the_association_and_the_ideal_is_not_beaten():
    """Means over 40 data sets, by three Monte Carlo errors of the paired differences."""
    independent, opposite, ideal = worlds(datasets=40)
    for less, more in ((opposite, independent), (independent, ideal)):
        gain = more - less
        assert gain.mean() > 3 * gain.std(ddof=1) / np.sqrt(40)
