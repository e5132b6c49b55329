"""Algorithm 2 and the conditional test: the right shuffles (by enumeration), the same result in any blocks, errors."""

import itertools

import numpy as np
import pytest

from permconf import algorithm2, assess, combined_test, conditional_test
from permconf.data.mixed_confounders import analysed_confounder
from permconf.data.split import checked_split
from permconf.inference.algorithm2 import ALTERNATIVES, response_levels, shuffle_confounder, shuffle_p
from permconf.learners import make_learner
from permconf.metrics import Metric, make_metric
from permconf.metrics.auc import auc_values
from permconf.permute.random_bits import random_bits
from permconf.permute.random_streams import Streams

TESTS = {"algorithm2": algorithm2, "conditional": conditional_test}


def confounded(rng, n=60, theta=1.0, levels=2):
    """Features that depend on response and confounder, which depend on each other; halves for training and test."""
    c = rng.integers(0, levels, n)
    y = (rng.random(n) < 0.25 + 0.5 * (c == 1)).astype(int)
    X = rng.standard_normal((n, 3)) + (0.5 * y + theta * c)[:, None]
    half = n // 2
    return X[:half], y[:half], c[:half], X[half:], y[half:], c[half:]


# ---- the shuffles ----------------------------------------------------------------------------------------------------

X_TINY = np.array([0.3, -1.0, 1.2, 0.5, 1.4, -0.2, 0.9, 1.9])[:, None]
Y_TINY = np.array([0, 0, 0, 0, 1, 1, 1, 1])
C_TINY = np.array([0, 0, 0, 1, 0, 1, 1, 1])


def arrangements(values, within):
    """Every distinct vector that permuting `values` within the levels of `within` can give."""
    values, within = np.asarray(values), np.asarray(within)
    rows = [np.flatnonzero(within == level) for level in np.unique(within)]
    for parts in itertools.product(*(sorted(set(itertools.permutations(values[r]))) for r in rows)):
        out = np.empty_like(values)
        for r, part in zip(rows, parts, strict=True):
            out[r] = part
        yield out


def tiny_moments(within, inner):
    """Exact mean and variance of the statistic when C_TINY is shuffled within these levels."""
    means, variances = [], []
    for c in arrangements(C_TINY, within):
        Y = np.array(list(arrangements(Y_TINY, c))).T.astype(np.uint8)
        values = auc_values(Y, np.repeat(X_TINY, Y.shape[1], axis=1))
        means.append(values.mean())
        variances.append(values.var())
    return np.mean(means), np.var(means) + np.mean(variances) / inner


@pytest.mark.statistical
@pytest.mark.parametrize(("kind", "within"), [("algorithm2", np.zeros(8)), ("conditional", Y_TINY)])
@pytest.mark.parametrize("inner", [1, 5])
def test_draws_have_the_moments_of_all_arrangements(kind, within, inner):
    nothing = X_TINY[:0], Y_TINY[:0], C_TINY[:0]
    B = 20_000
    test = TESTS[kind](*nothing, X_TINY, Y_TINY, C_TINY, learner="feature", shuffles=B, inner=inner, seed=1)
    mean, variance = tiny_moments(within, inner)
    assert abs(test.mean - mean) < 4 * np.sqrt(variance / B)
    kurtosis = np.mean((test.draws - test.mean) ** 4) / test.sd**4
    assert abs(test.sd**2 - variance) < 4 * variance * np.sqrt((kurtosis - 1) / B)


@pytest.mark.statistical
def test_the_two_kinds_differ_where_the_response_tells_of_the_confounder():
    assert abs(tiny_moments(np.zeros(8), 5)[0] - tiny_moments(Y_TINY, 5)[0]) > 0.02


@pytest.mark.statistical
@pytest.mark.parametrize("kind", TESTS)
def test_the_statistic_is_the_mean_of_the_restricted_null(kind, rng):
    parts = confounded(rng)
    test = TESTS[kind](*parts, shuffles=2, inner=2000, seed=5)
    null = assess(*parts, permutations=2000, seed=6)
    assert abs(test.statistic - null.restricted_mean) < 4 * null.restricted_sd * np.sqrt(2 / 2000)


class Recorder:
    """A learner that keeps the training responses it is given."""

    def __init__(self):
        self.seen = []

    def scores(self, _, Y_train, X_test, keys):
        self.seen.append(Y_train.copy())
        return np.broadcast_to(X_test[:, :1], (len(X_test), keys.size))


