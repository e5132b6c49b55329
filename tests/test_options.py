"""Options of every kind: an error names the option and what it was."""

import numpy as np
import pytest

from permconf.learners import make_learner
from permconf.options import choice, number, whole_number
from permconf.permute.random_streams import Streams, permutation_keys


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (10.7, "not 10.7"),
        (20.0, "not 20.0; write 20"),
        ("1e2", "not '1e2'; write 100"),
        (True, "not True"),
        (1, "not 1"),
        ("many", "not 'many'"),
        (None, "not None"),
    ],
)
def test_whole_numbers(value, found):
    with pytest.raises(ValueError, match=f"permutations must be a whole number from 2, {found}"):
        whole_number(value, "permutations", least=2)


@pytest.mark.parametrize("value", [np.int64(20), np.uint8(20), np.array(20), 20])
def test_whole_numbers_of_numpy_are_whole_numbers(value):
    assert type(whole_number(value, "n", least=1)) is int
    assert Streams(value).root == 20
    assert make_learner({"name": "random_forest", "trees": value}).trees == 20


def test_numbers_and_choices():
    assert number(np.float32(0.5), "share", least=0) == 0.5
    for value in (-1, "1", True, np.nan, np.inf, None):
        with pytest.raises(ValueError, match="share must be a number from 0, not "):
            number(value, "share", least=0)
    with pytest.raises(ValueError, match="share must be a number above 0, not 0"):
        number(0, "share", least=0, exclusive=True)
    with pytest.raises(ValueError, match="unknown colour 'rde', did you mean 'red'"):
        choice("rde", "colour", ("red", "blue"))


@pytest.mark.parametrize("seed", [-1, 1.5, None, "1"])
def test_seeds_are_whole_numbers(seed):
    with pytest.raises(ValueError, match="seed must be a whole number from 0"):
        Streams(seed)


@pytest.mark.parametrize("rng", [True, 1.5, "1"])
def test_rng_is_a_generator_a_whole_number_or_none(rng):
    with pytest.raises(TypeError, match="rng must be a whole number, a random generator or None, not "):
        permutation_keys(rng, 3)


@pytest.mark.parametrize(
    ("rng", "b", "message"),
    [
        (-1, 3, "rng must be a whole number from 0, not -1"),
        (1, -1, "b must be a whole number from 0, not -1"),
        (1, 10**30, f"{10**30} permutations are more than memory can hold"),
    ],
)
def test_what_is_wrong_with_keys_is_named(rng, b, message):
    with pytest.raises(ValueError, match=message):
        permutation_keys(rng, b)


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        ({"name": "random_forest", "trees": 0}, "trees of random_forest must be a whole number from 1, not 0"),
        ({"name": "logistic", "penalty": -1}, "penalty of logistic must be a number from 0, not -1"),
        ({"name": "ridge_logistic", "penalty": 0}, "penalty of ridge_logistic must be a number above 0, not 0"),
        ({"name": "naive_bayes", "smoothing": -1e-9}, "smoothing of naive_bayes must be a number from 0"),
    ],
)
def test_options_of_plugins(plugin, message):
    with pytest.raises(ValueError, match=message):
        make_learner(plugin)
