"""Pearson correlation of response and score."""

import numpy as np

from permconf.metrics import Metric

_LEAST, _MOST = 1e-120, 1e120  # sums of squares beyond which their product may not be a number


def correlation_values(Y, scores):
    """Correlation of every column."""
    Y = Y - Y.mean(axis=0)
    scores = scores - scores.mean(axis=0)
    with np.errstate(over="ignore"):
        squares = np.sum(Y**2, axis=0), np.sum(scores**2, axis=0)
    if not all(np.all((sums > _LEAST) & (sums < _MOST)) for sums in squares):
        Y, scores = _rescaled(Y), _rescaled(scores)
        squares = np.sum(Y**2, axis=0), np.sum(scores**2, axis=0)
    return np.sum(Y * scores, axis=0) / np.sqrt(squares[0] * squares[1])


def _rescaled(v):
    """Columns times powers of two, of which squares are ordinary numbers; a correlation does not change by a bit."""
    exponents = np.frexp(np.abs(v).max(axis=0, initial=0))[1]
    return v * np.ldexp(1.0, -np.clip(exponents, -1000, 1000))


def correlation_factors(y, scores):
    """Scores and response, centred and of length one: their inner product is the correlation."""
    return _standardised(scores), _standardised(y)


def _standardised(v):
    v = _rescaled(v - v.mean())
    return v / np.sqrt(np.sum(v**2))


def weighted_correlation(y, scores, weights):
    """Weighted correlation, for every column of weights."""
    _, _, covariance = weighted_moments(_rescaled(y), _rescaled(scores), weights)
    return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])


def weighted_moments(y, scores, weights):
    """Weighted means of response and scores, and their covariances (2, 2, b), with the sum of weights as divisor."""
    total = weights.sum(axis=0)
    centres = y.mean(), scores.mean()  # taken out first, against rounding
    centred = [v - centre for v, centre in zip((y, scores), centres, strict=True)]
    means = [v @ weights / total for v in centred]
    products = [
        [(u * v) @ weights / total - a * b for v, b in zip(centred, means, strict=True)]
        for u, a in zip(centred, means, strict=True)
    ]
    return centres[0] + means[0], centres[1] + means[1], np.array(products)


METRIC = Metric(
    correlation_values,
    task="regression",
    factors=correlation_factors,
    weighted=weighted_correlation,
    link="fisher",
    pooled="rows",
)
