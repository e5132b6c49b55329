"""Random forests for many responses that share their features.

Every feature is sorted once for all trees, so that no node has to sort: the bits of its rows are set in a bitmap over
the positions in the order of a feature, and the bitmap is read from low to high. The rows to score pass down the tree
together with the training rows: no tree is stored, and branches that no row to score reaches are not grown.

The response is a matrix of `channels` rows: the label if there are two classes, an indicator of each class if there are
more, the value in regression. Then the decrease of the Gini impurity, or of the variance, is always proportional to
the sum over the channels of d**2 / (l (N - l)), where N samples are in the node, l of them left of the cut, and d / N
is the channel's sum over these minus its expectation.

Random choices in a node depend only on its key, and its key on the path that leads to it. Hence the score of a row does
not depend on the other rows to score.

`features`, `settings` and `scratch` are the tuples defined in `random_forest`. Indices are unsigned in the inner loops
because numba would check whether signed ones are negative.
"""

# ruff: noqa: ARG001 (numba passes all arguments to intrinsics)

from typing import Any

import numpy as np
from numba import int32, int64, njit, types, uint64
from numba.extending import intrinsic

from permconf.method.random_bits import below, random_bits

_0, _1, _6, _32, _63, _64 = (np.uint64(k) for k in (0, 1, 6, 32, 63, 64))

_instruction: Any = intrinsic
_compiled = njit(cache=True, nogil=True, error_model="numpy")
_inlined = njit(cache=True, nogil=True, error_model="numpy", inline="always")


@_instruction
def _borrowed(typing_context, arrays):
    """A tuple of arrays without reference counting, which would double the time."""

    def generate(context, builder, signature, arguments):
        result = arguments[0]
        for i, kind in enumerate(arrays):
            view = context.make_array(kind)(context, builder, builder.extract_value(result, i))
            view.meminfo = view.meminfo.type(None)
            result = builder.insert_value(result, view._getvalue(), i)
        return result

    return arrays(arrays), generate


@_instruction
def _trailing_zeros(typing_context, x):
    """Index of the lowest bit set in x, which is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


@_instruction
def _as_integer(typing_context, x):
    """The bits of a double, which have the order of the numbers if these are not negative."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


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
def _sort_by_bitmap(
    start, stop, base, words, rows, position, order, weight, sums, bitmap, place, left_weight, left_sums
):
    """The node's rows in the order of a feature: positions, cumulative weights, cumulative sums of channel 0."""
    for i in range(words):
        bitmap[i] = _0
    for i in range(uint64(start), uint64(stop)):
        at = uint64(position[base + rows[i]]) - base
        bitmap[at >> _6] |= _1 << (at & _63)
    m = _0
    w, s = int32(0), sums[0] - sums[0]
    for i in range(words):
        bits = bitmap[i]
        while bits != _0:
            at = base + _trailing_zeros(bits)
            bits &= bits - _1
            row = order[at]
            w += weight[row]
            s += sums[row]
            place[m] = at
            left_weight[m] = w
            left_sums[m] = s
            m += _1
        base += _64


@_inlined
def _sort_by_insertion(start, stop, base, rows, position, order, weight, sums, place, left_weight, left_sums):
    """As `_sort_by_bitmap`, for few rows, where the bitmap would be mostly empty."""
    for i in range(uint64(stop - start)):
        at = position[base + rows[uint64(start) + i]]
        j = uint64(i)
        while j > _0 and place[j - _1] > at:
            place[j] = place[j - _1]
            j -= _1
        place[j] = at
    w, s = int32(0), sums[0] - sums[0]
    for i in range(stop - start):
        row = order[place[i]]
        w += weight[row]
        s += sums[row]
        left_weight[i] = w
        left_sums[i] = s


