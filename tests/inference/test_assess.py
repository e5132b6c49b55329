import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from permconf import assess
from permconf.inference.assess import (
    Assessment,
    confounding_test,
    corrected_error,
    corrected_metric,
    is_constant,
    moments,
    quantile_corrected_metric,
)
from permconf.inference.p_values import permutation_p
from permconf.metrics import Moments, make_metric
from permconf.metrics.auc import auc_null, auc_values

DRAWS = np.array([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize(
    ("observed", "direction", "p"), [(0.3, 1, 3 / 5), (0.5, 1, 1 / 5), (0.3, -1, 4 / 5), (0.0, -1, 1 / 5)]
)
def test_permutation_p_counts_the_observed_value(observed, direction, p):
    assert permutation_p(observed, DRAWS, direction=direction) == p


@pytest.mark.parametrize("unit", [1e-150, 1e-9, 1.0, 1e9])
@pytest.mark.parametrize("direction", [1, -1])
def test_values_that_differ_by_rounding_are_ties_in_any_unit(unit, direction):
    draws = unit * np.array([0.3 - 4e-16, 0.3, 0.3 + 4e-16, 0.1, 0.5])
    assert permutation_p(0.3 * unit, draws, direction=direction) == 5 / 6


def test_what_is_not_defined_is_never_significant():
    assert permutation_p(np.nan, DRAWS) == 1
    assert permutation_p(0.7, np.array([0.5, np.nan, 0.7, 0.8])) == 4 / 5
    assert permutation_p(0.7, np.array([0.9, np.nan, 0.7, 0.6]), direction=-1) == 4 / 5


def test_ties_next_to_zero_are_relative_to_the_spread_of_the_draws():
    assert permutation_p(0.0, np.array([-0.2, -1e-17, 0.1, 0.2])) == 4 / 5
    assert permutation_p(1e-6, np.array([-0.2, 0.0, 0.1, 0.2])) == 3 / 5


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1.0, 1e9])
def test_draws_are_constant_up_to_rounding_in_any_unit(unit):
    draws = unit * np.array([0.2, 0.3, 0.1 * 3, np.nan])
    assert is_constant(draws[1:])
    assert not is_constant(draws)
    assert not is_constant(draws[3:])


def test_permutations_that_only_reorder_equal_rows_are_ties():
    """The order of a sum changes the correlation by 4e-16; without a tolerance p was 0.0025."""
    rng = np.random.default_rng(78)
    x, c = rng.normal(size=(12, 1)), np.repeat([0, 1, 0, 1], 3)
    y = np.r_[rng.permutation([0.0, 0, 1, 1, 2, 2]), rng.permutation([0.0, 0, 0, 1, 1, 1])]
    options = {"learner": "linear_regression", "metric": "correlation", "permutations": 400, "seed": 1}
    found = assess(x[:6], y[:6], c[:6], x[6:], y[6:], c[6:], **options)
    assert found.response_p == (1 + np.sum(found.restricted >= found.observed - 1e-12)) / 401 > 0.05


def test_confounding_test_is_one_sided_towards_better():
    z, p = confounding_test(0.52, Moments(0.5, 0.1), 100)
    assert z == pytest.approx(2)
    assert p == pytest.approx(0.5 * math.erfc(2 / math.sqrt(2)))
    assert confounding_test(0.48, Moments(0.5, 0.1), 100, direction=-1)[1] == pytest.approx(p)


def test_corrected_metric_matches_tail_probabilities():
    restricted, baseline = Moments(0.7, 0.02), Moments(0.5, 0.05)
    corrected = corrected_metric(0.76, restricted, baseline)
    assert (corrected - 0.5) / 0.05 == pytest.approx((0.76 - 0.7) / 0.02)


def test_quantile_correction_is_truncated_at_the_range_of_the_draws():
    standard = np.arange(100) / 1000
    assert quantile_corrected_metric(0.25, DRAWS, standard) == pytest.approx(standard[49])
    assert quantile_corrected_metric(9.0, DRAWS, standard) == standard.max()
    assert quantile_corrected_metric(-9.0, DRAWS, standard) == standard.min()


