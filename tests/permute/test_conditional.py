from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from permconf import conditional_shuffle, restricted_shuffle
from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.permute import conditional as module
from permconf.permute.conditional import ConditionalShuffle, random_pairs
from permconf.permute.kept_fit import SLACK
from permconf.permute.random_streams import permutation_keys

ROWS = 90
CASES = ["binary", "classes", "numbers", "strings"]


@pytest.fixture
def age(rng):
    return rng.standard_normal(ROWS)


@pytest.fixture
def response(age, rng):
    noisy = age + rng.standard_normal(ROWS)
    return {
        "binary": (noisy > 0).astype(np.int64),
        "classes": np.digitize(noisy, [-0.7, 0.7]),
        "numbers": noisy,
        "strings": np.where(noisy > 0, "case", "control"),
    }


# ---- a model that is known: every arrangement of a tiny response -----------------------------------------------------

THETA = np.array([0.3, -1.2, 1.5, 0.0, -0.4])
P = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.5, 0.1, 0.4]])
NUMBERS, KEPT = np.linspace(-1, 1, 5), np.array([0.1, 0.4, -0.2, 0.0, -0.3])
Y = np.array([0, 1, 1, 0, 0])


def far(y):
    """Twice the logarithm of what a response loses that leaves the fit of Y."""
    return (KEPT @ (y - Y)) ** 2 / SLACK


KNOWN = {  # codes, scores of the labels, theta, directions that are kept, and the weight of an arrangement
    "binary": (Y, np.array([[0.0], [1.0]]), THETA[:, None], None, lambda y: np.exp(THETA @ y)),
    "classes": (
        *(np.array([0, 1, 2, 1, 0]), np.eye(3), np.log(P), None),
        lambda y: np.prod(P[np.arange(5), list(y)]),
    ),
    "numbers": (np.arange(5), NUMBERS[:, None], THETA[:, None], None, lambda y: np.exp(THETA @ NUMBERS[list(y)])),
    "kept": (
        *(Y, np.array([[0.0], [1.0]]), THETA[:, None], KEPT[:, None]),
        lambda y: np.exp(THETA @ y - far(y) / 2),
    ),
}


def known_shuffle(case, keys, *, levels=None, y=None):
    codes, scores, theta, kept, weight = KNOWN[case]
    codes = codes if y is None else y
    levels = Levels.of(np.zeros(5) if levels is None else levels)
    shuffle = ConditionalShuffle.given(np.unique(codes), codes, levels, scores, theta, keys, kept=kept)
    arrangements = sorted(set(permutations(codes.tolist())))
    weights = np.array([weight(a) for a in arrangements])
    return shuffle, np.array(arrangements), weights / weights.sum()


def counted(columns, arrangements):
    """How often each arrangement occurs among the columns."""
    return np.array([np.all(a == columns.T, axis=1).sum() for a in arrangements])


@pytest.mark.parametrize("case", KNOWN)
def test_every_arrangement_has_the_probability_that_the_model_gives_it(case, rng):
    b = 40_000
    shuffle, arrangements, share = known_shuffle(case, permutation_keys(rng, 2))
    counts = counted(shuffle.shuffled(permutation_keys(rng, b)), arrangements)
    assert counts.sum() == b
    distance = np.sum((counts - b * share) ** 2 / (b * share))
    assert distance < chi2.ppf(0.999, len(share) - 1)


@pytest.mark.statistical
@pytest.mark.parametrize("rounds", [1, 3])
def test_observed_and_permuted_response_are_exchangeable_for_any_number_of_rounds(rounds, rng, monkeypatch):
    """With few rounds they resemble each other, but the pair (observed, permuted) is as likely as its reverse."""
    monkeypatch.setattr(module, "ROUNDS", rounds)
    _, arrangements, share = known_shuffle("binary", permutation_keys(rng, 2))
    repeats, pairs = 6000, np.zeros((len(share), len(share)))
    for observed in rng.choice(len(share), size=repeats, p=share):
        shuffle, *_ = known_shuffle("binary", permutation_keys(rng, 2), y=arrangements[observed])
        drawn = shuffle.shuffled(permutation_keys(rng, 1))
        pairs[observed, np.flatnonzero(counted(drawn, arrangements))[0]] += 1
    assert pairs.trace() / repeats > 1.5 * np.sum(share**2)  # they do resemble each other
    total = (pairs + pairs.T)[np.triu_indices(len(share), 1)]
    difference = (pairs - pairs.T)[np.triu_indices(len(share), 1)]
    seen = total > 0
    assert np.sum(difference[seen] ** 2 / total[seen]) < chi2.ppf(0.999, seen.sum())


# ---- the kernels, written out ----------------------------------------------------------------------------------------


