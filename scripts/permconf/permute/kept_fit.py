"""Permutations of the response that keep its own fit to the confounders.

A response fits the model of p(y | c) that was estimated from it better than its permutations do: their association with
the confounders varies about the fitted one, so that a statistic that depends on the confounders varies more than it
should, and a test is conservative (with folds, 0.01 to 0.02 instead of 0.05). The cure is to permute given the fit, as
in approximate co-sufficient sampling (Barber & Janson 2022). Let S(y) be the sums of y times the columns of the model's
design, in directions of unit variance. Permutations y* are drawn with probability proportional to

    prod p(y*_i | c_i)  exp(-|S(y*) - S(y)|^2 / (2 SLACK)).

The directions are those in which the model follows the response most closely, at most one for `ROWS_PER_DIRECTION`
rows and `MOST_DIRECTIONS`: so that swaps remain possible, and the permutations far from the response.
"""

import numpy as np
from numba import njit
from scipy.linalg import eigh

from permconf.data.levels import Levels
from permconf.permute.random_bits import random_bits
from permconf.permute.response_model import ResponseModel

SLACK = 0.1  # variance of the permutations in a direction that is kept; free, it would be 1
ROWS_PER_DIRECTION, MOST_DIRECTIONS = 15, 30
TWO_CLASSES = np.array([[0.0], [1.0]])  # scores of their labels
_LOG_ODDS = 15.0  # largest log-odds of a class, so that no swap is impossible
_NEGLIGIBLE = 1e-6  # share of a direction that the model follows, below which there is nothing to keep
_WIDTH = 64
_UNIT = 2.0**-53
_S11 = np.uint64(11)


def kept_directions(model: ResponseModel, levels: Levels) -> np.ndarray:
    """Columns (n, q) whose products with the response are kept, divided by their standard deviation.

    What is permuted within `levels` keeps their sums, so that the columns are centred within them.
    """
    X, precision = model.design.X[:, 1:], np.diag(model.precision[1:])
    X = X - np.stack([levels.sums(x) / levels.counts for x in X.T], axis=-1)[levels.codes]
    variance = np.ones(len(X)) if model.numeric else (model.probabilities * (1 - model.probabilities)).mean(axis=1)
    information = (X.T * variance) @ X
    followed, directions = eigh(information, information + precision)
    most = min((len(X) - levels.counts.size) // ROWS_PER_DIRECTION, MOST_DIRECTIONS)
    chosen = np.flatnonzero(followed > _NEGLIGIBLE)[::-1][:most]
    return X @ (directions[:, chosen] / np.sqrt(followed[chosen]))


def label_scores(model: ResponseModel, labels: int, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores (labels, k) of the labels and natural parameters (n, k): log p(label | c) is their product, plus terms
    that depend on c alone or on the label alone.
    """
    if model.numeric:
        scores = np.zeros((labels, 1))
        scores[codes, 0] = (model.values - model.shift) / np.sqrt(model.scale)
        return scores, model.linear / np.sqrt(model.scale)
    theta = np.clip(model.theta, -_LOG_ODDS, _LOG_ODDS)
    return (TWO_CLASSES, theta[:, 1:]) if labels == 2 else (np.eye(labels), theta)


@njit(cache=True, nogil=True)
def swap_near(start, kept, pairs, scores, theta, directions, keys, out):
    """Codes `start`, with the values of pairs exchanged at random, round after round; a column for each key.

    `directions` are scaled by 1 / sqrt(SLACK). `away` is the difference of S from that of the codes `kept`, for blocks
    of columns that advance together, so that they share vector registers.
    """
    (rounds, count, _), q, dims = pairs.shape, directions.shape[1], scores.shape[1]
    state = np.empty((start.size, _WIDTH), start.dtype)
    away = np.empty((dims, q, _WIDTH), np.float32)
    pull, change, gap = np.empty((dims, _WIDTH), np.float32), np.empty((dims, _WIDTH), np.float32), np.empty(q)
    for first in range(0, keys.size, _WIDTH):
        width = min(_WIDTH, keys.size - first)
        away[:] = 0
        for i in range(start.size):
            state[i] = start[i]
            for d in range(dims):
                for a in range(q):
                    away[d, a] += np.float32(directions[i, a] * (scores[start[i], d] - scores[kept[i], d]))
        for r in range(rounds):
            for pair in range(count):
                i, j = pairs[r, pair]
                size = 0.0
                for a in range(q):
                    gap[a] = directions[i, a] - directions[j, a]
                    size += gap[a] * gap[a]
                pull[:], change[:], moved = 0, 0, False
                for d in range(dims):
                    for a in range(q):
                        by = np.float32(gap[a])
                        for k in range(_WIDTH):
                            pull[d, k] += by * away[d, a, k]
                for k in range(width):
                    one, other = state[i, k], state[j, k]
                    if one == other:
                        continue
                    log_odds = 0.0
                    for d in range(dims):
                        step = scores[other, d] - scores[one, d]
                        log_odds += step * (theta[i, d] - theta[j, d] - pull[d, k] - 0.5 * size * step)
                    drawn = np.float64(random_bits(keys[first + k], r * count + pair) >> _S11) * _UNIT
                    if drawn * (1.0 + np.exp(-log_odds)) < 1.0:
                        state[i, k], state[j, k], moved = other, one, True
                        for d in range(dims):
                            change[d, k] = scores[other, d] - scores[one, d]
                if moved:
                    for d in range(dims):
                        for a in range(q):
                            by = np.float32(gap[a])
                            for k in range(_WIDTH):
                                away[d, a, k] += by * change[d, k]
        for i in range(start.size):
            for k in range(width):
                out[i, first + k] = state[i, k]