@pytest.mark.parametrize("kind", TESTS)
def test_training_responses_are_shuffled_within_the_confounder_as_it_is_first(kind, rng):
    recorder, parts = Recorder(), confounded(rng, levels=3)
    TESTS[kind](*parts, learner=recorder, shuffles=30, inner=4, seed=2)
    Y, y, c = np.concatenate(recorder.seen, axis=1), parts[1], parts[2]
    assert Y.shape == (30, 31 * 4)
    assert (Y.sum(axis=0) == y.sum()).all()
    in_level = np.array([[Y[c == level, k].sum() for level in range(3)] for k in range(Y.shape[1])])
    observed = [y[c == level].sum() for level in range(3)]
    assert (in_level[:4] == observed).all()
    assert not (in_level[4:] == observed).all()
    assert len({tuple(column) for column in Y.T}) > 100


# ---- the test --------------------------------------------------------------------------------------------------------


def test_p_counts_the_draws_at_least_as_good(rng):
    test = algorithm2(*confounded(rng, theta=0.3), shuffles=50, inner=10, seed=3)
    assert len(test.draws) == 50
    assert test.p == (1 + np.sum(test.draws >= test.statistic)) / 51
    assert (test.metric, test.inner, test.alternative) == ("auc", 10, "inflates")


def test_the_two_sided_p_counts_distances_from_the_mean_of_all_statistics(rng):
    parts, options = confounded(rng, theta=0.3), {"shuffles": 50, "inner": 10, "seed": 3}
    test = conditional_test(*parts, **options)
    distances = np.abs(np.r_[test.statistic, test.draws] - np.mean(np.r_[test.statistic, test.draws]))
    assert test.p == np.mean(distances >= distances[0] * (1 - 1e-12))
    inflates, masks = (conditional_test(*parts, alternative=one, **options) for one in ("inflates", "masks"))
    np.testing.assert_array_equal(inflates.draws, test.draws)
    assert inflates.p == (1 + np.sum(test.draws >= test.statistic)) / 51
    assert masks.p == (1 + np.sum(test.draws <= test.statistic)) / 51


@pytest.mark.statistical
def test_the_two_sided_p_is_uniform_on_its_grid_for_exchangeable_statistics(rng):
    """Skewed statistics: the observed one is as likely as any other to be the most distant."""
    p = [shuffle_p(one[0], one[1:], "two-sided", 1) for one in rng.exponential(size=(4000, 20))]
    share = np.array([np.mean(np.isclose(p, k / 20)) for k in range(1, 21)])
    assert np.abs(share - 1 / 20).max() < 4 * np.sqrt(0.05 * 0.95 / 4000)


def test_a_masking_confounder_is_found_two_sided(rng):
    c = rng.integers(0, 2, 600)
    y = (rng.random(600) < 0.2 + 0.6 * c).astype(int)
    X = rng.standard_normal((600, 2)) + (1.2 * y - 1.0 * c)[:, None]
    parts = X[:300], y[:300], c[:300], X[300:], y[300:], c[300:]
    p = {one: conditional_test(*parts, shuffles=49, inner=30, alternative=one, seed=1).p for one in ALTERNATIVES}
    assert p["two-sided"] == 0.02
    assert p["masks"] == 0.02
    assert p["inflates"] > 0.9


@pytest.mark.statistical
@pytest.mark.parametrize("inner", [2, 12])
def test_the_spread_over_seeds_is_reported(inner):
    """Standard deviation of p over 60 seeds (its relative error is 0.09) against the p_error of each."""
    parts = confounded(np.random.default_rng(6), n=80, theta=0.4)
    tests = [conditional_test(*parts, shuffles=99, inner=inner, seed=seed) for seed in range(60)]
    spread = np.std([test.p for test in tests], ddof=1)
    reported = np.sqrt(np.mean([test.p_error**2 for test in tests]))
    assert spread / reported == pytest.approx(1, abs=0.4)
    assert spread > 0.05


def test_one_inner_draw_has_an_error_too(rng):
    test = conditional_test(*confounded(rng), shuffles=30, inner=1, seed=1)
    assert 0 < test.p_error < 0.5


def test_small_errors_are_good(rng):
    X, c = rng.standard_normal((80, 2)), rng.integers(0, 2, 80)
    y = c + rng.standard_normal(80)
    X[:, 0] += 2 * c
    parts = X[:40], y[:40], c[:40], X[40:], y[40:], c[40:]
    test = algorithm2(*parts, learner="linear_regression", metric="mse", shuffles=60, inner=10, seed=4)
    assert test.p == (1 + np.sum(test.draws <= test.statistic)) / 61
    assert test.statistic < test.mean