@_compiled
def _add_channels(m, n, totals, order, sums, place, left_weight, left_sums, others):
    """Cumulative sums of the channels after the first, and the sum of their d**2."""
    for i in range(m):
        others[i] = 0.0
    for c in range(1, totals.shape[1] - 1):
        s = sums[0] - sums[0]
        for i in range(m):
            s += sums[c * n + order[place[i]]]
            left_sums[c * n + i] = s
            d = totals[0, 0] * s - totals[0, c + 1] * left_weight[i]
            others[i] += d * d


@_compiled
def _drop_ties(m, n, channels, value, place, left_weight, left_sums, others):
    """Keep the last row of each value, since equal values cannot be separated. Returns the number of rows kept."""
    kept = 0
    for i in range(m):
        place[kept] = place[i]
        left_weight[kept] = left_weight[i]
        others[kept] = others[i]
        for c in range(channels):
            left_sums[c * n + kept] = left_sums[c * n + i]
        kept += i == m - 1 or value[place[i]] != value[place[i + 1]]
    return kept


@_inlined
def _largest_gain(m, low, weight, total, left_weight, left_sums, others):
    """The largest gain, as an integer whose `low` bits encode (counting down) the row before the cut; -1 if none.

    The first of equal cuts is taken. An integer, because a loop for the maximum of integers is vectorised.
    """
    best = int64(-1)
    for i in range(m - 1):
        d = weight * left_sums[i] - total * left_weight[i]
        gain = (d * d + others[i]) / (left_weight[i] * (weight - left_weight[i]))
        best = max(best, (_as_integer(gain) & ~low) | (low - i))
    return best


@_inlined
def _exchange(items, i, j):
    """Exchange two items of an array."""
    items[i], items[j] = items[j], items[i]


@_inlined
def _best_cut(key, start, stop, features, settings, scratch):
    """Best cut of the current node: whether there is one, its feature, and the positions before and after it.

    `scratch.left` receives weight and sums left of the cut. Features are drawn without replacement; drawing continues
    while all were constant.
    """
    n, p, channels, low = settings.n, settings.p, settings.channels, settings.low
    order, position, value, tied = features.order, features.position, features.value, features.tied
    rows, weight, sums, bitmap, place = scratch.rows, scratch.weight, scratch.sums, scratch.bitmap, scratch.place
    left_weight, left_sums, others, left = scratch.left_weight, scratch.left_sums, scratch.others, scratch.left
    shuffled, exchanged, totals = scratch.shuffled, scratch.exchanged, scratch.totals
    words = (n + 63) // 64
    best = int64(-1)
    feature, before, after = _0, _0, _0
    drawn = 0
    while drawn < p and (drawn < settings.tried or best < 0):
        exchanged[drawn] = drawn + below(random_bits(key, drawn), p - drawn)
        _exchange(shuffled, drawn, exchanged[drawn])
        f = uint64(shuffled[drawn])
        drawn += 1
        base = f * uint64(n)
        m = stop - start
        if m <= settings.short:
            _sort_by_insertion(start, stop, base, rows, position, order, weight, sums, place, left_weight, left_sums)
        else:
            _sort_by_bitmap(
                start, stop, base, words, rows, position, order, weight, sums, bitmap, place, left_weight, left_sums
            )
        if channels > 1:
            _add_channels(m, n, totals, order, sums, place, left_weight, left_sums, others)
        if tied[f]:
            m = _drop_ties(m, n, channels, value, place, left_weight, left_sums, others)
        gain = _largest_gain(m, low, totals[0, 0], totals[0, 1], left_weight, left_sums, others)
        if gain | low > best | low:
            best = gain
            cut = uint64(low - (gain & low))
            feature, before, after = f, uint64(place[cut]), uint64(place[cut + _1])
            left[0] = left_weight[cut]
            for c in range(channels):
                left[c + 1] = left_sums[uint64(c * n) + cut]
    for k in range(drawn - 1, -1, -1):
        _exchange(shuffled, k, exchanged[k])
    return best >= 0, feature, before, after