def plain_bits(key, i):
    """SplitMix64 in whole numbers of Python."""
    z = (key + i * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def plain_shuffle(y, pairs, case, key):
    """Pairwise swaps of one column, by the weights of arrangements before and after."""
    y, weight = np.array(y), KNOWN[case][-1]
    for r, pairing in enumerate(pairs.tolist()):
        for k, (i, j) in enumerate(pairing):
            swapped = y.copy()
            swapped[[i, j]] = y[[j, i]]
            share = weight(swapped) / (weight(swapped) + weight(y))
            if case == "binary" and y[i] == 1:  # drawn is which row gets the 1
                swap = plain_bits(int(key), r * len(pairing) + k) / 2**64 >= 1 - share
            else:
                swap = plain_bits(int(key), r * len(pairing) + k) / 2**64 < share
            y = swapped if swap else y
    return y


@pytest.mark.parametrize("case", KNOWN)
def test_the_kernel_does_what_a_plain_loop_does(case, rng):
    keys, hub_keys = permutation_keys(rng, 20), permutation_keys(rng, 2)
    shuffle, *_ = known_shuffle(case, hub_keys)
    pairs = random_pairs(np.arange(5), np.array([0, 5]), 50, hub_keys[0])
    np.testing.assert_array_equal(shuffle.pairs, pairs)
    hub = plain_shuffle(KNOWN[case][0], pairs[::-1], case, hub_keys[1])
    np.testing.assert_array_equal(shuffle.hub, hub)
    columns = [plain_shuffle(hub, pairs, case, key) for key in keys]
    np.testing.assert_array_equal(shuffle.shuffled(keys).T, columns)


def test_pairs_are_random_disjoint_and_within_levels(rng):
    levels = Levels.of(np.array(list("aabbbbbcdaabb")))
    pairs = random_pairs(levels.order, levels.starts, 2000, permutation_keys(rng, 1)[0])
    assert pairs.shape == (2000, 5, 2)  # a: 4 rows, b: 7, c and d: 1
    assert (levels.codes[pairs[..., 0]] == levels.codes[pairs[..., 1]]).all()
    assert all(np.unique(pairing).size == 10 for pairing in pairs)
    partner = pairs[(pairs == 0).any(axis=2)]
    counts = np.bincount(partner[partner != 0])[[1, 9, 10]]  # the other rows of a
    assert np.sum((counts - 2000 / 3) ** 2 / (2000 / 3)) < chi2.ppf(0.999, 2)


# ---- the public function ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_columns_are_permutations_that_keep_the_association(case, age, response, rng):
    y = response[case]
    columns = conditional_shuffle(y, age, 200, rng=rng)
    assert columns.shape == (ROWS, 200)
    assert columns.dtype == y.dtype
    assert all(sorted(column) == sorted(y) for column in columns.T)
    observed, drawn = (
        [np.corrcoef(np.unique(v, return_inverse=True)[1], age)[0, 1] for v in vs] for vs in ([y], columns.T)
    )
    assert abs(observed[0] - np.mean(drawn)) < 0.1
    assert np.mean(columns != y[:, None]) > 0.2


@pytest.mark.parametrize("case", CASES)
def test_categorical_confounders_make_it_the_restricted_shuffle(case, response, rng):
    y, c = response[case], rng.integers(0, 4, ROWS)
    for given, levels in (
        (c, c),
        (np.array(list("wxyz"))[c], c),
        (c / 4 > 0.3, c > 1),
        (np.column_stack([c, c > 1]), c),
    ):
        drawn = conditional_shuffle(y, given, 30, rng=np.random.default_rng(8))
        np.testing.assert_array_equal(drawn, restricted_shuffle(y, levels, 30, rng=np.random.default_rng(8)))


@pytest.mark.parametrize("case", CASES)
def test_categorical_confounders_are_preserved_exactly_beside_numeric_ones(case, age, response, rng):
    y, sex = response[case], rng.integers(0, 2, ROWS)
    columns = conditional_shuffle(y, pd.DataFrame({"age": age, "sex": sex}), 40, rng=rng)
    for level in (0, 1):
        assert all(sorted(column[sex == level]) == sorted(y[sex == level]) for column in columns.T)


@pytest.mark.parametrize("case", ["binary", "classes", "numbers"])
def test_a_column_depends_on_its_key_only(case, age, response, rng):
    shuffle = ConditionalShuffle.of(Response.of(response[case]), Confounders.of(age), permutation_keys(rng, 2))
    keys = permutation_keys(rng, 300)
    together = shuffle.shuffled(keys)
    np.testing.assert_array_equal(together[:, 130:190], shuffle.shuffled(keys[130:190]))
    np.testing.assert_array_equal(together[:, ::-1], shuffle.shuffled(keys[::-1].copy()))


def test_a_separated_or_constant_response_stays_as_it_is(age, rng):
    separated = (age > np.median(age)).astype(int)
    assert np.mean(conditional_shuffle(separated, age, 50, rng=rng) != separated[:, None]) < 0.1
    assert (conditional_shuffle(np.ones(ROWS), age, 5, rng=rng) == 1).all()
