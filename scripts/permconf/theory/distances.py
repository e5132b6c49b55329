"""Centred distance matrices and their inner products, the parts of squared distance covariances (Theorem 2)."""

import numpy as np


def pairwise_distances(v):
    """|v_i - v_j| for all pairs."""
    return np.abs(np.subtract.outer(v, v))


def centred(D, estimator):
    """Doubly centred distance matrix ("V"), or its unbiased version with zero diagonal ("U")."""
    row_sums, (of_row, of_all) = D.sum(axis=1), _divisors(len(D), estimator)
    row, grand = row_sums / of_row, row_sums.sum() / of_all
    A = D - row
    A -= row[:, None] - grand
    if estimator == "U":
        np.fill_diagonal(A, 0)
    return A


def _divisors(n, estimator):
    """Of the sum of a row, and of the sum of all entries, in a centred matrix."""
    return (n, n**2) if estimator == "V" else (n - 2, (n - 1) * (n - 2))


def divisor(n, estimator):
    """Divisor of a statistic that is a sum over all pairs of rows."""
    return n * (n - 3) if estimator == "U" else n * n


def product(A, B, estimator):
    """Squared distance covariance as the scaled inner product of two centred matrices."""
    return np.vdot(A, B) / divisor(len(A), estimator)


def expected_product(A, B, levels, estimator):
    """Mean of sum_ij A_ij B_{pi(i) pi(j)} over permutations pi within levels, scaled as `product`.

    A random permutation maps a row of level l to each row of l, and an ordered pair of distinct rows of levels (l, m)
    to each such pair, with equal probability. Hence each diagonal entry of B is replaced by its mean over the level,
    each other entry by its mean over the distinct pairs of its two levels, and sums over (pairs of) levels suffice.
    """
    diagonal_a, diagonal_b = (levels.sums(np.diagonal(M)) for M in (A, B))
    pair_a = levels.pair_sums(A) - np.diag(diagonal_a)
    pair_b = levels.pair_sums(B) - np.diag(diagonal_b)
    n_pairs = np.outer(levels.counts, levels.counts) - np.diag(levels.counts)
    alone = n_pairs == 0  # a level of one row has no pair of distinct rows, and its sums are zero
    total = np.sum(diagonal_a * diagonal_b / levels.counts) + np.sum(pair_a * pair_b / (n_pairs + alone))
    return total / divisor(len(A), estimator)


def confounder_products(levels, x_sums, y_sums, coding, estimator):
    """Inner products of the centred distance matrix of the coded confounder with those of x and y, and with itself.

    That matrix is constant over each pair of levels (except for the zero diagonal of the U-statistics), so only the
    sums of the other matrices over pairs of levels are needed.
    """
    between = _between(levels, coding)
    n, counts = levels.codes.size, levels.counts
    row_sums = between @ counts
    of_row, of_all = _divisors(n, estimator)
    entries = between - (row_sums + row_sums[:, None]) / of_row + row_sums @ counts / of_all
    n_pairs = np.outer(counts, counts) - (np.diag(counts) if estimator == "U" else 0)
    products = (np.sum(entries * sums) for sums in (x_sums, y_sums, entries * n_pairs))
    return tuple(total / divisor(n, estimator) for total in products)


def _between(levels, coding):
    """Distances between the levels: of their numeric codes, or of their indicators."""
    if coding == "dummy":
        return np.sqrt(2) * ~np.eye(levels.counts.size, dtype=bool)
    return pairwise_distances(levels.values.astype(float))
