"""Random forests against a plain tree grown from the same random numbers, and against scikit-learn's forests.

`tests/reference/classification/forest_auc.csv` holds the AUCs of scikit-learn's forests of 500 trees on the reference
data sets, 50 permuted responses each; `python tests/learners/test_random_forest.py` rewrites it in five minutes.
"""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from permconf.learners import random_forest
from permconf.learners._vectors import EXACT
from permconf.learners.random_forest import RandomForest
from permconf.permute.random_bits import below, random_bits

FOLDER = Path(__file__).parents[1] / "reference" / "classification"
SETS = ["D01", "D03", "D05", "D07", "D11"]
VOTES = [  # rows, rows to score, digits of the features, weighted sums of votes
    (100, 100, 9, [89890, 113179]),
    (300, 300, 9, [939573, 983846]),
    (300, 70, 1, [44981, 53517]),
    (1500, 2100, 2, [42998413, 47448569]),
]


def _keys(b, seed=1):
    return np.random.default_rng(seed).integers(0, 2**64, b, dtype=np.uint64)


def _auc(scores, y):
    pairs = scores[y == 1][:, None] - scores[y == 0]
    return np.mean((pairs > 0) + 0.5 * (pairs == 0))


# A plain tree, by the definitions


def _bits(key, i):
    with np.errstate(over="ignore"):
        return np.uint64(random_bits.py_func(np.uint64(key), i))


def _draw(bits, bound):
    return int(below.py_func(bits, bound))


def _fractions(codes):
    """Exact numbers, so that the plain tree knows which gains are equal."""
    return np.vectorize(Fraction, otypes=[object])(codes.astype(int))


def _gain(y, left):
    """How much a division lowers the sum of squares about the mean, over the channels of y (rows, channels)."""

    def between(part):
        return sum(sum(channel) ** 2 / len(part) for channel in part.T)

    return between(y[left]) + between(y[~left])


def _plain_cut(key, X, y, tried):
    """Feature and threshold of the best cut, the first of equals."""
    features = list(range(X.shape[1]))
    best = None
    for k in range(X.shape[1]):
        if k >= tried and best:
            break
        j = k + _draw(_bits(key, k), X.shape[1] - k)
        features[k], features[j] = features[j], features[k]
        x = X[:, features[k]]
        values = np.unique(x)
        for lower, upper in pairwise(values):
            gain = _gain(y, x <= lower)
            if best is None or gain > best[0]:
                best = gain, features[k], (lower + upper) / 2
    return best and best[1:]


def _plain_leaves(key, X, y, X_test, tried, node_size):
    """Mean of the leaf of each row to score."""
    constant = (y == y[0]).all() and isinstance(y[0, 0], Fraction)
    cut = None if len(y) <= node_size or constant else _plain_cut(key, X, y, tried)
    if cut is None:
        return np.tile(y.sum(axis=0) / len(y), (len(X_test), 1))
    left, test_left = X[:, cut[0]] <= cut[1], X_test[:, cut[0]] <= cut[1]
    means = np.empty((len(X_test), y.shape[1]), y.dtype)
    for side, here, there in ((0, left, test_left), (1, ~left, ~test_left)):
        means[there] = _plain_leaves(_bits(key, X.shape[1] + side), X[here], y[here], X_test[there], tried, node_size)
    return means


