"""Random bits for the compiled kernels: SplitMix64 (Steele, Lea & Flood 2014), a pure function of key and counter.

A permutation, a tree or a bootstrap sample has a 64-bit key; its i-th random number is `random_bits(key, i)`. There is
no state, so a column gives the same result in any batch, order or process.
"""

import numpy as np
from numba import njit, uint64

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@njit(inline="always")
def random_bits(key, i):
    """The i-th 64 random bits of `key`."""
    z = key + uint64(i) * GOLDEN
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@njit(inline="always")
def below(bits, bound):
    """A number in 0 .. bound - 1 from the upper half of `bits`; its bias is below bound / 2**32."""
    return np.int64(((bits >> _S32) * uint64(bound)) >> _S32)
