"""Tests that shuffle the confounder: the right shuffles (by enumeration), the same result in any blocks, both links."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from permconf import algorithm2, assess, combined_test, conditional_test
from permconf.data.confounders import Confounders
from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import Folds, paper_split
from permconf.inference.confounder_tests import (
    ALTERNATIVES,
    RESULTS,
    association_p,
    confounder_tests,
    shuffle_confounder,
    shuffle_p,
)
from permconf.metrics import make_metric
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
        Y = np.stack(list(arrangements(Y_TINY, c)), axis=1).astype(np.uint8)
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
    observed_response, *shuffled = recorder.seen
    Y, y, c = np.concatenate(shuffled, axis=1), parts[1], parts[2]
    np.testing.assert_array_equal(observed_response[:, 0], y)
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


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_inner_is_the_test_size_unless_it_is_given(test, rng):
    assert test(*confounded(rng), shuffles=2, seed=1).inner == 30
    assert 0 < test(*confounded(rng), shuffles=30, inner=1, seed=1).p_error < 0.5


# ---- the batch -------------------------------------------------------------------------------------------------------


class Noise:
    """A learner that is nothing but its keys."""

    def scores(self, _, __, X_test, keys):
        bits = [[float(random_bits(key, np.uint64(i))) for key in keys] for i in range(len(X_test))]
        return np.array(bits) / 2**64 - 0.5


def evaluated(parts, learner="logistic", streams=None):
    sample, folds = paper_split(parts[:3], parts[3:], task="classification", treatment="levels")
    metrics = {name: make_metric(name) for name in ("auc", "accuracy")}
    return evaluate(sample, folds, learner=learner, metrics=metrics, streams=streams or Streams(8, "here"))


@pytest.mark.parametrize("kind", TESTS)
@pytest.mark.parametrize("learner", ["logistic", Noise()], ids=["logistic", "noise"])
def test_blocks_do_not_change_a_bit(kind, learner, rng):
    evaluation, options = evaluated(confounded(rng), learner), {"shuffles": 11, "inner": 6}
    whole = shuffle_confounder(evaluation, kind, columns=1000, **options)
    for columns in (1, 5, 6, 7, 24):
        blocks = shuffle_confounder(evaluation, kind, columns=columns, **options)
        for metric, test in whole.items():
            assert blocks[metric].statistic == test.statistic
            np.testing.assert_array_equal(blocks[metric].draws, test.draws)


@pytest.mark.parametrize("kind", TESTS)
def test_every_purpose_has_its_own_stream(kind, rng):
    purposes = []

    class Spy(Streams):
        def keys(self, purpose, b):
            purposes.append(purpose)
            return super().keys(purpose, b)

    evaluation = evaluated(confounded(rng), streams=Spy(1))
    purposes.clear()
    shuffle_confounder(evaluation, kind, shuffles=2, inner=2)
    parts = [f"{what}/{part}" for what in ("confounder", "response") for part in ("train", "test")]
    assert sorted(purposes) == sorted(f"{kind}/{purpose}" for purpose in [*parts, "learner"])


# ---- regression ------------------------------------------------------------------------------------------------------


def test_the_conditional_test_of_a_regression_uses_its_bins(rng):
    X, c = rng.standard_normal((80, 2)), rng.integers(0, 2, 80)
    y = 2 * c + rng.standard_normal(80)
    X[:, 0] += y
    parts = X[:40], y[:40], c[:40], X[40:], y[40:], c[40:]
    options = {"learner": "linear_regression", "metric": "mse", "shuffles": 40, "inner": 10, "seed": 4}
    one_bin, ten_bins = (conditional_test(*parts, bins=bins, **options) for bins in (1, 10))
    assert one_bin.mean > ten_bins.mean  # freely shuffled, the confounder no longer tells of the response
    error = algorithm2(*parts, **options)
    assert error.p == (1 + np.sum(error.draws <= error.statistic)) / 41  # small errors are good
    assert error.statistic < error.mean


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "name"), [(1, "y_train"), (4, "y_test")])
def test_each_set_needs_both_classes(place, name, rng):
    parts = list(confounded(rng))
    parts[place] = np.ones_like(parts[place])
    with pytest.raises(ValueError, match=f"{name} has one class only"):
        algorithm2(*parts, shuffles=5, seed=1)


@pytest.mark.parametrize("test", [*TESTS.values(), combined_test], ids=[*TESTS, "combined"])
def test_confounders_need_levels_that_several_rows_share(test, rng):
    X_train, y_train, c_train, X_test, y_test, c_test = confounded(rng)
    age, options = rng.normal(50, 10, 60), {"shuffles": 5, "inner": 2, "seed": 1}

    def made(c, **further):
        return test(X_train, y_train, c[:30], X_test, y_test, c[30:], **options, **further)

    with pytest.raises(ValueError, match=r"the confounder has one level only, \[0\]"):
        made(np.zeros(60, int))
    with pytest.raises(ValueError, match=r"60 of 60 rows are alone in their level of the confounder.*'quantiles': 5"):
        made(age)
    with pytest.raises(ValueError, match="needs levels of the confounder, which is smooth; give it bins instead"):
        made(age, confounder="smooth")
    both = np.column_stack([np.r_[c_train, c_test], age])
    binned = made(both, confounder=["levels", {"quantiles": 3}])
    codes = Confounders.of(both, ["levels", {"quantiles": 3}]).codes  # the bins are those of both sets together
    assert binned.p == made(codes).p


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "inflate"}, "unknown alternative 'inflate', did you mean 'inflates'"),
        ({"shuffles": 1}, "shuffles must be a whole number from 2, not 1"),
        ({"inner": "testsize"}, "inner must be a whole number from 1, not 'testsize'"),
        ({"bins": 0}, "bins must be a whole number from 1, not 0"),
    ],
)
def test_options_that_make_no_sense_are_named(options, message, rng):
    with pytest.raises(ValueError, match=message):
        conditional_test(*confounded(rng), seed=1, **options)


# ---- both links ------------------------------------------------------------------------------------------------------


def associated(y, c, n_train, **options):
    """p-value of the association in a training and a test set."""
    sample, rows = Sample.of(np.zeros((len(y), 1)), y, c), np.arange(len(y))
    folds = Folds.split(rows[:n_train], rows[n_train:])
    return association_p(SimpleNamespace(sample=sample, folds=folds, streams=Streams(1)), **options)


def pairs(n11, n10, n01, n00):
    """Vectors y and c with these counts, in random order."""
    y = np.repeat([1, 1, 0, 0], [n11, n10, n01, n00])
    c = np.repeat([1, 0, 1, 0], [n11, n10, n01, n00])
    order = np.random.default_rng(1).permutation(y.size)
    return y[order], c[order]


def test_association_is_found_in_either_set_in_values_and_in_several_levels():
    for n_train in (0, 25, 40):
        assert associated(*pairs(20, 5, 5, 20), n_train) < 0.005
    c = np.random.default_rng(2).integers(0, 2, 200)
    assert associated(c + 0.5 * np.random.default_rng(3).standard_normal(200), c, 100, bins=5) < 0.005
    y, sites = np.arange(60) % 3, np.array(["a", "b", "c"])[np.arange(60) % 3]
    assert associated(y, sites, 30, permutations=99) == 0.01
    assert associated(y, np.sort(sites), 30, permutations=99) > 0.5


def test_the_larger_p_of_both_tests_counts(rng):
    parts, options = confounded(rng), {"shuffles": 19, "inner": 2, "seed": 3}
    combined = combined_test(*parts, **options)
    assert combined.conditional.p == conditional_test(*parts, **options).p
    assert combined.p == max(combined.conditional.p, combined.association_p)
    assert 0 < combined.association_p < 0.2


@pytest.mark.parametrize("kinds", [["conditional"], ["algorithm2", "conditional"]])
def test_a_scenario_gets_the_tests_it_asks_for(kinds, rng):
    made = confounder_tests(evaluated(confounded(rng)), {kind: {"shuffles": 3, "inner": 2} for kind in kinds})["auc"]
    assert list(made) == kinds
    assert all(np.isfinite(getattr(made[kind], name)) for kind in kinds for name in RESULTS)
