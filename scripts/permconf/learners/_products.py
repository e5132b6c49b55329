"""Products of matrices in which a column has the same bits whatever the other columns are, and on every processor.

BLAS does not promise that: its kernels round by the place of a column, in some processors by more than one bit. At the
sizes of small designs it is not faster either.
"""

import numpy as np
from numba import njit

BLOCK = 64  # columns worked on together

compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "nnan", "ninf"})


@compiled
def multiply(A, B, out):
    """out = A @ B, where B has BLOCK columns. Two rows and four terms at a time, so that sums stay in registers."""
    rows, terms = A.shape[0] - A.shape[0] % 2, A.shape[1] - A.shape[1] % 4
    out[:] = 0
    for i in range(0, rows, 2):
        for j in range(0, terms, 4):
            a0, a1, a2, a3 = A[i, j], A[i, j + 1], A[i, j + 2], A[i, j + 3]
            b0, b1, b2, b3 = A[i + 1, j], A[i + 1, j + 1], A[i + 1, j + 2], A[i + 1, j + 3]
            for c in range(BLOCK):
                x0, x1, x2, x3 = B[j, c], B[j + 1, c], B[j + 2, c], B[j + 3, c]
                out[i, c] = (((out[i, c] + a0 * x0) + a1 * x1) + a2 * x2) + a3 * x3
                out[i + 1, c] = (((out[i + 1, c] + b0 * x0) + b1 * x1) + b2 * x2) + b3 * x3
        for j in range(terms, A.shape[1]):
            a, b = A[i, j], A[i + 1, j]
            for c in range(BLOCK):
                out[i, c] += a * B[j, c]
                out[i + 1, c] += b * B[j, c]
    for i in range(rows, len(A)):
        for j in range(A.shape[1]):
            for c in range(BLOCK):
                out[i, c] += A[i, j] * B[j, c]


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
