"""Best cuts of a forest's nodes (see `random_forest_kernel` for the gain that is maximised).

Every feature is sorted once for all trees. So no node has to sort: the bits of its rows are set in a bitmap over the
positions in the order of a feature, and it is read from low to high. In a small node with two classes the rows are not
even put in order: each is compared with every other, many at a time.
"""

import numpy as np
from numba import int32, int64, njit, uint64

from permconf.learners._vectors import (
    EXACT,
    FLATTENED,
    LANES,
    UNROLLED,
    around_cut,
    as_integer,
    bits_set,
    largest_gain,
    sums_up_to,
    trailing_zeros,
)
from permconf.permute.random_bits import below, random_bits

_0, _1, _6, _16, _63, _64, _65535, _FLATTENED = (np.uint64(k) for k in (0, 1, 6, 16, 63, 64, 65535, FLATTENED))
_BEYOND = np.uint32(0x7FFF7FFF)
_LOW = 2**32 - 1

_compiled = njit(cache=True, nogil=True, error_model="numpy")
_inlined = njit(cache=True, nogil=True, error_model="numpy", inline="always")


@_inlined
def _sort_by_bitmap(start, stop, base, words, rows, position, bitmap, place):
    """Positions of the node's rows in the order of a feature."""
    for i in range(words):
        bitmap[i] = _0
    for i in range(uint64(start), uint64(stop)):
        at = uint64(position[base + rows[i]]) - base
        bitmap[at >> _6] |= _1 << (at & _63)
    m = _0
    for i in range(words):
        bits = bitmap[i]
        end = m + bits_set(bits)
        while m < end:
            for u in range(_FLATTENED):  # also beyond the end, since a loop of fixed length is predicted
                place[m + u] = base + trailing_zeros(bits)
                bits &= bits - _1
            m += _FLATTENED
        m = end
        base += _64


@_inlined
def _sort_by_insertion(start, stop, base, rows, position, place):
    """As `_sort_by_bitmap`, for few rows, where the bitmap would be mostly empty."""
    for i in range(uint64(stop - start)):
        at = position[base + rows[uint64(start) + i]]
        j = uint64(i)
        while j > _0 and place[j - _1] > at:
            place[j] = place[j - _1]
            j -= _1
        place[j] = at


@_inlined
def _accumulate(m, order, weight, sums, place, left_weight, left_sums):
    """Cumulative weights, and cumulative sums of channel 0."""
    w, s = int32(0), sums[0] - sums[0]
    for i in range(uint64(m)):
        row = order[place[i]]
        w += weight[row]
        s += sums[row]
        left_weight[i] = w
        left_sums[i] = s


@_inlined
def _accumulate_both(m, order, both, place, left_weight, left_sums):
    """As `_accumulate`, where weight and sum of a row are read together."""
    total = _0
    for i in range(uint64(m)):
        total += uint64(both[order[place[i]]])
        left_weight[i] = int32(total & _65535)
        left_sums[i] = int32(total >> _16)


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
        best = max(best, (as_integer(gain) & ~low) | (low - i))
    return best


@_inlined
def _exchange(items, i, j):
    """Exchange two items of an array."""
    items[i], items[j] = items[j], items[i]


@_inlined
def _draw(key, drawn, p, shuffled, exchanged):
    """The next feature, without replacement."""
    exchanged[drawn] = drawn + below(random_bits(key, drawn), p - drawn)
    _exchange(shuffled, drawn, exchanged[drawn])
    return uint64(shuffled[drawn])


@_inlined
def _restore(drawn, shuffled, exchanged):
    """Undo the exchanges of `_draw`."""
    for k in range(drawn - 1, -1, -1):
        _exchange(shuffled, k, exchanged[k])


@_inlined
def _best_sorted_cut(key, start, stop, features, settings, scratch):
    """Best cut of the current node: whether there is one, its feature, and the positions before and after it.

    `scratch.left` receives weight and sums left of the cut. Features are drawn without replacement; drawing continues
    while all were constant.
    """
    n, p, channels, low = settings.n, settings.p, settings.channels, settings.low
    order, position, value, tied = features.order, features.position, features.value, features.tied
    rows, weight, sums, place = scratch.rows, scratch.weight, scratch.sums, scratch.place
    left_weight, left_sums, others, left = scratch.left_weight, scratch.left_sums, scratch.others, scratch.left
    totals = scratch.totals
    words = (n + 63) // 64
    best = int64(-1)
    feature, before, after = _0, _0, _0
    drawn = 0
    while drawn < p and (drawn < settings.tried or best < 0):
        f = _draw(key, drawn, p, scratch.shuffled, scratch.exchanged)
        drawn += 1
        base = f * uint64(n)
        m = stop - start
        if m <= settings.short:
            _sort_by_insertion(start, stop, base, rows, position, place)
        else:
            _sort_by_bitmap(start, stop, base, words, rows, position, scratch.bitmap, place)
        if settings.counted:
            _accumulate_both(m, order, scratch.both, place, left_weight, left_sums)
        else:
            _accumulate(m, order, weight, sums, place, left_weight, left_sums)
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
    _restore(drawn, scratch.shuffled, scratch.exchanged)
    return best >= 0, feature, before, after


@_inlined
def _best_counted_cut(key, start, stop, features, settings, scratch):
    """As `_best_sorted_cut`, without sorting: for small nodes, in which every row can be compared with every other.

    All features are evaluated before any is chosen, so that no branch depends on a gain. Draws no more features if all
    were constant: then there is no cut.
    """
    n, tried, m = settings.n, settings.tried, stop - start
    rows, added, left, totals = scratch.rows, scratch.added, scratch.left, scratch.totals
    for i in range(uint64(m)):
        added[i] = scratch.packed[rows[uint64(start) + i]]
    for i in range(uint64(m), uint64(m + UNROLLED)):
        added[i] = 0
    for k in range(tried):
        f = _draw(key, k, settings.p, scratch.shuffled, scratch.exchanged)
        at, base = scratch.at[k], f * uint64(n)
        for first in range(uint64(0), uint64(m), uint64(UNROLLED)):
            for i in range(first, first + uint64(UNROLLED)):
                at[i] = features.last[base + rows[uint64(start) + i]]
        for i in range(uint64(m), uint64(m + LANES)):
            at[i] = _BEYOND
    best, winner = int64(-1), 0
    for k in range(tried):
        sums_up_to(scratch.at[k], added, m, scratch.counts[k])
        gain = largest_gain(scratch.counts[k], m, totals[0, 0], totals[0, 1])
        better = gain | _LOW > best | _LOW
        best, winner = gain if better else best, k if better else winner
    feature, w = uint64(scratch.shuffled[winner]), uint64(_LOW - (best & _LOW))
    _restore(tried, scratch.shuffled, scratch.exchanged)
    s, before, after = around_cut(scratch.at[winner], scratch.counts[winner], m, w)
    left[0], left[1] = w, s
    return best >= 0, feature, feature * uint64(n) + before, feature * uint64(n) + after


@_inlined
def best_cut(key, start, stop, features, settings, scratch):
    """Best cut of the current node."""
    if stop - start <= settings.counted and scratch.totals[0, 0] <= EXACT:
        found, feature, before, after = _best_counted_cut(key, start, stop, features, settings, scratch)
        if found:
            return found, feature, before, after
    return _best_sorted_cut(key, start, stop, features, settings, scratch)
