"""Permutations of the response that respect confounders as they come, without bins.

A restricted shuffle permutes the response within the levels of a categorical confounder. For numeric confounders the
response y is permuted with probability proportional to the product of p(y_i | c_i), where p(y | c) is a smooth model
(`permconf.permute.response_model`): the conditional permutation test of Berrett, Wang, Barber & Samworth (2020). If the
model is right and y does not depend on the features given c, the response and its permutations are exchangeable.

The permutations are made by pairwise swaps. In a round, the rows of every level of the categorical confounders are
paired at random; a pair (i, j) exchanges its values with the odds

    p(y_j | c_i) p(y_i | c_j)  :  p(y_i | c_i) p(y_j | c_j).

An audit also keeps the response's own fit to the confounders (`permconf.permute.kept_fit`), which enters the odds.

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
from permconf.keywords import helpful
from permconf.permute.kept_fit import SLACK, TWO_CLASSES, kept_directions, label_scores, swap_near
from permconf.permute.random_bits import below, random_bits
from permconf.permute.random_streams import Rng, generator, permutation_keys
from permconf.permute.response_model import fitted_response
from permconf.permute.shuffles import restricted_shuffle

ROUNDS = 50
_COLUMNS_AT_ONCE = 128
_UNIT = 2.0**-53
_S11 = np.uint64(11)


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


@dataclass(frozen=True)
class ConditionalShuffle:
    """What the permutations of one response share: its model, the pairings and the hub.

    The hub is made of codes 0, 1, ... of `labels`, the sorted distinct values of the response; so are `codes`, the
    response. `scores` (labels, k) of the labels and `theta` (n, k) are the natural form of p(y | c); `kept` (n, q) are
    the directions in which the fit of the response is kept (`permconf.permute.kept_fit`).
    """

    labels: np.ndarray
    codes: np.ndarray
    hub: np.ndarray
    pairs: np.ndarray
    scores: np.ndarray
    theta: np.ndarray
    kept: np.ndarray

    @classmethod
    def of(
        cls,
        response: Response,
        confounders: Confounders,
        keys: np.ndarray,
        *,
        within: Levels | None = None,
        keep_fit: bool = False,
    ) -> "ConditionalShuffle":
        """Fit the model and draw pairings and hub by two `keys`.

        Rows are paired within the combinations of the categorical confounders, or within the finer levels `within`.
        """
        labels, codes = np.unique(response.values, return_inverse=True)
        levels = within or confounders.strata
        if labels.size < 2:
            return cls.given(labels, codes, levels, np.zeros((1, 1)), np.zeros((codes.size, 1)), keys)
        model = fitted_response(response, confounders, fine=keep_fit, quadrants=keep_fit)
        kept = kept_directions(model, levels) if keep_fit else None
        return cls.given(labels, codes, levels, *label_scores(model, labels.size, codes), keys, kept=kept)

    @classmethod
    def given(cls, labels, codes, levels, scores, theta, keys, *, kept=None):
        """The same for a model that is known."""
        pairs = random_pairs(levels.order, levels.starts, ROUNDS, keys[0])
        codes = codes.astype(np.uint8 if labels.size <= 2 else np.int64)
        kept = np.empty((codes.size, 0)) if kept is None else np.ascontiguousarray(kept / np.sqrt(SLACK))
        forwards = cls(labels, codes, codes, pairs, scores, np.ascontiguousarray(theta), kept)
        backwards = replace(forwards, pairs=np.ascontiguousarray(pairs[::-1]))
        return replace(forwards, hub=backwards.shuffled_codes(keys[1:2])[:, 0].copy())

    def shuffled(self, keys: np.ndarray) -> np.ndarray:
        """One permuted response (column) per key."""
        return self.labels[self.shuffled_codes(keys)]

    def shuffled_codes(self, keys: np.ndarray) -> np.ndarray:
        """The codes of the permuted responses."""
        out = np.empty((self.hub.size, keys.size), self.hub.dtype)
        if np.array_equal(self.scores, TWO_CLASSES) and not self.kept.shape[1]:
            _swap_binary(self.hub, self.pairs, self.theta[:, 0], keys, out)
        else:
            swap_near(self.hub, self.codes, self.pairs, self.scores, self.theta, self.kept, keys, out)
        return out


@helpful
def conditional_shuffle(y: Any, confounders: Any, b: int, *, confounder: Any = "auto", rng: Rng) -> np.ndarray:
    """b permutations of `y`, as an (n, b) matrix, drawn with probability proportional to the product of p(y_i | c_i).

    `confounders` is a vector, a matrix with a column for each, a Series or a DataFrame; `confounder` says how they are
    analysed (see `permconf.data.confounders`): as they come ("auto"), as "levels", "smooth" or in bins. Categorical
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
    rng = generator(rng)
    shuffle = ConditionalShuffle.of(response, confounders, permutation_keys(rng, 2))
    codes = shuffle.shuffled_codes(permutation_keys(rng, b))
    given = np.empty(shuffle.labels.size, np.asarray(y).dtype if response.labels is None else response.labels.dtype)
    given[np.searchsorted(shuffle.labels, response.values)] = (
        np.asarray(y) if response.labels is None else response.given
    )
    return given[codes]