def _plain_tree(key, X, y, X_test, tried, node_size):
    """The first tree of a forest: y is (rows, channels) of exact fractions, or of floats."""
    key = _bits(key, 0)
    draws = np.array([_bits(key, i) for i in range((len(X) + 1) // 2)])
    sample = np.stack([draws, draws << np.uint64(32)], axis=1).ravel()[: len(X)]
    rows = [_draw(bits, len(X)) for bits in sample]
    return _plain_leaves(_bits(key, len(X)), X[rows], y[rows], X_test, tried, node_size)


@pytest.fixture(params=["continuous", "tied", "few values", "many rows"])
def features(request, rng):
    """Features of training and test rows: distinct, rounded, one constant and two binary, and more than fit a word."""
    X = rng.standard_normal((280 if request.param == "many rows" else 90, 5))
    if request.param == "tied":
        X = X.round(1)
    if request.param == "few values":
        X[:, 0], X[:, 1:3] = 1.0, X[:, 1:3] > 0
    return np.ascontiguousarray(X[::2]), np.ascontiguousarray(X[1::2])


@pytest.mark.parametrize("node_size", [1, 6])
def test_binary_tree_is_the_plain_tree(features, node_size, rng):
    X, X_test = features
    Y = (X[:, :1] + rng.standard_normal((len(X), 4)) > 0.5).astype(np.uint8)
    forest = RandomForest(trees=1, node_size=node_size, votes=False)
    scores = forest.scores(X, Y, X_test, _keys(4))
    for k, key in enumerate(_keys(4)):
        y = _fractions(Y[:, [k]])
        plain = _plain_tree(key, X, y, X_test, tried=2, node_size=node_size)
        np.testing.assert_allclose(scores[:, k] + 0.5, plain[:, 0].astype(float), rtol=1e-12)


def test_tree_of_three_classes_is_the_plain_tree(features, rng):
    X, X_test = features
    Y = rng.integers(0, 3, (len(X), 4), np.uint8)
    scores = RandomForest(trees=1, votes=False).scores(X, Y, X_test, _keys(4))
    for k, key in enumerate(_keys(4)[:2]):
        y = _fractions(Y[:, [k]] == np.arange(3))
        plain = _plain_tree(key, X, y, X_test, tried=2, node_size=1)
        np.testing.assert_allclose(scores[:, k], plain.astype(float), atol=1e-12)


def test_regression_tree_is_the_plain_tree(features, rng):
    X, X_test = features
    Y = 100.0 + X[:, :1] + rng.standard_normal((len(X), 3))
    scores = RandomForest(trees=1).scores(X, Y, X_test, _keys(3))
    for k, key in enumerate(_keys(3)):
        plain = _plain_tree(key, X, Y[:, [k]] - Y[:, k].mean(), X_test, tried=1, node_size=5)
        np.testing.assert_allclose(scores[:, k] - Y[:, k].mean(), plain[:, 0], atol=1e-9)


def test_single_precision_tells_all_gains_of_small_nodes_apart():
    """Every possible cut of every node of two classes up to the weight for which the kernel relies on it.

    Numerators and denominators are exact in single precision, so that equal gains are equal after rounding too.
    """
    assert (EXACT // 2) ** 4 <= 2**24
    for weight in range(2, EXACT + 1):
        left = np.arange(1, weight)[:, None]
        for total in range(1, weight // 2 + 1):  # the other class has the same gains
            ones = np.arange(total + 1)
            possible = (ones <= left) & (total - ones <= weight - left)
            gains = np.unique(((weight * ones - total * left) ** 2 / (left * (weight - left)))[possible])
            assert len(np.unique(gains.astype(np.float32))) == len(gains)


# Properties


@pytest.mark.parametrize("kind", ["two classes", "three classes", "values"])
def test_scores_depend_on_nothing_but_column_and_key(kind, rng):
    X, X_test = rng.standard_normal((70, 4)), rng.standard_normal((50, 4))
    Y = rng.standard_normal((70, 6)) if kind == "values" else rng.integers(0, 2 + (kind[1] == "h"), (70, 6), np.uint8)
    forest, keys = RandomForest(trees=30), _keys(6)
    scores = forest.scores(X, Y, X_test, keys)
    np.testing.assert_array_equal(scores, forest.scores(X, Y, X_test, keys))
    np.testing.assert_array_equal(scores[:, ::-1], forest.scores(X, Y[:, ::-1], X_test, keys[::-1]))
    np.testing.assert_array_equal(scores[7:9], forest.scores(X, Y, X_test[7:9], keys))
    for k in range(6):
        np.testing.assert_array_equal(scores[:, [k]], forest.scores(X, Y[:, [k]], X_test, keys[[k]]))
    assert not np.array_equal(scores, forest.scores(X, Y, X_test, keys + np.uint64(1)))


@pytest.mark.parametrize("votes", [True, False])
@pytest.mark.parametrize("kind", ["two classes", "three classes", "values"])
def test_rows_to_score_may_be_bits_or_a_list(kind, votes, rng, monkeypatch):
    X, X_test = rng.standard_normal((200, 4)).round(1), rng.standard_normal((130, 4)).round(1)
    Y = rng.standard_normal((200, 3)) if kind == "values" else rng.integers(0, 2 + (kind[1] == "h"), (200, 3), np.uint8)
    forest, keys = RandomForest(trees=20, votes=votes), _keys(3)
    assert len(X_test) <= random_forest.LISTED
    scores = forest.scores(X, Y, X_test, keys)
    monkeypatch.setattr(random_forest, "LISTED", 0)
    np.testing.assert_array_equal(scores, forest.scores(X, Y, X_test, keys))


@pytest.mark.parametrize(("n", "test_n", "digits", "votes"), VOTES)
def test_votes_are_those_of_the_published_tables(n, test_n, digits, votes):
    """A change of the kernel must not change a vote: sums over the rows to score, weighted by their number."""
    rng = np.random.default_rng(n)
    X, Y = rng.standard_normal((n + test_n, 10)).round(digits), rng.integers(0, 2, (n, 2), np.uint8)
    scores = RandomForest(trees=40).scores(X[:n], Y, X[n:], _keys(2))
    assert (np.rint(40 * (scores + 0.5)).T @ np.arange(1, test_n + 1)).tolist() == votes


@pytest.mark.parametrize("votes", [True, False])
def test_training_rows_are_separated(votes, rng):
    """Trees grown to purity give a row that they have seen its own label."""
    X, Y = rng.standard_normal((150, 4)), rng.integers(0, 2, (150, 8), np.uint8)
    scores = RandomForest(trees=200, votes=votes).scores(X, Y, X, _keys(8))
    np.testing.assert_array_equal(scores > 0, Y == 1)


def test_tied_votes_fall_to_either_class():
    """Half of the trees that see as many of one class as of the other vote for each."""
    X, Y = np.zeros((2, 1)), np.array([[0], [1]], np.uint8)
    score = RandomForest(trees=4000).scores(X, Y, X[:1], _keys(1))[0, 0]
    assert abs(score) < 4 * 0.5 / np.sqrt(4000)


def test_other_features_are_drawn_when_those_drawn_are_constant(rng):
    X = np.zeros((40, 30))
    X[:, 17] = np.arange(40)
    Y = rng.integers(0, 2, (40, 3), np.uint8)
    scores = RandomForest(trees=200, features=1).scores(X, Y, X, _keys(3))
    np.testing.assert_array_equal(scores > 0, Y == 1)


def test_threshold_is_below_the_upper_of_two_neighbouring_numbers():
    """Halfway between 1 and the next number is one of them."""
    X = np.array([[1.0], [np.nextafter(1, 2)]] * 20)
    Y = np.array([[0], [1]] * 20, np.uint8)
    scores = RandomForest(trees=50).scores(X, Y, X[:2], _keys(1))
    np.testing.assert_array_equal(scores[:, 0], [-0.5, 0.5])


def test_codes_of_another_type_are_refused(rng):
    X = rng.standard_normal((10, 2))
    with pytest.raises(ValueError, match=r"class codes \(uint8\) or values \(float64\), not int64"):
        RandomForest().scores(X, np.zeros((10, 1), np.int64), X, _keys(1))


# Agreement with scikit-learn


def _scikit_learn_scores(X, y, X_test, seed, trees=500):
    """Share of the trees that vote for class 1, and mean share of class 1 in their leaves."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(trees, random_state=seed).fit(X, y)
    single = np.ascontiguousarray(X_test, np.float32)
    shares = np.array([tree.tree_.predict(single)[:, 1] for tree in forest.estimators_])
    return (shares > 0.5).mean(axis=0), shares.mean(axis=0)


def _reference_set(name):
    table, labels = pd.read_csv(FOLDER / f"{name}.csv"), pd.read_csv(FOLDER / f"{name}_labels.csv")
    X, Y = table.filter(regex=r"^f\d+$").to_numpy(), labels.to_numpy(np.uint8)
    train = (table["split"] == "train").to_numpy()
    return X[train], Y[train], X[~train], Y[~train]


def write_scikit_learn_aucs():
    """Write `forest_auc.csv`."""
    records = []
    for name in SETS:
        X, Y, X_test, Y_test = _reference_set(name)
        for k in range(Y.shape[1]):
            votes, shares = _scikit_learn_scores(X, Y[:, k], X_test, seed=k)
            records.append((name, k, _auc(votes, Y_test[:, k]), _auc(shares, Y_test[:, k])))
    table = pd.DataFrame(records, columns=["dataset", "column", "votes", "shares"])
    table.to_csv(FOLDER / "forest_auc.csv", index=False, float_format="%.6f")


@pytest.mark.parametrize("votes", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [SETS[0], *(pytest.param(name, marks=pytest.mark.slow) for name in SETS[1:])])
def test_aucs_agree_with_scikit_learn(name, votes):
    """Permutation by permutation, up to the randomness of scikit-learn's forest; and mean and sd of the null.

    The noise of 500 trees alone keeps single forests near a correlation of 0.95: on D03 two of scikit-learn's had
    0.960, pairs of ours 0.934 to 0.977, and the first of ours used here has 0.944 with scikit-learn's. Hence the
    correlation is that of the mean AUC of eight of our forests; the mean difference is tested for both, the sd for
    the first.
    """
    X, Y, X_test, Y_test = _reference_set(name)
    expected = (
        pd.read_csv(FOLDER / "forest_auc.csv").query("dataset == @name")["votes" if votes else "shares"].to_numpy()
    )
    scores = RandomForest(votes=votes).scores(X, np.tile(Y, 8), X_test, _keys(400))
    found = np.array([_auc(scores[:, k], Y_test[:, k % 50]) for k in range(400)]).reshape(8, 50)
    for aucs in (found[0], found.mean(axis=0)):
        difference = aucs - expected
        assert abs(difference.mean()) < 3 * difference.std(ddof=1) / np.sqrt(50)
    assert np.corrcoef(found.mean(axis=0), expected)[0, 1] > 0.95
    # two correlated samples have the same variance if their sum and their difference are uncorrelated
    assert abs(np.corrcoef(found[0] + expected, found[0] - expected)[0, 1]) < 3 / np.sqrt(50)


@pytest.mark.slow
def test_scores_agree_with_scikit_learn_row_by_row():
    """Mean and sd of single rows' scores over many small forests, grown here and now on the same labels."""
    trees = 25
    X, Y, X_test, _ = _reference_set("D07")
    rows = slice(0, 40)
    ours = RandomForest(trees=trees).scores(X, np.repeat(Y[:, :1], 400, axis=1), X_test[rows], _keys(400)) + 0.5
    theirs = np.array([_scikit_learn_scores(X, Y[:, 0], X_test[rows], seed, trees)[0] for seed in range(100)]).T
    error = np.sqrt(ours.var(axis=1) / 400 + theirs.var(axis=1) / 100)
    z = (ours.mean(axis=1) - theirs.mean(axis=1)) / error
    assert np.abs(z).max() < 4
    assert abs(np.mean(z**2) - 1) < 4 * np.sqrt(2 / 40)
    assert abs(np.mean(ours.std(axis=1) / theirs.std(axis=1)) - 1) < 0.05


if __name__ == "__main__":
    write_scikit_learn_aucs()
