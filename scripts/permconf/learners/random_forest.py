"""Random forests (Breiman 2001) for all permutations, with the features sorted once."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from permconf.engine.contracts import class_count
from permconf.learners._vectors import FEW, FLATTENED, LANES, UNROLLED
from permconf.learners.random_forest_kernel import forests
from permconf.options import whole_number

COUNTED = 96  # rows of the largest node whose rows are compared with each other
LISTED = 2_048  # more rows to score than this are listed, since most words of their bits would be 0 in most nodes
Settings = namedtuple("Settings", "n p test_n channels trees tried node_size regression votes short counted low listed")
Features = namedtuple("Features", "order position value tied last test_value test_rank test_up_to")
Scratch = namedtuple(
    "Scratch",
    "response weight sums bitmap place left_weight left_sums others left shuffled exchanged scores rows test_rows "
    "spans totals keys test_bits votes both packed added at counts",
)
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
            short=max(
                6, int(2 * np.sqrt(n / 64))
            ),  # distinct rows of a node that are sorted by insertion, not in a bitmap,
            counted=COUNTED if classes in (1, 2) and n < 2**15 else 0,  # or not sorted at all
            low=2 ** n.bit_length() - 1,  # a power of two minus 1, at least n
            listed=len(X_test) > LISTED,  # whether the rows to score are a list
        )


def _features(X_train, X_test):
    n, p = X_train.shape
    order = np.argsort(X_train, axis=0, kind="stable").T
    position = np.argsort(order, axis=1) + n * np.arange(p)[:, None]
    value = np.sort(X_train, axis=0).T
    last = rankdata(X_train, method="max", axis=0).T - 1
    test_n, test_value = len(X_test), np.sort(X_test, axis=0).T
    test_up_to = np.array([np.searchsorted(*pair, side="right") for pair in zip(test_value, value, strict=True)])
    test_rank = (rankdata(X_test, method="min", axis=0).T - 1).astype(np.int16 if test_n < 2**15 else np.int32)
    return Features(  # what all trees share, as flat arrays, feature by feature; positions are numbered across features
        order=order.astype(np.uint32).ravel(),  # row at each position
        position=position.astype(np.uint32).ravel(),  # position of each row
        value=value.ravel(),  # value at each position
        tied=(np.diff(value, axis=1) == 0).any(axis=1),  # whether a feature has equal values
        # position of the last row with the same value, within the feature and in both halves
        last=(last.astype(np.uint32) * np.uint32(0x10001)).ravel(),
        # values of the rows to score, in order and padded,
        test_value=np.pad(test_value, ((0, 0), (0, FEW)), constant_values=np.inf).ravel(),
        test_rank=np.pad(test_rank, ((0, 0), (0, -test_n % 64))).ravel(),  # how many are smaller, in whole words,
        test_up_to=test_up_to.astype(np.uint32).ravel(),  # and how many are at most the value at each position
    )


def _scratch(settings):
    n, p, channels = settings.n, settings.p, settings.channels
    response = np.float64 if settings.regression else np.int32
    words = 0 if settings.listed else (settings.test_n + 63) // 64
    return Scratch(  # work space, reused by every tree; entry 0 of the stack is the current node
        response=np.empty(channels * n, response),  # channel by channel
        weight=np.empty(n, np.int32),  # how often each row was drawn
        sums=np.empty(channels * n, response),  # weight times response
        bitmap=np.empty((n + 63) // 64, np.uint64),  # node's rows in the order of a feature,
        place=np.empty(n + FLATTENED, np.uint32),  # their positions,
        left_weight=np.empty(n, np.int32),  # cumulative weights
        left_sums=np.empty(channels * n, response),  # and sums, channel by channel
        others=np.zeros(n),  # d**2 summed over all channels but the first
        left=np.empty(channels + 1),  # weight and sums left of the best cut
        shuffled=np.arange(p, dtype=np.uint32),  # features,
        exchanged=np.empty(p, np.uint32),  # and how to restore their order
        scores=np.empty((channels, settings.test_n)),  # sums over the trees (channels, rows to score)
        rows=np.zeros(n + UNROLLED, np.uint32),  # rows, node by node
        test_rows=np.empty(settings.test_n if settings.listed else 0, np.uint32),  # rows to score, if they are listed
        # stack: where the node is in both lists, the second not empty if rows to score reach it,
        spans=np.empty((_STACK, 4), np.int64),
        totals=np.empty((_STACK, channels + 1)),  # its weight and sums,
        keys=np.empty(_STACK, np.uint64),  # its key
        test_bits=np.empty((_STACK, words), np.uint64),  # and the set of these rows
        votes=np.empty((channels, words), np.uint64),  # sets of rows to score by the vote of the tree
        both=np.empty(n, np.uint32),  # two classes: weight and sum of a row in 16 bits each
        packed=np.empty(n, np.uint32),  # and in 8 bits each, in both halves,
        added=np.empty(COUNTED + UNROLLED, np.uint32),  # those of the node's rows,
        at=np.empty((settings.tried, COUNTED + LANES), np.uint32),  # their places in the order of a feature
        counts=np.empty((settings.tried, COUNTED + LANES), np.uint16),  # and the sums up to each
    )


LEARNER = RandomForest