@pytest.mark.parametrize("name", ["D01", "D03", "D05", "D07", "D11"])
def test_nulls_and_corrected_aucs_agree_with_r(reference, name):
    """2,000 draws here and 2,000 in R, each with its own Monte Carlo error: four standard errors of the difference."""
    d = reference(name)
    a = assess(*d.parts, permutations=2000, nulls=("restricted", "standard"), seed=11)
    assert a.observed == pytest.approx(d.glm["auc_obs"], abs=1e-9)
    assert a.baseline_sd == pytest.approx(d.glm["sigma_analytic"], abs=1e-9)
    for draws, theirs in ((a.restricted, d.glm["restricted"]), (a.standard, d.glm["standard"])):
        ours = moments(draws)
        # the s.e. of a standard deviation is sd sqrt((kurtosis - 1) / 4b)
        kurtosis = np.mean(((draws - ours.mean) / ours.sd) ** 4)
        errors = ours.sd / math.sqrt(2000), ours.sd * math.sqrt((kurtosis - 1) / 8000)
        assert abs(ours.mean - theirs["mean"]) < 4 * math.hypot(errors[0], theirs["se_mean"])
        assert abs(ours.sd - theirs["sd"]) < 4 * math.hypot(errors[1], theirs["se_sd"])
    assert abs(a.corrected - d.glm["auc_c_analytic"]) < 4 * math.sqrt(2) * d.glm["se_auc_c_analytic"]


def test_analytic_null_with_ties_is_the_exact_permutation_variance():
    scores = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 5.0])
    labels = np.zeros((7, 35), np.uint8)
    for k, cases in enumerate(combinations(range(7), 3)):
        labels[list(cases), k] = 1
    values = auc_values(labels, np.repeat(scores[:, None], 35, axis=1))
    null = auc_null(labels[:, 0], scores=scores)
    assert values.mean() == pytest.approx(null.mean)
    assert values.std() == pytest.approx(null.sd)


def test_metrics_without_analytic_null_use_the_standard_null(reference):
    a = assess(*reference("D01").parts, metric="accuracy", permutations=200, seed=1)
    assert (a.baseline_mean, a.baseline_sd) == moments(a.standard)


def test_smaller_is_better_metrics(rng):
    X, c = rng.standard_normal((200, 2)), rng.integers(0, 2, 200)
    y = X[:, 0] + 2 * c
    X[:, 1] += 2 * c
    a = assess(X[:100], y[:100], c[:100], X[100:], y[100:], c[100:], learner="linear_regression", metric="mse", seed=1)
    assert a.response_p == 1 / 101
    assert a.confounding_z > 3
    assert a.observed < a.restricted.min()


def test_the_positive_class_can_be_chosen(rng):
    y, c, X = np.arange(80) % 2, rng.integers(0, 2, 80), rng.normal(size=(80, 1))
    levels = pd.CategoricalDtype(["well", "ill"], ordered=True)  # the order decides, whatever the names
    y, options = pd.Series(np.array(["well", "ill"])[y], dtype=levels), {"metric": "f1", "permutations": 9, "seed": 1}
    data = X[:40], y[:40], c[:40], X[40:], y[40:], c[40:]
    ill, chosen = assess(*data, **options), assess(*data, positive="ill", **options)
    assert ill.observed == chosen.observed != assess(*data, positive="well", **options).observed


def test_categories_that_are_in_the_test_set_only_stay_categories(rng):
    y, c = np.arange(80) % 2, rng.integers(0, 2, 80)
    X = pd.DataFrame({"x": rng.normal(size=80), "site": pd.Categorical(["a", "b"] * 20 + ["b", "c"] * 20)})
    train, test = (part.assign(site=part["site"].cat.remove_unused_categories()) for part in (X[:40], X[40:]))
    learner = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=2)
    found = assess(train, y[:40], c[:40], test, y[40:], c[40:], learner=learner, permutations=3, seed=1)
    assert 0 <= found.observed <= 1


# ---- the way from draws to an assessment -----------------------------------------------------------------------------

COUNTS = {"n_train": 50, "n_test": 50, "flagged": 0, "fixed": 0}


