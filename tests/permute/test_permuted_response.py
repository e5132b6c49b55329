"""The response is permuted within parts and levels, by rows or by subjects."""

import numpy as np
import pytest

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.permute.permuted_response import PermutedResponse
from permconf.permute.random_streams import Streams

KEYS = Streams(3, "test").keys("permutations", 200)
HUB = Streams(3, "test").keys("hub", 2)


def permuted(y, c, subjects=None, parts=None):
    """Permutations of classes given a confounder: levels if it has whole numbers, else a number."""
    return PermutedResponse.of(Response.of(y), Confounders.of(c), Subjects.of(subjects), parts, HUB)


@pytest.fixture
def rows(rng):
    return rng.integers(0, 2, 90), rng.integers(0, 3, 90), rng.integers(0, 2, 90), np.arange(90) // 5


def sums(Y, *codes):
    """Sum of every column in each cell of some codes."""
    cell = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)[1].ravel()
    return np.stack([np.bincount(cell, weights=column) for column in Y.T], axis=1)


def test_rows_within_levels_and_parts(rows):
    y, c, part, _ = rows
    Y = permuted(y, c, parts=part).shuffled(KEYS)
    assert np.array_equal(sums(Y, c, part), np.repeat(sums(y[:, None], c, part), 200, axis=1))
    assert Y.shape == (90, 200)
    assert len({column.tobytes() for column in Y.T}) == 200
    free = permuted(y, np.zeros(90, int)).shuffled(KEYS)
    assert np.all(free.sum(axis=0) == y.sum())
    assert np.ptp(sums(free, c), axis=1).min() > 0


def test_a_response_that_varies_within_subjects_is_permuted_within_them(rows):
    y, c, _, subjects = rows
    Y = permuted(y, c, subjects).shuffled(KEYS)
    assert np.array_equal(sums(Y, subjects, c), np.repeat(sums(y[:, None], subjects, c), 200, axis=1))


def test_a_response_constant_within_subjects_is_permuted_between_them(rng):
    subjects = np.repeat(np.arange(24), rng.integers(1, 6, 24))
    y = rng.permutation(np.arange(24) % 2)[subjects]
    c = rng.integers(0, 2, 24)[subjects]
    part = (np.arange(24) % 3)[subjects]
    Y = permuted(y, c, subjects, part).shuffled(KEYS)
    first = np.unique(subjects, return_index=True)[1]
    assert np.array_equal(Y, Y[first][subjects])
    by_subject = Y[first], c[first], part[first]
    observed = np.repeat(sums(y[first][:, None], *by_subject[1:]), 200, axis=1)
    assert np.array_equal(sums(by_subject[0], *by_subject[1:]), observed)


def test_subjects_with_the_same_composition_exchange_their_response(rng):
    """The confounder varies within subjects: those with the same shares of its levels are alike."""
    subjects = np.repeat(np.arange(20), 4)
    few, half = np.tile([0, 0, 0, 1], 10), np.tile([0, 0, 1, 1], 10)
    c = np.concatenate([few, half])
    y = rng.permutation(np.arange(20) % 2)[subjects]
    Y = permuted(y, c, subjects).shuffled(KEYS)
    kind = np.repeat([0, 1], 40)
    assert np.array_equal(sums(Y, kind), np.repeat(sums(y[:, None], kind), 200, axis=1))


def test_numeric_confounders_are_preserved_on_average(rng):
    """A conditional permutation keeps the association of response and confounder, within parts."""
    c = rng.normal(size=400)
    y = rng.random(400) < 1 / (1 + np.exp(-2 * c))
    part = np.arange(400) % 2
    Y = permuted(y, c, parts=part).shuffled(KEYS)
    assert np.array_equal(sums(Y, part), np.repeat(sums(y[:, None], part), 200, axis=1))
    kept, free = (np.mean([np.corrcoef(column, c)[0, 1] for column in M.T]) for M in (Y, rng.permuted(Y, axis=0)))
    assert kept > 0.9 * np.corrcoef(y, c)[0, 1]
    assert abs(free) < 0.03


def test_what_cannot_change_is_counted_and_refused_if_it_is_all():
    y = np.array([0, 0, 1, 0, 1, 1])
    some = permuted(y, np.array([0, 0, 1, 2, 2, 2]))
    assert some.fixed == (2, 3)
    assert some.checked(within_subjects=False) is some
    assert permuted(y, np.arange(6)).fixed == (6, 6)
    with pytest.raises(ValueError, match="the response cannot be permuted: every combination of the confounders"):
        permuted(y, y).checked(within_subjects=False)
    by_subject = permuted(y, np.zeros(6), [0, 0, 1, 0, 1, 1])
    assert by_subject.fixed == (0, 0)


def test_a_number_that_varies_within_subjects_cannot_be_kept_where_the_response_does_not(rng):
    with pytest.raises(ValueError, match="the response is constant within groups but confounder 'confounder' is not"):
        permuted(np.repeat([0, 1], 30), rng.random(60), np.repeat(np.arange(6), 10))