@_inlined
def _is_leaf(settings, totals):
    """Whether the current node is small enough or, in classification, pure."""
    weight = totals[0, 0]
    leaf = weight <= settings.node_size
    if not settings.regression:
        leaf |= settings.channels == 1 and totals[0, 1] == 0.0
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
def _settle(key, start, stop, settings, scratch):
    """Score the rows in a leaf by the mean of each channel, or by a vote for a class."""
    totals, test_rows, scores = scratch.totals, scratch.test_rows, scratch.scores
    winner = _vote(key, settings.p, totals) if settings.votes else 0
    for c in range(settings.channels):
        if settings.votes:
            value = float(int64(winner == (c if settings.channels > 1 else 1)))
        else:
            value = totals[0, c + 1] / totals[0, 0]
        if value != 0.0:
            for i in range(uint64(start), uint64(stop)):
                scores[c, test_rows[i]] += value


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
def _push(top, start, stop, test_start, test_stop, key, spans, keys):
    """Put a node on the stack, except for its totals."""
    spans[top, 0], spans[top, 1], spans[top, 2], spans[top, 3] = start, stop, test_start, test_stop
    keys[top] = key


@_inlined
def _plant(key, settings, scratch):
    """Draw the bootstrap sample of a tree, and put its root on the stack."""
    n, channels = settings.n, settings.channels
    response, weight, sums, totals = scratch.response, scratch.weight, scratch.sums, scratch.totals
    rows, test_rows = scratch.rows, scratch.test_rows
    _bootstrap(key, n, weight)
    m = 0
    for i in range(n):
        rows[m] = i
        m += weight[i] > 0
    for i in range(settings.test_n):
        test_rows[i] = i
    totals[1, 0] = n
    for c in range(channels):
        total = 0.0
        for i in range(n):
            sums[c * n + i] = weight[i] * response[c * n + i]
            total += sums[c * n + i]
        totals[1, c + 1] = total
    _push(1, 0, m, 0, settings.test_n, random_bits(key, n), scratch.spans, scratch.keys)


@_inlined
def _grow(key, features, settings, scratch):
    """Grow one tree and add its predictions to the scores."""
    n, p, test_n, channels = settings.n, settings.p, settings.test_n, settings.channels
    rows, test_rows, spans = scratch.rows, scratch.test_rows, scratch.spans
    totals, left, keys = scratch.totals, scratch.left, scratch.keys
    _plant(key, settings, scratch)
    top = _1
    while top > _0:
        start, stop, test_start, test_stop = spans[top, 0], spans[top, 1], spans[top, 2], spans[top, 3]
        for c in range(channels + 1):
            totals[0, c] = totals[top, c]
        key = keys[top]
        top -= _1
        found, f, before, after = False, _0, _0, _0
        if not _is_leaf(settings, totals):
            found, f, before, after = _best_cut(key, start, stop, features, settings, scratch)
        if not found:
            _settle(key, test_start, test_stop, settings, scratch)
            continue
        limit = _threshold(features.value[before], features.value[after])
        middle = _part(rows, start, stop, features.position, f * uint64(n), before)
        test_middle = _part(test_rows, test_start, test_stop, features.test, f * uint64(test_n), limit)
        if test_start < test_middle:
            top += _1
            _push(top, start, middle, test_start, test_middle, random_bits(key, p), spans, keys)
            for c in range(channels + 1):
                totals[top, c] = left[c]
        if test_middle < test_stop:
            top += _1
            _push(top, middle, stop, test_middle, test_stop, random_bits(key, p + 1), spans, keys)
            for c in range(channels + 1):
                totals[top, c] = totals[0, c] - left[c]


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
    lent_features, lent_scratch = _borrowed(features), _borrowed(scratch)
    for k in range(b):
        means[k] = _load(Y, k, settings, scratch.response)
        scratch.scores[:] = 0.0
        for t in range(settings.trees):
            _grow(random_bits(keys[k], t), lent_features, settings, lent_scratch)
        sums[k] = scratch.scores
    return sums, means
