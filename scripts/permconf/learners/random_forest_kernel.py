"""Random forests for many responses that share their features.

The rows to score pass down the tree together with the training rows, as a set of bits or, if there are many, as a list:
no tree is stored, and branches that no row to score reaches are not grown.

The response is a matrix of `channels` rows: the label if there are two classes, an indicator of each class if there are
more, the value in regression. Then the decrease of the Gini impurity, or of the variance, is always proportional to
the sum over the channels of d**2 / (l (N - l)), where N samples are in the node, l of them left of the cut, and d / N
is the channel's sum over these minus its expectation.

Random choices in a node depend only on its key, and its key on the path that leads to it. Hence the score of a row does
not depend on the other rows to score.

`features`, `settings` and `scratch` are the tuples defined in `random_forest`. Indices are unsigned in the inner loops
because numba would check whether signed ones are negative.
"""

import numpy as np
from numba import int32, int64, njit, uint64

from permconf.learners._vectors import FEW, at_most, borrowed, trailing_zeros
from permconf.learners.random_forest_cuts_kernel import best_cut
from permconf.permute.random_bits import below, random_bits

_0, _1, _6, _32, _63, _FEW, _ALL_FEW = (np.uint64(k) for k in (0, 1, 6, 32, 63, FEW, 2**FEW - 1))
_BOTH_HALVES = np.uint32(0x10001)

_compiled = njit(cache=True, nogil=True, error_model="numpy")
_inlined = njit(cache=True, nogil=True, error_model="numpy", inline="always")