def test_inner_is_the_test_size_unless_it_is_given(rng):
    assert algorithm2(*confounded(rng), shuffles=2, seed=1).inner == 30
    assert conditional_test(*confounded(rng), shuffles=2, seed=1).inner == 30


@pytest.mark.parametrize("kind", TESTS)
def test_a_confounder_with_an_effect_is_found(kind, rng):
    assert TESTS[kind](*confounded(rng, n=200, theta=2.0), shuffles=99, inner=20, seed=1).p == 0.01


def test_any_labels_will_do(rng):
    X_train, y_train, c_train, X_test, y_test, c_test = confounded(rng, levels=3)
    names = np.array(["control", "case"]), np.array(["north", "east", "west"])
    named = X_train, names[0][y_train], names[1][c_train], X_test, names[0][y_test], names[1][c_test]
    test = conditional_test(*named, metric="accuracy", shuffles=9, inner=3, seed=1)
    assert np.isfinite(test.draws).all()


# ---- the batch -------------------------------------------------------------------------------------------------------


class Noise:
    """A learner that is nothing but its keys."""

    def scores(self, _, __, X_test, keys):
        bits = [[float(random_bits(key, np.uint64(i))) for key in keys] for i in range(len(X_test))]
        return np.array(bits) / 2**64 - 0.5


def run(split, kind, learner, *, columns, shuffles=11):
    metrics = {name: make_metric(name) for name in ("auc", "accuracy")}
    engine = {"learner": learner, "metrics": metrics, "streams": Streams(8, "here")}
    return shuffle_confounder(split, kind, shuffles=shuffles, inner=6, columns=columns, **engine)


@pytest.mark.parametrize("kind", TESTS)
@pytest.mark.parametrize("learner", [make_learner("logistic"), Noise()], ids=["logistic", "noise"])
def test_blocks_do_not_change_a_bit(kind, learner, rng):
    split = checked_split(*confounded(rng), task="classification")
    whole = run(split, kind, learner, columns=1000)
    for columns in (1, 5, 6, 7, 24):
        blocks = run(split, kind, learner, columns=columns)
        for metric, test in whole.items():
            assert blocks[metric].statistic == test.statistic
            np.testing.assert_array_equal(blocks[metric].draws, test.draws)


def test_more_shuffles_begin_with_the_same_ones(rng):
    parts = confounded(rng)
    few, more = (algorithm2(*parts, shuffles=shuffles, inner=5, seed=1) for shuffles in (7, 20))
    np.testing.assert_array_equal(more.draws[:7], few.draws)
    assert more.statistic == few.statistic


def test_every_kind_and_seed_has_its_own_random_numbers(rng):
    parts = confounded(rng)
    one, other = (algorithm2(*parts, shuffles=5, inner=5, seed=seed) for seed in (1, 2))
    assert one.statistic != other.statistic
    assert one.statistic != conditional_test(*parts, shuffles=5, inner=5, seed=1).statistic
    again = algorithm2(*parts, shuffles=5, inner=5, seed=1)
    np.testing.assert_array_equal(one.draws, again.draws)


@pytest.mark.parametrize("kind", TESTS)
def test_every_purpose_has_its_own_stream(kind, rng):
    purposes = []

    class Spy(Streams):
        def keys(self, purpose, b):
            purposes.append(purpose)
            return super().keys(purpose, b)

    split = checked_split(*confounded(rng), task="classification")
    engine = {"learner": make_learner("logistic"), "metrics": {"auc": make_metric("auc")}, "streams": Spy(1)}
    shuffle_confounder(split, kind, shuffles=2, inner=2, **engine)
    parts = [f"{what}/{part}" for what in ("confounder", "response") for part in ("train", "test")]
    assert sorted(purposes) == sorted(f"{kind}/{purpose}" for purpose in [*parts, "learner"])


def test_separated_fits_are_counted():
    X, y = np.arange(20.0)[:, None], np.arange(20) > 9
    test = algorithm2(X, y, y, X, y, y, shuffles=2, inner=4, seed=1)  # within c = y nothing moves: y stays separable
    assert 4 <= test.flagged < 12


# ---- regression ------------------------------------------------------------------------------------------------------


def test_values_are_binned_by_quantiles_and_classes_are_left_alone(rng):
    levels = response_levels(rng.standard_normal(100), 5)
    assert np.bincount(levels).tolist() == [20] * 5
    classes = np.array([0, 2, 1, 2], np.uint8)
    assert response_levels(classes, 5) is classes
    assert len(np.unique(response_levels(np.repeat([1.0, 2.0], 50), 5))) == 2


