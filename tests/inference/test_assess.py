import dataclasses
import math

import numpy as np
import pytest

from permconf import assess
from permconf.inference.assess import (
    confounding_test,
    corrected_metric,
    moments,
    permutation_p,
    quantile_corrected_metric,
)
from permconf.metrics import Moments
from permconf.metrics.auc import auc_null

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
    assert permutation_p(0.5, np.array([np.nan, 0.1])) == 2 / 3


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


def test_the_quantile_correction_is_the_draw_at_the_rank_of_the_observed_value(rng):
    c = np.arange(400) % 2
    y = c + rng.standard_normal(400)
    X = (c + 0.1 * y + rng.standard_normal(400))[:, None]
    options = {"learner": "feature", "metric": "correlation", "nulls": ("restricted", "standard"), "seed": 1}
    result = assess(X[:0], y[:0], c[:0], X, y, c, permutations=500, **options)
    rank = np.count_nonzero(result.restricted <= result.observed)
    assert 0 < rank < 500
    assert result.corrected_quantile == np.sort(result.standard)[rank - 1]
    assert result.corrected_quantile == pytest.approx(result.corrected, abs=0.02)  # two Monte Carlo errors


def test_without_a_standard_null_there_is_no_quantile_correction(reference):
    result = assess(*reference("D01").parts, permutations=20, seed=0)
    assert result.standard is None
    assert np.isnan(result.corrected_quantile)
    assert np.isfinite(result.corrected)


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


def test_the_printed_formula_without_the_root_is_not_used(reference):
    d = reference("D01")
    a = assess(*d.parts, permutations=500, seed=1)
    assert d.glm["auc_c_printed_formula_without_sqrt"] == pytest.approx(0.517, abs=0.001)
    assert a.corrected > 0.75


def test_analytic_null_with_ties():
    y = np.array([0, 0, 1, 1, 1])
    assert auc_null(y).sd ** 2 == pytest.approx(6 / (12 * 6))
    no_ties = auc_null(y, scores=np.arange(5))
    assert no_ties.sd == pytest.approx(auc_null(y).sd)
    # one group of 3 equal scores: 3 * 2 * 4 = 24
    tied = auc_null(y, scores=np.array([1, 1, 1, 2, 3]))
    assert tied.sd**2 == pytest.approx(6 / 72 - 24 / (12 * 5 * 4 * 6))


def test_analytic_null_with_ties_is_the_exact_permutation_variance():
    from itertools import combinations

    from permconf.metrics.auc import auc_values

    scores = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 5.0])
    labels = np.zeros((7, 35), np.uint8)
    for k, cases in enumerate(combinations(range(7), 3)):
        labels[list(cases), k] = 1
    values = auc_values(labels, np.repeat(scores[:, None], 35, axis=1))
    null = auc_null(labels[:, 0], scores=scores)
    assert values.mean() == pytest.approx(null.mean)
    assert values.std() == pytest.approx(null.sd)


def test_metrics_without_analytic_null_use_the_standard_null(reference):
    d = reference("D01")
    a = assess(*d.parts, metric="accuracy", permutations=200, seed=1)
    assert a.standard is not None
    assert (a.baseline_mean, a.baseline_sd) == moments(a.standard)


def test_smaller_is_better_metrics(rng):
    X, c = rng.standard_normal((200, 2)), rng.integers(0, 2, 200)
    y = X[:, 0] + 2 * c
    X[:, 1] += 2 * c
    a = assess(X[:100], y[:100], c[:100], X[100:], y[100:], c[100:], learner="linear_regression", metric="mse", seed=1)
    assert a.response_p == 1 / 101
    assert a.confounding_z > 3
    assert a.observed < a.restricted.min()


def test_permutations_default_to_the_test_size(reference):
    d = reference("D03")
    assert assess(*d.parts, seed=1).n_permutations == 151


def test_an_assessment_prints_as_one_line_without_a_p_value_of_0(reference):
    said = repr(dataclasses.replace(assess(*reference("D01").parts, permutations=9, seed=1), confounding_p=0.0))
    assert "confounding_p=< 1e-300" in said
    assert "n_permutations=9" in said
    assert "\n" not in said


def test_the_same_seed_gives_the_same_assessment(reference):
    parts = reference("D01").parts
    first, second, other = (assess(*parts, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.restricted, second.restricted)
    assert not np.array_equal(first.restricted, other.restricted)


def test_separated_fits_are_counted_and_no_warning_is_raised(reference):
    tiny = assess(*reference("D09").parts, seed=1)
    assert tiny.flagged > 0
    assert 0 <= tiny.observed <= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_test": np.ones(20)}, "one class only"),
        ({"c_test": np.full(20, np.nan)}, "confounder has missing or infinite values in 20 of"),
        ({"c_train": np.zeros(19)}, "X_train, y_train and c_train have 20, 20 and 19 rows"),
        ({"X_test": np.zeros((20, 5))}, "X_train has 2 features, X_test has 5"),
        ({"permutations": 1}, "permutations must be a whole number from 2, not 1"),
        ({"nulls": ("restrictd",)}, "unknown null 'restrictd', did you mean 'restricted'"),
        ({"c_train": np.arange(20), "c_test": np.arange(20)}, "does not vary"),
    ],
)
def test_bad_input_is_named(change, message, rng):
    good = {
        **{f"X_{part}": rng.standard_normal((20, 2)) for part in ("train", "test")},
        **{f"y_{part}": np.arange(20) % 2 for part in ("train", "test")},
        **{f"c_{part}": np.arange(20) // 10 for part in ("train", "test")},
    }
    with pytest.raises(ValueError, match=message):
        assess(**(good | change), seed=1)


def test_a_training_set_of_one_class_is_an_error():
    X, c = np.random.default_rng(0).standard_normal((20, 2)), np.arange(20) % 2
    y = np.r_[np.ones(10, int), np.arange(10) % 2]
    with pytest.raises(ValueError, match="training set has one class only"):
        assess(X[:10], y[:10], c[:10], X[10:], y[10:], c[10:], seed=0)


def test_smooth_confounders_need_no_bins(rng):
    age, sex = rng.standard_normal(300), rng.integers(0, 2, 300)
    y = (rng.random(300) < 1 / (1 + np.exp(-2 * age - sex))).astype(int)
    X = rng.standard_normal((300, 3)) + age[:, None]
    both = np.column_stack([age, sex])

    def assessed(c, confounder):
        parts = X[:150], y[:150], c[:150], X[150:], y[150:], c[150:]
        return assess(*parts, confounder=confounder, permutations=99, seed=1)

    smooth = assessed(both, "smooth")
    assert smooth.response_p > 0.05
    assert smooth.restricted_mean > 0.6
    assert smooth.restricted_mean == assessed(both, ["smooth", "levels"]).restricted_mean
    assert smooth.fixed == 0
    np.testing.assert_array_equal(assessed(sex, "smooth").restricted, assessed(sex, "levels").restricted)
    with pytest.raises(ValueError, match="confounder gives 3 binnings, the data have 2 confounders"):
        assessed(both, ["smooth"] * 3)
    with pytest.raises(ValueError, match=r"confounder 1 has missing or infinite values in 1 of 300 rows, .* row 2 of"):
        assessed(np.where(np.arange(600).reshape(300, 2) == 4, np.nan, both), "smooth")


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
