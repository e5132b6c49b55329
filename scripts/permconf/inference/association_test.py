"""Is a confounder associated with the response? A permutation test that does not involve the learner.

The response enters as an indicator for each class but the first, or by its ranks if it is numeric; a confounder by the
indicators of its levels or by its ranks. The rows of the confounders are permuted together, freely or within parts of
the data such as training and test set, which may differ in composition. For one confounder with levels and a response
with classes the linear statistic is Pearson's chi-squared statistic times (n - 1) / n; for a numeric confounder it is
that of Kruskal and Wallis (Wilcoxon for two classes), for two numeric variables Spearman's.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Sample, Subjects
from permconf.data.values import check_row_order, clean
from permconf.data.values import coded as coded_values
from permconf.inference.joint_test import JointResult, joint_test
from permconf.inference.ranks import coded, indicators, normalised_ranks
from permconf.inference.shapes import SHAPES, Shapes, curve
from permconf.keywords import helpful
from permconf.options import choice, whole_number
from permconf.permute.random_streams import Streams
from permconf.permute.units import association_units, check_level_numbers


class Rows(NamedTuple):
    """Response, confounders, subjects and parts of the rows of a test."""

    response: Response
    confounders: Confounders
    subjects: Subjects | None
    parts: Levels

    @classmethod
    def given(cls, y, confounders, groups, parts, treatment, *, positive=None, **scores) -> "Rows":
        """From what a user gave; rows must be in the same order, also those of `scores`."""
        check_row_order(**scores, y=y, confounders=confounders, groups=groups, parts=parts)
        response = Response.of(y, positive=positive).varying()
        n = len(response)
        levels = Levels.single(n) if parts is None else Levels.of(coded_values(clean(parts, "parts", rows=n))[1])
        return cls(response, Confounders.of(confounders, treatment, rows=n), Subjects.of(groups, rows=n), levels)

    @classmethod
    def of(cls, sample: Sample, parts: np.ndarray | None = None) -> "Rows":
        """The rows of a sample; None for one part."""
        levels = Levels.single(len(sample)) if parts is None else Levels.of(parts)
        return cls(sample.response, sample.confounders, sample.subjects, levels)


@dataclass(frozen=True, repr=False, eq=False)
class AssociationTest(JointResult):
    """Evidence that confounders are associated with the response (see `JointResult`).

    `units` says what was permuted: "rows" or "subjects".

    >>> from permconf import association_test, example
    >>> table = example()
    >>> association_test(table["ill"], table[["site", "age"]]).by_confounder["confounder"].tolist()
    ['site', 'age']
    """

    units: str


@helpful
def association_test(
    y: Any,
    confounders: Any,
    *,
    permutations: int = 9999,
    groups: Any = None,
    parts: Any = None,
    confounder: Any = "auto",
    shape: str = "any",
    seed: int = 0,
) -> AssociationTest:
    """Test whether confounders and response are associated; a joint p-value, and one for each confounder.

    `y` holds classes or numbers; `confounders` is a vector, an (m, k) array, a Series or a DataFrame; `confounder` says
    how they are analysed, `shape` which effects are looked for (as in `prediction_test`). `parts`, a label for each row
    such as "training" or "test", restricts permutations to rows of the same part. `groups`, the subject of each row,
    makes whole subjects exchange their values if response or confounders are constant within subjects, and restricts
    permutations to the rows of a subject if both vary.

    >>> from permconf import association_test, example
    >>> table = example()
    >>> association_test(table["ill"], table["site"]).p < 0.05
    True
    """
    rows = Rows.given(y, confounders, groups, parts, confounder)
    return association_test_of(rows, permutations=permutations, shape=shape, seed=seed)


def association_test_of(rows: Rows, *, permutations: int, shape: str = "any", seed: int) -> AssociationTest:
    """`association_test` of what has been checked."""
    permutations = whole_number(permutations, "permutations", least=1)
    response, columns, parts = rows.response.present(), rows.confounders.present().varying().columns, rows.parts
    groups = None if rows.subjects is None else rows.subjects.levels
    units = association_units(response.values, columns, groups, parts)
    check_level_numbers(columns, units, max(1, response.classes - 1))
    is_number = response.labels is None
    scores = normalised_ranks(response.values, parts)[:, None] if is_number else indicators(response.values)
    coded_columns = [units.coded(coded(column, parts)) for column in columns]
    keys = Streams(seed, "association_test").keys("confounder", permutations)
    shapes = None
    if choice(shape, "shape", SHAPES) == "any":
        shapes = Shapes(None, "", is_number, tuple(curve(one, parts, units) for one in columns))
    test = joint_test(units.means(scores), coded_columns, units.strata, keys, shapes=shapes)
    changeable = [units.changeable(one.columns) for one in coded_columns]
    return AssociationTest(**test.fields(columns, permutations, permutable=changeable), units=units.name)
