"""Permutations of the response that respect confounders as they come, without bins.

A restricted shuffle permutes the response within the levels of a categorical confounder. For numeric confounders the
response y is permuted with probability proportional to the product of p(y_i | c_i), where p(y | c) is a smooth model
(`permconf.permute.response_model`): the conditional permutation test of Berrett, Wang, Barber & Samworth (2020). If the
model is right and y does not depend on the features given c, the response and its permutations are exchangeable.

The permutations are made by pairwise swaps. In a round, the rows of every level of the categorical confounders are
paired at random; a pair (i, j) exchanges its values with the odds

    p(y_j | c_i) p(y_i | c_j)  :  p(y_i | c_i) p(y_j | c_j).

Every round keeps the target distribution. The pairings of 50 rounds are drawn once. Run through them backwards, the
observed response leads to a hub; every permutation starts at the hub and runs through them forwards, with random swaps
of its own. Since the rounds are reversible, the way back is a draw from the way there, so that observed and permuted
responses are exchangeable for any number of rounds (their Algorithm 2, given the pairings).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.values import check_row_order
from permconf.permute.random_bits import below, random_bits
from permconf.permute.random_streams import permutation_keys
from permconf.permute.response_model import fitted_response
from permconf.permute.shuffles import restricted_shuffle

ROUNDS = 50
_COLUMNS_AT_ONCE = 128
_UNIT = 2.0**-53
_S11 = np.uint64(11)
_LOG_ODDS = 15.0  # largest log-odds of a class, so that no swap is impossible


@njit(cache=True, nogil=True)
def random_pairs(order, starts, rounds, key):
    """Pairs (rounds, pairs, 2) of rows of one level, each row in at most one pair of a round.

    `order` lists the rows level by level, as in `Levels`. In a level with an odd number of rows one is left out.
    """
    count = 0
    for level in range(starts.size - 1):
        count += (starts[level + 1] - starts[level]) // 2
    pairs = np.empty((rounds, count, 2), np.int64)
    rows = order.copy()
    for r in range(rounds):
        pair = 0
        for level in range(starts.size - 1):
            first, last = starts[level], starts[level + 1]
            for i in range(last - 1, first, -1):
                j = first + below(random_bits(key, r * order.size + i), i - first + 1)
                rows[i], rows[j] = rows[j], rows[i]
            for i in range(first, last - 1, 2):
                pairs[r, pair, 0], pairs[r, pair, 1] = rows[i], rows[i + 1]
                pair += 1
    return pairs


@njit(cache=True, nogil=True)
def _unit(key, i):
    """A number from 0 to 1 (excluded)."""
    return np.float64(random_bits(key, i) >> _S11) * _UNIT


@njit(cache=True, nogil=True)
def _swap_binary(y, pairs, theta, keys, out):
    """Labels 0 and 1: where the labels of a pair differ, row i gets the one with log-odds theta_i - theta_j.

    Several columns advance together, pair by pair, so that they share vector registers.
    """
    rounds, count, _ = pairs.shape
    for i in range(y.size):
        out[i] = y[i]
    for first in range(0, keys.size, _COLUMNS_AT_ONCE):
        width = min(_COLUMNS_AT_ONCE, keys.size - first)
        for r in range(rounds):
            for pair in range(count):
                i, j = pairs[r, pair]
                share = 1.0 / (1.0 + np.exp(theta[j] - theta[i]))
                bound = np.uint64(share / _UNIT) << _S11
                one, other = out[i, first : first + width], out[j, first : first + width]
                for k in range(width):
                    drawn = np.uint8(random_bits(keys[first + k], r * count + pair) < bound)
                    differ = one[k] ^ other[k]
                    one[k] = (one[k] & (1 - differ)) | (differ & drawn)
                    other[k] = (other[k] & (1 - differ)) | (differ & (1 - drawn))


@njit(cache=True, nogil=True)
def _swap_classes(y, pairs, p, keys, out):
    """Class codes, with p[i, k] the probability of class k given the confounders of row i."""
    rounds, count, _ = pairs.shape
    state = y.copy()
    for k in range(keys.size):
        state[:] = y
        for r in range(rounds):
            for pair in range(count):
                i, j = pairs[r, pair]
                a, b = state[i], state[j]
                if a != b:
                    swapped, kept = p[i, b] * p[j, a], p[i, a] * p[j, b]
                    if _unit(keys[k], r * count + pair) * (swapped + kept) < swapped:
                        state[i], state[j] = b, a
        out[:, k] = state


@njit(cache=True, nogil=True)
def _swap_numbers(y, pairs, theta, values, keys, out):
    """Codes of numbers: the log-odds of a swap are (theta_i - theta_j) (y_j - y_i), with theta = mean / variance."""
    rounds, count, _ = pairs.shape
    state = y.copy()
    for k in range(keys.size):
        state[:] = y
        for r in range(rounds):
            for pair in range(count):
                i, j = pairs[r, pair]
                log_odds = (theta[i] - theta[j]) * (values[state[j]] - values[state[i]])
                if _unit(keys[k], r * count + pair) < 1.0 / (1.0 + np.exp(-log_odds)):
                    state[i], state[j] = state[j], state[i]
        out[:, k] = state


@dataclass(frozen=True)
class ConditionalShuffle:
    """What the permutations of one response share: its model, the pairings and the hub.

    The hub is made of codes 0, 1, ... of `labels`, the sorted distinct values of the response. For two classes
    `parameters` are the log-odds of the second one (n,), for more the probabilities (n, K), for numbers mean / variance
    (n,); `values` are the labels of a numeric response on the scale of its model.
    """

    labels: np.ndarray
    values: np.ndarray | None
    hub: np.ndarray
    pairs: np.ndarray
    parameters: np.ndarray

    @classmethod
    def of(
        cls,
        response: Response,
        confounders: Confounders,
        keys: np.ndarray,
        *,
        within: Levels | None = None,
    ) -> "ConditionalShuffle":
        """Fit the model and draw pairings and hub by two `keys`.

        Rows are paired within the combinations of the categorical confounders, or within the finer levels `within`.
        """
        labels, codes = np.unique(response.values, return_inverse=True)
        parameters, values = np.zeros(codes.size), np.zeros(labels.size)
        if labels.size > 1:
            model = fitted_response(response, confounders)
            parameters = _parameters(model)
            values[codes] = model.values
        numeric = values if response.labels is None else None
        return cls.given(labels, codes, within or confounders.strata, parameters, keys, values=numeric)

    @classmethod
    def given(cls, labels, codes, levels, parameters, keys, *, values=None):
        """The same for a model that is known."""
        pairs = random_pairs(levels.order, levels.starts, ROUNDS, keys[0])
        codes = codes.astype(np.uint8 if labels.size <= 2 and values is None else np.int64)
        forwards = cls(labels, values, codes, pairs, np.ascontiguousarray(parameters))
        backwards = replace(forwards, pairs=np.ascontiguousarray(pairs[::-1]))
        return replace(forwards, hub=backwards.shuffled_codes(keys[1:2])[:, 0].copy())

    def shuffled(self, keys: np.ndarray) -> np.ndarray:
        """One permuted response (column) per key."""
        return self.labels[self.shuffled_codes(keys)]

    def shuffled_codes(self, keys: np.ndarray) -> np.ndarray:
        """The codes of the permuted responses."""
        out = np.empty((self.hub.size, keys.size), self.hub.dtype)
        if self.values is not None:
            _swap_numbers(self.hub, self.pairs, self.parameters, self.values, keys, out)
        elif self.labels.size <= 2:
            _swap_binary(self.hub, self.pairs, self.parameters, keys, out)
        else:
            _swap_classes(self.hub, self.pairs, self.parameters, keys, out)
        return out


def _parameters(model):
    """What the kernel needs of a fitted model."""
    if model.numeric:
        return model.theta[:, 0]
    if model.linear.shape[1] == 1:
        return np.clip(model.linear[:, 0], -_LOG_ODDS, _LOG_ODDS)
    return np.maximum(model.probabilities, np.exp(-2 * _LOG_ODDS))


def conditional_shuffle(
    y: Any, confounders: Any, b: int, *, confounder: Any = "smooth", rng: np.random.Generator
) -> np.ndarray:
    """b permutations of `y`, as an (n, b) matrix, drawn with probability proportional to the product of p(y_i | c_i).

    `confounders` is a vector, a matrix with a column for each, a Series or a DataFrame; `confounder` says how they are
    analysed (see `permconf.data.confounders`): as they come ("smooth"), as "levels" or in bins. Categorical
    confounders are preserved exactly: if there are no others this is `restricted_shuffle`. Numeric ones are preserved
    as far as the smooth additive model of p(y | c) holds (`permconf.permute.response_model`).

    >>> import numpy as np
    >>> from permconf import conditional_shuffle
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(50, 10, 100)
    >>> ill = (age + rng.normal(0, 10, 100) > 50).astype(int)
    >>> Y = conditional_shuffle(ill, age, 200, rng=rng)
    >>> Y.shape, bool(Y[age > 60].mean() > 0.6 > 0.4 > Y[age < 40].mean())
    ((100, 200), True)
    """
    check_row_order(y=y, confounders=confounders)
    response = Response.of(y)
    confounders = Confounders.of(confounders, confounder, rows=len(response))
    if confounders.has_levels:
        return restricted_shuffle(response.given, confounders.codes, b, rng=rng)
    shuffle = ConditionalShuffle.of(response, confounders, permutation_keys(rng, 2))
    codes = shuffle.shuffled_codes(permutation_keys(rng, b))
    given = np.empty(shuffle.labels.size, np.asarray(y).dtype if response.labels is None else response.labels.dtype)
    given[np.searchsorted(shuffle.labels, response.values)] = (
        np.asarray(y) if response.labels is None else response.given
    )
    return given[codes]