def test_bins_hold_similar_responses(rng):
    y = rng.standard_normal(50)
    levels = response_levels(y, 4)
    for level in range(3):
        assert y[levels == level].max() < y[levels == level + 1].min()


def test_the_conditional_test_of_a_regression_uses_its_bins(rng):
    X, c = rng.standard_normal((80, 2)), rng.integers(0, 2, 80)
    y = 2 * c + rng.standard_normal(80)
    X[:, 0] += y
    parts = X[:40], y[:40], c[:40], X[40:], y[40:], c[40:]
    options = {"learner": "linear_regression", "metric": "mse", "shuffles": 40, "inner": 10, "seed": 4}
    one_bin, ten_bins = (conditional_test(*parts, bins=bins, **options) for bins in (1, 10))
    assert one_bin.mean > ten_bins.mean  # freely shuffled, the confounder no longer tells of the response


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (4, 1, "y_test has one class only"),
        (1, 0, "y_train has one class only"),
        (0, np.nan, "X_train has missing or infinite values"),
        (4, np.nan, "y_test has 30 missing values"),
        (5, np.nan, "confounder has missing or infinite values in .* row . of c_test"),
    ],
)
def test_what_is_wrong_with_the_data_is_named(test, place, value, message, rng):
    parts = list(confounded(rng))
    parts[place] = np.full(parts[place].shape, value)
    with pytest.raises(ValueError, match=message):
        test(*parts, shuffles=5, seed=1)


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("place", [2, 5])
def test_a_level_may_be_missing_in_one_of_the_sets(test, place, rng):
    parts = list(confounded(rng))
    parts[place] = np.where(parts[place] == 1, 0, 2)
    assert 0 < test(*parts, shuffles=5, seed=1).p <= 1


def test_a_confounder_of_one_level_is_refused(rng):
    X_train, y_train, c_train, X_test, y_test, c_test = confounded(rng)
    with pytest.raises(ValueError, match=r"the confounder has one level only, \[0\]"):
        algorithm2(X_train, y_train, 0 * c_train, X_test, y_test, 0 * c_test, seed=1)


@pytest.mark.parametrize("test", [*TESTS.values(), combined_test], ids=[*TESTS, "combined"])
def test_a_continuous_confounder_must_be_binned(test, rng):
    X_train, y_train, _, X_test, y_test, _ = confounded(rng)
    age = rng.normal(50, 10, 60)
    parts, options = (X_train, y_train, age[:30], X_test, y_test, age[30:]), {"shuffles": 5, "inner": 2, "seed": 1}
    with pytest.raises(ValueError, match=r"60 of 60 rows are alone in their level of the confounder.*'quantiles': 5"):
        test(*parts, **options)
    assert 0 < test(*parts, confounder={"quantiles": 4}, **options).p <= 1


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_confounders_are_binned_together_and_pasted_as_in_assess(test, rng):
    X_train, y_train, c_train, X_test, y_test, c_test = confounded(rng)
    both = np.column_stack([np.r_[c_train, c_test], rng.normal(50, 10, 60)])
    binning, options = ["levels", {"quantiles": 3}], {"shuffles": 7, "inner": 3, "seed": 1}
    result = test(X_train, y_train, both[:30], X_test, y_test, both[30:], confounder=binning, **options)
    levels = analysed_confounder(both, binning)
    same = test(X_train, y_train, levels[:30], X_test, y_test, levels[30:], **options)
    np.testing.assert_array_equal(result.draws, same.draws)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "inflate"}, "unknown alternative 'inflate', did you mean 'inflates'"),
        ({"confounder": {"quantile": 3}}, "unknown binning 'quantile', did you mean 'quantiles'"),
        ({"shuffles": 1}, "shuffles must be a whole number from 2, not 1"),
        ({"shuffles": 9.5}, "shuffles must be a whole number from 2, not 9.5"),
        ({"inner": 0}, "inner must be a whole number from 1, not 0"),
        ({"inner": "testsize"}, "inner must be a whole number from 1, not 'testsize'"),
        ({"bins": 0}, "bins must be a whole number from 1, not 0"),
    ],
)
def test_options_that_make_no_sense_are_named(options, message, rng):
    with pytest.raises(ValueError, match=message):
        conditional_test(*confounded(rng), seed=1, **options)


def test_a_metric_object_will_do(rng):
    metric = Metric(auc_values, task="classification")
    assert algorithm2(*confounded(rng), metric=metric, shuffles=3, inner=3, seed=1).metric == "metric"
