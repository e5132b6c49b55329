"""The response is permuted within parts and levels, by rows or by subjects."""

import numpy as np
import pytest

from permconf.data.levels import Levels
from permconf.data.mixed_confounders import MixedConfounders
from permconf.permute.permuted_response import permuted_response
from permconf.permute.random_streams import Streams

KEYS = Streams(3, "test").keys("permutations", 200)
HUB = Streams(3, "test").keys("hub", 2)


@pytest.fixture
def rows(rng):
    y = rng.integers(0, 2, 90).astype(np.uint8)
    return y, rng.integers(0, 3, 90), rng.integers(0, 2, 90), Levels.of(np.arange(90) // 5)


def sums(Y, *codes):
    """Sum of every column in each cell of some codes."""
    cell = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)[1].ravel()
    return np.stack([np.bincount(cell, weights=column) for column in Y.T], axis=1)


def test_rows_within_levels_and_parts(rows):
    y, c, part, _ = rows
    Y = permuted_response(y, MixedConfounders.of(c, "levels"), None, part, HUB).shuffled(KEYS)
    assert np.array_equal(sums(Y, c, part), np.repeat(sums(y[:, None], c, part), 200, axis=1))
    assert Y.shape == (90, 200)
    assert len({column.tobytes() for column in Y.T}) == 200
    free = permuted_response(y, None, None, None, HUB).shuffled(KEYS)
    assert np.all(free.sum(axis=0) == y.sum())
    assert np.ptp(sums(free, c), axis=1).min() > 0


def test_a_response_that_varies_within_subjects_is_permuted_within_them(rows):
    y, c, _, subjects = rows
    Y = permuted_response(y, MixedConfounders.of(c, "levels"), subjects, None, HUB).shuffled(KEYS)
    assert np.array_equal(sums(Y, subjects.codes, c), np.repeat(sums(y[:, None], subjects.codes, c), 200, axis=1))


def test_a_response_constant_within_subjects_is_permuted_between_them(rng):
    subjects = Levels.of(np.repeat(np.arange(24), rng.integers(1, 6, 24)))
    y = rng.permutation(np.arange(24) % 2).astype(np.uint8)[subjects.codes]
    c = rng.integers(0, 2, 24)[subjects.codes]
    part = (np.arange(24) % 3)[subjects.codes]
    Y = permuted_response(y, MixedConfounders.of(c, "levels"), subjects, part, HUB).shuffled(KEYS)
    first = np.unique(subjects.codes, return_index=True)[1]
    assert np.array_equal(Y, Y[first][subjects.codes])
    by_subject = Y[first], c[first], part[first]
    observed = np.repeat(sums(y[first][:, None], *by_subject[1:]), 200, axis=1)
    assert np.array_equal(sums(by_subject[0], *by_subject[1:]), observed)


def test_subjects_with_the_same_composition_exchange_their_response(rng):
    """The confounder varies within subjects: those with the same shares of its levels are alike."""
    subjects = Levels.of(np.repeat(np.arange(20), 4))
    few, half = np.tile([0, 0, 0, 1], 10), np.tile([0, 0, 1, 1], 10)
    c = np.concatenate([few, half])
    y = rng.permutation(np.arange(20) % 2).astype(np.uint8)[subjects.codes]
    Y = permuted_response(y, MixedConfounders.of(c, "levels"), subjects, None, HUB).shuffled(KEYS)
    kind = np.repeat([0, 1], 40)
    assert np.array_equal(sums(Y, kind), np.repeat(sums(y[:, None], kind), 200, axis=1))


def test_numeric_confounders_are_preserved_on_average(rng):
    """A conditional permutation keeps the association of response and confounder, within parts."""
    c = rng.normal(size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-2 * c))).astype(np.uint8)
    part = np.arange(400) % 2
    Y = permuted_response(y, MixedConfounders.of(c), None, part, HUB).shuffled(KEYS)
    assert np.array_equal(sums(Y, part), np.repeat(sums(y[:, None], part), 200, axis=1))
    kept, free = (np.mean([np.corrcoef(column, c)[0, 1] for column in M.T]) for M in (Y, rng.permuted(Y, axis=0)))
    assert kept > 0.9 * np.corrcoef(y, c)[0, 1]
    assert abs(free) < 0.03


def test_what_cannot_change_is_counted():
    y = np.array([0, 0, 1, 0, 1, 1], np.uint8)
    permuted = permuted_response(y, MixedConfounders.of(np.array([0, 0, 1, 2, 2, 2]), "levels"), None, None, HUB)
    assert permuted.fixed == (2, 3)
    with pytest.raises(ValueError, match="cannot be permuted"):
        permuted_response(y, MixedConfounders.of(y.astype(int), "levels"), None, None, HUB)