@pytest.mark.parametrize("analytic", [None, Moments(0.5, 0.05)])
def test_the_error_of_the_corrected_metric_is_its_spread_over_draws(rng, analytic):
    def once():
        restricted = 0.6 + 0.03 * rng.gamma(4, 0.5, size=400)  # skewed
        standard = rng.normal(0.5, 0.05, 400) if analytic is None else None
        options = {"standard": standard, "analytic": analytic, **COUNTS}
        return Assessment.from_draws("auc", make_metric("auc"), 0.8, restricted, **options)

    found = [once() for _ in range(600)]
    errors = np.array([corrected_error(one) for one in found])
    assert np.mean(errors) == pytest.approx(np.std([one.corrected for one in found]), rel=4 / np.sqrt(2 * 600))


@pytest.mark.parametrize(
    ("restricted", "options", "problem"),
    [
        (np.full(20, 0.5), {"analytic": Moments(0.5, 0.1)}, "the restricted null of auc does not vary"),
        ([0.5, np.nan, 0.6], {"analytic": Moments(0.5, 0.1)}, "metric 'auc' is not defined for 1 of 4 responses"),
        ([0.5, 0.6], {"standard": np.full(9, np.nan)}, "is not defined for 9 of 9 standard permutations"),
        ([0.5, 0.6], {"standard": np.full(9, 0.5)}, "the null of auc without confounding is not defined or does not"),
    ],
)
def test_what_is_not_defined_is_a_problem_and_no_exception(restricted, options, problem):
    found = Assessment.from_draws("auc", make_metric("auc"), 0.8, np.array(restricted), **options, **COUNTS)
    assert problem in found.problem
    assert 0 < found.response_p <= 1
    if "does not vary" in problem:
        assert np.isnan([found.corrected, corrected_error(found)]).all()
    with pytest.raises(ValueError, match=problem):
        found.checked()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"permutations": 1}, "permutations must be a whole number from 2, not 1"),
        ({"nulls": ("restrictd",)}, "unknown null 'restrictd', did you mean 'restricted'"),
        ({"c": np.arange(40)}, "the restricted null of auc does not vary"),
        ({"y": np.r_[np.ones(20), np.arange(20) % 2]}, "training set has one class only"),
    ],
)
def test_what_cannot_be_assessed_is_named(options, message, rng):
    X, y, c = rng.standard_normal((40, 2)), options.pop("y", np.arange(40) % 2), options.pop("c", np.arange(40) // 20)
    with pytest.raises(ValueError, match=message):
        assess(X[:20], y[:20], c[:20], X[20:], y[20:], c[20:], **options, seed=1)


# ---- other confounders, other responses ------------------------------------------------------------------------------


def test_smooth_confounders_need_no_bins(rng):
    age, sex = rng.standard_normal(300), rng.integers(0, 2, 300)
    y = (rng.random(300) < 1 / (1 + np.exp(-2 * age - sex))).astype(int)
    X = rng.standard_normal((300, 3)) + age[:, None]

    def assessed(c, confounder):
        parts = X[:150], y[:150], c[:150], X[150:], y[150:], c[150:]
        return assess(*parts, confounder=confounder, permutations=99, seed=1)

    both = np.column_stack([age, sex])
    smooth = assessed(both, "smooth")
    assert smooth.response_p > 0.05
    assert smooth.restricted_mean > 0.6
    assert smooth.restricted_mean == assessed(both, ["smooth", "levels"]).restricted_mean
    assert smooth.fixed == 0
    np.testing.assert_array_equal(assessed(sex, "smooth").restricted, assessed(sex, "levels").restricted)


@pytest.mark.parametrize("learner", ["logistic", {"name": "random_forest", "trees": 20}, "nearest_neighbours"])
@pytest.mark.parametrize("metric", ["auc", "accuracy", "balanced_accuracy", "log_loss"])
def test_three_classes(learner, metric, rng):
    n = 180
    c = np.arange(n) % 2
    X = rng.standard_normal((n, 2)) + c[:, None]
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.3 * rng.standard_normal(n), [-0.3, 0.9])]
    parts = (X[:100], y[:100], c[:100], X[100:], y[100:], c[100:])
    result = assess(*parts, learner=learner, metric=metric, permutations=19, seed=1)
    assert result.response_p <= 0.1
    assert np.isfinite(result.corrected)
    if metric == "auc":  # no formula for its null: permutations are the baseline
        assert result.standard is not None
        assert abs(result.baseline_mean - 0.5) < 5 * result.baseline_sd / np.sqrt(19)
