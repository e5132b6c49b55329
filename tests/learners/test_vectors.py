"""The generated instructions of the forests against their plain versions."""

import numpy as np
import pytest
from numba import njit

from permconf.learners._vectors import (
    FEW,
    LANES,
    UNROLLED,
    around_cut,
    as_integer,
    at_most,
    bits_set,
    largest_gain,
    sums_up_to,
    trailing_zeros,
)

BOTH_HALVES = 0x10001


@njit
def _of_a_word(x):
    return trailing_zeros(x), bits_set(x)


@njit
def _bits(x):
    return as_integer(x)


@njit
def _at_most(values, start, limit):
    return at_most(values, start, limit)


@njit
def _node(at, added, m, counts, weight, total):
    sums_up_to(at, added, m, counts)
    code = largest_gain(counts, m, weight, total)
    w = np.uint64(~code & 0xFFFFFFFF)
    return code, w, around_cut(at, counts, m, w)


def test_lowest_bit_and_number_of_bits(rng):
    for word in (0, 1, 2**63, *(int(rng.integers(2**63)) << int(rng.integers(2)) for _ in range(50))):
        plain = [i for i in range(64) if word >> i & 1]
        assert _of_a_word(np.uint64(word)) == (min(plain, default=64), len(plain))


def test_bits_of_doubles_are_in_the_order_of_the_numbers(rng):
    values = np.sort(np.append(rng.exponential(size=50), 0.0))
    assert [_bits(v) for v in values] == values.view(np.int64).tolist() == sorted(values.view(np.int64).tolist())


@pytest.mark.parametrize(("kind", "count"), [(np.int16, 64), (np.int32, 64), (np.float64, FEW)])
def test_values_up_to_a_limit_are_the_bits_of_a_word(rng, kind, count):
    values = rng.integers(-9, 9, 100).astype(kind)
    plain = sum(1 << i for i in range(count) if values[5 + i] <= 2)
    assert _at_most(values, np.uint64(5), kind(2)) == plain


@pytest.mark.parametrize("m", [2, 3, 31, 32, 33, 60])
def test_best_cut_of_a_node(rng, m):
    """Weights and sums left of every cut, the largest gain, and the places on both sides of its cut."""
    for _ in range(50):
        places, weights = rng.integers(0, 40, m), rng.integers(1, 3, m)
        sums = rng.binomial(weights, 0.5)
        if len(set(places)) == 1:
            continue
        at, added = np.full(m + LANES, 0x7FFF7FFF, np.uint32), np.zeros(m + UNROLLED, np.uint32)
        at[:m], added[:m] = places * BOTH_HALVES, (weights + 256 * sums) * BOTH_HALVES
        counts, weight, total = np.empty(m + LANES, np.uint16), weights.sum(), sums.sum()
        code, w, found = _node(at, added, m, counts, float(weight), float(total))
        left = [(int(weights[places <= a].sum()), int(sums[places <= a].sum())) for a in places]
        assert counts[:m].tolist() == [u + 256 * s for u, s in left]
        gains = {(u, s): np.float32((weight * s - total * u) ** 2 / (u * (weight - u))) for u, s in left if u < weight}
        best = min(gains, key=lambda cut: (-gains[cut], cut[0]))
        assert (code >> 32, w) == (gains[best].view(np.int32), best[0])
        before = max(a for a, cut in zip(places, left, strict=True) if cut[0] <= best[0])
        assert found == (best[1], before, min(a for a in places if a > before))
