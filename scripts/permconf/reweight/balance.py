"""Weights that balance: moved as little as needed so that classes are alike in an index of the confounders.

Inverse probabilities leave classes different where the model is rough, a tail thin or a weight truncated, and the
metric of scores that read the confounders shows it: an AUC of .55 instead of .50. Multiplied by exp(l'z), with l such
that the weighted means of features z of the index are those of all rows, weights balance wherever rows of both classes
can (exponential tilting, or entropy balancing: Hainmueller 2012), as closely as so many rows allow: an exact balance of
30 cases lies on two or three of them. What remains is the check: `index_auc`.
"""

from collections.abc import Sequence

import numpy as np

from permconf.engine.contracts import make_metric

STEPS = 8  # of Newton's method, from nothing
LATER = 3  # from the solution of all rows to that of a bootstrap sample
REACH = 6.0  # largest |l'z|
_RIDGE = 2e-3  # of the variances of features that are at most 1/12
_SOFT = 0.1  # prior precision of l, with rows as observations
_LONGEST = 2.0  # step


def rank_features(index: np.ndarray) -> np.ndarray:
    """Ranks (m, k) of indices (m, k), from -1/2 to 1/2."""
    from scipy.stats import rankdata  # takes a third of a second

    return rankdata(index, axis=0) / len(index) - 0.5


def tilted(
    base: np.ndarray, features: np.ndarray, target: np.ndarray, start: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weights (r, b), `base` times exp(l'z), whose means of `features` z (r, q) come near `target` (q, b), and l.

    They sum to what `base` sums to. Samples without rows have no weights (NaN).
    """
    q, slopes = features.shape[1], np.broadcast_to(start, (features.shape[1], base.shape[1]))
    products = (features[:, :, None] * features[:, None, :]).reshape(len(features), q * q)
    soft = _SOFT / len(features)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(steps):
            weights, total = _tilt(base, features, slopes)
            mean = features.T @ weights / total
            second = (products.T @ weights / total).T.reshape(-1, q, q)
            spread = second - mean.T[:, :, None] * mean.T[:, None, :] + (_RIDGE + soft) * np.eye(q)
            step = np.linalg.solve(spread, (target - mean - soft * slopes).T[:, :, None])[:, :, 0].T
            slopes = slopes + np.clip(step, -_LONGEST, _LONGEST)
        weights, total = _tilt(base, features, slopes)
        return weights * (base.sum(axis=0) / total), slopes


def _tilt(base, features, slopes):
    weights = base * np.exp(np.clip(features @ slopes, -REACH, REACH))
    return weights, weights.sum(axis=0)


def index_auc(codes: np.ndarray, indices: Sequence[np.ndarray], weights: np.ndarray) -> float:
    """AUC that the index of a class keeps in weighted rows, for the class where it is farthest from 1/2.

    `indices` has the index of each class but the first, or of one class of two.
    """
    auc = make_metric("auc").weighted
    assert auc is not None
    kept = [auc((codes == k).astype(np.uint8), index, weights[:, None])[0] for k, index in enumerate(indices, start=1)]
    return float(max(kept, key=lambda value: abs(value - 0.5)))
