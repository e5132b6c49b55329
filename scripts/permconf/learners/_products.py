"""Products of matrices in which a column has the same bits whatever the other columns are, and on every processor.

BLAS does not promise that: its kernels round by the place of a column, in some processors by more than one bit. At the
sizes of small designs it is not faster either.
"""

import numpy as np
from numba import njit

from permconf.learners._vectors import TALL, WIDE, multiply_rows

BLOCK = 64  # columns worked on together

compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "nnan", "ninf"})


@compiled
def multiply(A, B, out):
    """out = A @ B, where B has BLOCK columns. The last rows may be worked out twice."""
    for column in range(0, BLOCK, WIDE // out.itemsize):
        if len(A) < TALL:
            for i in range(len(A)):
                multiply_rows(1, i, column, A, B, out)
        else:
            for i in range(0, len(A), TALL):
                multiply_rows(TALL, min(i, len(A) - TALL), column, A, B, out)


@compiled
def copy(values, out):
    """out = values. As a loop, because numba takes seconds to compile the messages of an assignment of arrays."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = values[i, c]


@compiled
def add(values, out):
    """out += values, likewise."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] += values[i, c]


@compiled
def subtract(values, out):
    """out -= values, likewise."""
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] -= values[i, c]


@compiled
def _blockwise(A, B, out):
    block, products = np.zeros((len(B), BLOCK)), np.empty((len(A), BLOCK))
    for first in range(0, B.shape[1], BLOCK):
        width = min(BLOCK, B.shape[1] - first)
        copy(B[:, first : first + width], block[:, :width])
        multiply(A, block, products)
        copy(products[:, :width], out[:, first : first + width])


def product(A, B):
    """A @ B (m, b) in double precision, a column whatever the others."""
    out = np.empty((len(A), B.shape[1]))
    _blockwise(np.ascontiguousarray(A, np.float64), np.ascontiguousarray(B), out)
    return out
