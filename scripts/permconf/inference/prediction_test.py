"""Do predictions carry more of a confounder C than the response Y explains? A test that needs no refits.

On a test set, C is permuted within the levels of Y while the scores of the learner stay. If the scores are independent
of C given Y, rows with the same Y are exchangeable and the p-value is exact, for every learner. A permutation costs a
few inner products. Within each level of Y the scores are ranked, and so is a numeric C; levels of C are indicators. For
a binary C and linear effects this is the test of van Elteren (1960). `permconf.inference.shapes` adds effects of other
shapes, `permconf.inference.joint_test` makes a joint test of several confounders.

A numeric Y is cut into groups of similar values. What scores and C both vary with Y within a group would look like an
association, so the trend of the scores in Y (a piecewise linear regression of ranks on ranks) is removed first, and the
number of groups and segments grows with the square root of the number of rows. The p-value is approximate: it is exact
only if C is independent of Y within the groups.

Dependence is not causation: C may be a cause of X, an effect, or share one with it. C *inflates* performance if it is
associated with the scores, given Y, in the direction in which it is associated with Y, and *masks* it otherwise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf.data.response import Response
from permconf.engine.scores import checked_scores
from permconf.inference.association_test import Rows
from permconf.inference.joint_test import JointResult, joint_test
from permconf.inference.ranks import coded
from permconf.inference.shapes import SHAPES
from permconf.inference.tested_rows import Direction, TestedRows
from permconf.keywords import helpful
from permconf.options import choice, whole_number
from permconf.permute.random_streams import Streams
from permconf.permute.units import check_level_numbers

ALTERNATIVES = ("two-sided", "inflates", "masks")


@dataclass(frozen=True, repr=False, eq=False)
class PredictionTest(JointResult):
    """Evidence that predictions are associated with confounders given the response (see `JointResult`).

    `sign` says whether the confounder with the smallest p-value "inflates" or "masks" performance ("unclear" if either
    association has |z| < 1.64, or the response has more than two classes). `levels` says within which levels of the
    response confounders were permuted, `units` what was permuted ("rows" or "subjects").

    >>> from permconf import example, prediction_test
    >>> table = example()
    >>> prediction_test(table["marker"], table["ill"], table["site"]).by_confounder[["confounder", "sign", "kind"]]
       confounder      sign    kind
    0       site  inflates  binary
    """

    sign: str
    alternative: str
    levels: str
    units: str

    _described = ("sign",)


@helpful
def prediction_test(
    scores: Any,
    y: Any,
    confounders: Any,
    *,
    permutations: int = 9999,
    groups: Any = None,
    parts: Any = None,
    alternative: str = "two-sided",
    confounder: Any = "auto",
    positive: Any = None,
    bins: int | None = None,
    shape: str = "any",
    seed: int = 0,
) -> PredictionTest:
    """Test whether the predictions on a test set are associated with confounders, given the response.

    `scores` (m,) or (m, K) are any predictions: probabilities, decision values, predicted numbers, a column per class.
    Of two classes larger scores stand for `positive` (by default as in `permconf.data.response`). `y` has
    the true classes, or numbers, which are cut into at most `bins` groups with at least five rows (by default
    2 sqrt(m), at least 20; 20 with `groups`). `confounders` is a vector, an (m, k) array, a Series or a DataFrame with
    labels, numbers or both; `confounder` says how they are analysed (see `permconf.data.confounders`): as they
    come ("auto"), as "levels", "smooth" or in bins.

    `groups` names the subject of each row, where subjects have several: confounders that are constant within subjects
    are permuted between subjects with the same shares of the levels of y, others among the rows of a subject with the
    same y. `parts`, a label for each row such as the fold whose model made its score, restricts ranks and permutations
    to rows of the same part: scores of different models are not comparable. `shape` says which effects are looked for:
    "any", curved, class-wise, on the spread or of two confounders together as well as linear, or "linear" ones
    only, for which power is larger by a few hundredths (see `permconf.inference.shapes`). `alternative` "inflates" or
    "masks" makes the test one-sided, for linear effects, two classes or a numeric y, and confounders that are binary or
    numeric.

    >>> from permconf import example, prediction_test
    >>> table = example()
    >>> test = prediction_test(table["marker"], table["ill"], table["site"])  # a marker as score
    >>> test.sign, test.p < 0.05
    ('inflates', True)
    """
    rows = Rows.given(y, confounders, groups, parts, confounder, positive=positive, scores=scores)
    options: Any = {"permutations": permutations, "alternative": alternative, "bins": bins}
    return prediction_test_of(score_matrix(scores, rows.response), rows, shape=shape, seed=seed, **options)


def prediction_test_of(
    S: np.ndarray,
    rows: Rows,
    *,
    permutations: int,
    alternative: str = "two-sided",
    bins: int | None = None,
    shape: str = "any",
    seed: int,
) -> PredictionTest:
    """`prediction_test` of what has been checked, with scores (m, q)."""
    permutations = whole_number(permutations, "permutations", least=1)
    choice(alternative, "alternative", ALTERNATIVES)
    any_shape = choice(shape, "shape", SHAPES) == "any" and alternative == "two-sided"
    tested, columns = TestedRows.of(S, rows, bins), rows.confounders.present().varying().columns
    units = tested.units(columns)
    check_level_numbers(columns, units, S.shape[1])
    A = units.means(tested.ranked)
    coded_columns = [units.coded(coded(column, tested.within)) for column in columns]
    directions = [Direction.of(column, tested, any_shape=any_shape) for column in columns]
    shapes = tested.shapes(columns, units) if any_shape else None
    test = joint_test(
        A,
        coded_columns,
        units.strata,
        Streams(seed, "prediction_test").keys("confounder", permutations),
        directions=_one_sided(alternative, directions, columns, rows.response, S),
        shapes=shapes,
    )
    curves = [one.columns for one in coded_columns] if shapes is None else [one.curved for one in shapes.curves]
    signs = [
        direction.sign(A[:, -1:], bent if direction.is_curved else one.columns, units)
        for direction, one, bent in zip(directions, coded_columns, curves, strict=True)
    ]
    changeable = [units.changeable(one.columns) for one in coded_columns]
    return PredictionTest(
        **test.fields(columns, permutations, sign=signs, permutable=changeable),
        sign=signs[test.leading],
        alternative=alternative,
        levels=f"{tested.levels.counts.size} "
        + ("classes" if rows.response.labels is not None else "groups of a numeric response (approximate)"),
        units=units.name,
    )


def score_matrix(scores: Any, response: Response) -> np.ndarray:
    """Scores as an (m, q) matrix without missing values; two columns for two classes become their difference."""
    S = checked_scores(scores, response.labels, len(response))
    if S.dtype.kind == "U":
        raise ValueError("scores must be numbers; for predicted labels give a 0/1 column for each class")
    S = S.astype(float).reshape(len(S), -1)
    if response.classes == 2 and S.shape[1] == 2:
        return S[:, 1:] - S[:, :1]
    return S


def _one_sided(alternative, directions, columns, response, S):
    """The sign that every z is multiplied by before large values count as evidence; None for a two-sided test."""
    if alternative == "two-sided":
        return None
    if not response.is_ordered or S.shape[1] > 1:
        raise ValueError(f"alternative {alternative!r} needs two classes or a numeric y, and one column of scores")
    for column in columns:
        if column.kind == "categorical":
            raise ValueError(
                f"alternative {alternative!r} needs binary or numeric confounders, but {column.name!r} has"
                f" {len(column.levels)} levels; use 'two-sided'"
            )
    return np.array([direction.weights[0] for direction in directions]) * (1 if alternative == "inflates" else -1)
