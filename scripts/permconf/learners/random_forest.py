"""Random forests (Breiman 2001) for all permutations, with the features sorted once."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from permconf.engine.contracts import class_count
from permconf.learners._vectors import FEW, FLATTENED, LANES, UNROLLED
from permconf.learners.random_forest_kernel import forests
from permconf.options import whole_number

COUNTED = 96  # rows of the largest node whose rows are compared with each other
LISTED = 2_048  # more rows to score than this are listed, since most words of their bits would be 0 in most nodes
_STACK = 66  # a stack whose smaller child comes first has at most log2(n) + 2 entries, counted from 1


@dataclass(frozen=True)
class RandomForest:
    """Random forest of `trees` trees, each grown on a bootstrap sample and trying `features` random features per node.

    A node of at most `node_size` samples is not split. The defaults are those of R's randomForest: the square root of
    the number of features and node size 1 in classification, a third of it and node size 5 in regression. Each tree
    casts one vote as in R or, with `votes=False`, returns the class shares of its leaf as in scikit-learn.
    """

    trees: int = 500
    features: int | None = None
    node_size: int | None = None
    votes: bool = True

    score_kind = "probability_minus_half"

    def __post_init__(self):
        for name in ("trees", "features", "node_size"):
            number = getattr(self, name)
            if number is not None:
                whole_number(number, f"{name} of random_forest", least=1)

    def scores(self, X_train, Y_train, X_test, keys):
        """Share of votes for class 1 minus 1/2, or for every class if there are more than two; or predictions."""
        settings = self._settings(X_train, X_test, classes=class_count(Y_train))
        Y_train, keys = np.ascontiguousarray(Y_train), np.ascontiguousarray(keys, np.uint64)
        sums, means = forests(Y_train, keys, _features(X_train, X_test), settings, _scratch(settings))
        if settings.channels > 1:
            return np.moveaxis(sums, 2, 0) / self.trees
        return (sums[:, 0] / self.trees + (means[:, None] if settings.regression else -0.5)).T

    def _settings(self, X_train, X_test, *, classes):
        """Settings for the kernel; 0 classes means regression."""
        n, p = X_train.shape
        tried = self.features or (int(np.sqrt(p)) if classes else max(p // 3, 1))
        return Settings(
            n=n,
            p=p,
            test_n=X_test.shape[0],
            channels=classes if classes > 2 else 1,
            trees=self.trees,
            tried=min(tried, p),
            node_size=self.node_size or (1 if classes else 5),
            regression=not classes,
            votes=bool(classes and self.votes),
            short=max(6, int(2 * np.sqrt(n / 64))),
            counted=COUNTED if classes in (1, 2) and n < 2**15 else 0,
            low=2 ** n.bit_length() - 1,
            listed=len(X_test) > LISTED,
        )


class Settings(NamedTuple):
    """Sizes, and the options of the forest."""

    n: int
    p: int
    test_n: int
    channels: int
    trees: int
    tried: int
    node_size: int
    regression: bool
    votes: bool
    short: int  # nodes of at most this many distinct rows are sorted by insertion instead of in a bitmap,
    counted: int  # or not sorted at all
    low: int  # a power of two minus 1, at least n
    listed: bool  # whether the rows to score are a list


class Features(NamedTuple):
    """What all trees share, as flat arrays, feature by feature. Positions are numbered across features."""

    order: np.ndarray  # row at each position
    position: np.ndarray  # position of each row
    value: np.ndarray  # value at each position
    tied: np.ndarray  # whether a feature has equal values
    last: np.ndarray  # position of the last row with the same value, within the feature and in both halves
    test_value: np.ndarray  # values of the rows to score, in order and padded,
    test_rank: np.ndarray  # how many are smaller than that of each row, padded to whole words,
    test_up_to: np.ndarray  # and how many are at most the value at each position


class Scratch(NamedTuple):
    """Work space, reused by every tree. Entry 0 of the stack is the current node."""

    response: np.ndarray  # channel by channel
    weight: np.ndarray  # how often each row was drawn
    sums: np.ndarray  # weight times response
    bitmap: np.ndarray  # node's rows in the order of a feature,
    place: np.ndarray  # their positions,
    left_weight: np.ndarray  # cumulative weights
    left_sums: np.ndarray  # and sums, channel by channel
    others: np.ndarray  # d**2 summed over all channels but the first
    left: np.ndarray  # weight and sums left of the best cut
    shuffled: np.ndarray  # features,
    exchanged: np.ndarray  # and how to restore their order
    scores: np.ndarray  # sums over the trees (channels, rows to score)
    rows: np.ndarray  # rows, node by node
    test_rows: np.ndarray  # rows to score, node by node, if they are listed
    spans: np.ndarray  # stack: where the node is in both lists, the second not empty if rows to score reach it,
    totals: np.ndarray  # its weight and sums,
    keys: np.ndarray  # its key
    test_bits: np.ndarray  # and the set of these rows
    votes: np.ndarray  # sets of rows to score by the vote of the tree
    both: np.ndarray  # two classes: weight and sum of a row in 16 bits each
    packed: np.ndarray  # and in 8 bits each, in both halves,
    added: np.ndarray  # those of the node's rows,
    at: np.ndarray  # their places in the order of a feature
    counts: np.ndarray  # and the sums up to each


def _features(X_train, X_test):
    n, p = X_train.shape
    order = np.argsort(X_train, axis=0, kind="stable").T
    position = np.argsort(order, axis=1) + n * np.arange(p)[:, None]
    value = np.sort(X_train, axis=0).T
    last = rankdata(X_train, method="max", axis=0).T - 1
    test_n, test_value = len(X_test), np.sort(X_test, axis=0).T
    test_up_to = np.array([np.searchsorted(*pair, side="right") for pair in zip(test_value, value, strict=True)])
    test_rank = (rankdata(X_test, method="min", axis=0).T - 1).astype(np.int16 if test_n < 2**15 else np.int32)
    return Features(
        order=order.astype(np.uint32).ravel(),
        position=position.astype(np.uint32).ravel(),
        value=value.ravel(),
        tied=(np.diff(value, axis=1) == 0).any(axis=1),
        last=(last.astype(np.uint32) * np.uint32(0x10001)).ravel(),
        test_value=np.pad(test_value, ((0, 0), (0, FEW)), constant_values=np.inf).ravel(),
        test_rank=np.pad(test_rank, ((0, 0), (0, -test_n % 64))).ravel(),
        test_up_to=test_up_to.astype(np.uint32).ravel(),
    )


def _scratch(settings):
    n, p, channels = settings.n, settings.p, settings.channels
    response = np.float64 if settings.regression else np.int32
    words = 0 if settings.listed else (settings.test_n + 63) // 64
    return Scratch(
        response=np.empty(channels * n, response),
        weight=np.empty(n, np.int32),
        sums=np.empty(channels * n, response),
        bitmap=np.empty((n + 63) // 64, np.uint64),
        place=np.empty(n + FLATTENED, np.uint32),
        left_weight=np.empty(n, np.int32),
        left_sums=np.empty(channels * n, response),
        others=np.zeros(n),
        left=np.empty(channels + 1),
        shuffled=np.arange(p, dtype=np.uint32),
        exchanged=np.empty(p, np.uint32),
        scores=np.empty((channels, settings.test_n)),
        rows=np.zeros(n + UNROLLED, np.uint32),
        test_rows=np.empty(settings.test_n if settings.listed else 0, np.uint32),
        spans=np.empty((_STACK, 4), np.int64),
        totals=np.empty((_STACK, channels + 1)),
        keys=np.empty(_STACK, np.uint64),
        test_bits=np.empty((_STACK, words), np.uint64),
        votes=np.empty((channels, words), np.uint64),
        both=np.empty(n, np.uint32),
        packed=np.empty(n, np.uint32),
        added=np.empty(COUNTED + UNROLLED, np.uint32),
        at=np.empty((settings.tried, COUNTED + LANES), np.uint32),
        counts=np.empty((settings.tried, COUNTED + LANES), np.uint16),
    )


LEARNER = RandomForest