@_inlined
def _bootstrap(key, n, weight):
    """Draw n rows with replacement, two from each random number."""
    for i in range(n):
        weight[i] = 0
    for i in range((n + 1) // 2):
        bits = random_bits(key, i)
        weight[uint64(below(bits, n))] += int32(1)
        weight[uint64(below(bits << _32, n))] += int32(2 * i + 1 < n)


@_inlined
def _is_leaf(settings, totals):
    """Whether the current node is small enough or, in classification, pure."""
    weight = totals[0, 0]
    leaf = weight <= settings.node_size
    if not settings.regression:
        leaf |= (settings.channels == 1) & (totals[0, 1] == 0.0)
        for c in range(1, settings.channels + 1):
            leaf |= totals[0, c] == weight
    return leaf


@_inlined
def _vote(key, p, totals):
    """Most frequent class of the current node; ties are broken at random."""
    channels = totals.shape[1] - 1
    if channels == 1:
        return int64(2 * totals[0, 1] + below(random_bits(key, p + 2), 2) > totals[0, 0])
    winner, ties = 0, 1
    for c in range(1, channels):
        if totals[0, c + 1] > totals[0, winner + 1]:
            winner, ties = c, 1
        elif totals[0, c + 1] == totals[0, winner + 1]:
            ties += 1
            if below(random_bits(key, p + 2 + c), ties) == 0:
                winner = c
    return winner


@_inlined
def _settle(key, top, settings, scratch):
    """Score the rows in a leaf by the mean of each channel, or by a vote for a class."""
    totals, test_bits, votes, scores = scratch.totals, scratch.test_bits, scratch.votes, scratch.scores
    winner = _vote(key, settings.p, totals) if settings.votes else 0
    for c in range(settings.channels):
        is_winner = winner == (c if settings.channels > 1 else 1)
        if settings.listed:
            value = 1.0 * is_winner if settings.votes else totals[0, c + 1] / totals[0, 0]
            for i in range(uint64(scratch.spans[top, 2]), uint64(scratch.spans[top, 3])):
                scores[c, scratch.test_rows[i]] += value
            continue
        if settings.votes:
            chosen = _0 - uint64(is_winner)
            for i in range(votes.shape[1]):
                votes[c, i] |= test_bits[top, i] & chosen
            continue
        value = totals[0, c + 1] / totals[0, 0]
        for i in range(uint64(votes.shape[1])):
            bits = test_bits[top, i]
            while bits != _0:
                scores[c, (i << _6) + trailing_zeros(bits)] += value
                bits &= bits - _1


@_inlined
def _count_votes(settings, votes, scores):
    """Add the votes of one tree to the scores."""
    for c in range(settings.channels):
        for i in range(uint64(settings.test_n)):
            scores[c, i] += float((votes[c, i >> _6] >> (i & _63)) & _1)


@_inlined
def _threshold(lower, upper):
    """Halfway between two values, but below the upper one whatever the rounding."""
    middle = 0.5 * lower + 0.5 * upper
    return middle if middle < upper else lower


@_inlined
def _part(rows, start, stop, values, base, limit):
    """Move the rows whose value is at most `limit` to the front of rows[start:stop]; returns where the others start."""
    middle = uint64(start)
    for i in range(uint64(start), uint64(stop)):
        row = rows[i]
        rows[i] = rows[middle]
        rows[middle] = row
        middle += uint64(values[base + row] <= limit)
    return int64(middle)


@_inlined
def _first_above(limit, values, at):
    """Index of the first of the increasing values that is above `limit`, searched from `at`."""
    found = at_most(values, at, limit)
    while found == _ALL_FEW:
        at += _FEW
        found = at_most(values, at, limit)
    return at + trailing_zeros(~found)


@_inlined
def _part_test_rows(top, left, right, base, up_to, test_rank, test_bits, spans):
    """Move the rows to score from entry `top` of the stack to entries `left` (the first `up_to` values) and `right`."""
    some_left, some_right = _0, _0
    for i in range(uint64(test_bits.shape[1])):
        bits = test_bits[top, i]
        on_left = bits & at_most(test_rank, base + (i << _6), int64(up_to) - 1)
        test_bits[left, i] = on_left
        test_bits[right, i] = bits ^ on_left
        some_left |= on_left
        some_right |= bits ^ on_left
    spans[left, 2], spans[left, 3] = 0, int64(some_left != _0)
    spans[right, 2], spans[right, 3] = 0, int64(some_right != _0)


@_inlined
def _plant(key, settings, scratch):
    """Draw the bootstrap sample of a tree, and put its root on the stack."""
    n, channels = settings.n, settings.channels
    response, weight, sums, totals = scratch.response, scratch.weight, scratch.sums, scratch.totals
    rows = scratch.rows
    _bootstrap(key, n, weight)
    m = 0
    for i in range(n):
        rows[m] = i
        m += weight[i] > 0
    totals[1, 0] = n
    for c in range(channels):
        total = 0.0
        for i in range(n):
            sums[c * n + i] = weight[i] * response[c * n + i]
            total += sums[c * n + i]
        totals[1, c + 1] = total
    for i in range(n if settings.counted else 0):
        scratch.both[i] = np.uint32(weight[i] + 65536 * int32(sums[i]))
        scratch.packed[i] = _BOTH_HALVES * np.uint32(weight[i] + 256 * int32(sums[i]))
    test_bits, votes = scratch.test_bits, scratch.votes
    for i in range(len(scratch.test_rows)):
        scratch.test_rows[i] = i
    for i in range(test_bits.shape[1]):
        test_bits[1, i] = ~_0 if i < settings.test_n // 64 else (_1 << uint64(settings.test_n % 64)) - _1
        for c in range(channels):
            votes[c, i] = _0
    scratch.spans[1, 0], scratch.spans[1, 1] = 0, m
    scratch.spans[1, 2], scratch.spans[1, 3] = 0, len(scratch.test_rows) if settings.listed else 1
    scratch.keys[1] = random_bits(key, n)


@_inlined
def _grow(key, features, settings, scratch):
    """Grow one tree and add its predictions to the scores. The smaller child comes first, so the stack stays short."""
    n, p, channels = settings.n, settings.p, settings.channels
    rows, spans, totals, left_totals, keys = scratch.rows, scratch.spans, scratch.totals, scratch.left, scratch.keys
    _plant(key, settings, scratch)
    test_stride = uint64(settings.test_n + -settings.test_n % 64)
    top = _1
    while top > _0:
        start, stop, key = spans[top, 0], spans[top, 1], keys[top]
        for c in range(channels + 1):
            totals[0, c] = totals[top, c]
        found, f, before, after = False, _0, _0, _0
        if not (_is_leaf(settings, totals) | (spans[top, 2] == spans[top, 3])):
            found, f, before, after = best_cut(key, start, stop, features, settings, scratch)
        if not found:
            _settle(key, top, settings, scratch)
            top -= _1
            continue
        limit = _threshold(features.value[before], features.value[after])
        middle = _part(rows, start, stop, features.position, f * uint64(n), before)
        left = top + uint64(middle - start <= stop - middle)
        right = top + top + _1 - left
        first_rank = f * uint64(settings.test_n + FEW)
        up_to = _first_above(limit, features.test_value, first_rank + features.test_up_to[before]) - first_rank
        if settings.listed:
            first, last = spans[top, 2], spans[top, 3]
            others = _part(scratch.test_rows, first, last, features.test_rank, f * test_stride, int64(up_to) - 1)
            spans[left, 2], spans[left, 3], spans[right, 2], spans[right, 3] = first, others, others, last
        else:
            _part_test_rows(top, left, right, f * test_stride, up_to, features.test_rank, scratch.test_bits, spans)
        spans[left, 0], spans[left, 1], keys[left] = start, middle, random_bits(key, p)
        spans[right, 0], spans[right, 1], keys[right] = middle, stop, random_bits(key, p + 1)
        for c in range(channels + 1):
            totals[left, c] = left_totals[c]
            totals[right, c] = totals[0, c] - left_totals[c]
        top += _1
    if settings.votes and not settings.listed:
        _count_votes(settings, scratch.votes, scratch.scores)


@_compiled
def _load(Y, column, settings, response):
    """Write a column of Y as channels; returns the mean, which is subtracted in regression."""
    n = settings.n
    if settings.channels > 1:
        for c in range(settings.channels):
            for i in range(n):
                response[c * n + i] = Y[i, column] == c
        return 0.0
    mean = 0.0
    if settings.regression:
        for i in range(n):
            mean += Y[i, column]
        mean /= n
    for i in range(n):
        response[i] = Y[i, column] - mean
    return mean


@_compiled
def forests(Y, keys, features, settings, scratch):
    """Sums of the trees' predictions (b, channels, rows to score), and the offsets of their means (b,)."""
    b = Y.shape[1]
    sums, means = np.empty((b, settings.channels, settings.test_n)), np.empty(b)
    lent_features, lent_scratch = borrowed(features), borrowed(scratch)
    for k in range(b):
        means[k] = _load(Y, k, settings, scratch.response)
        scratch.scores[:] = 0.0
        for t in range(settings.trees):
            _grow(random_bits(keys[k], t), lent_features, settings, lent_scratch)
        sums[k] = scratch.scores
    return sums, means
