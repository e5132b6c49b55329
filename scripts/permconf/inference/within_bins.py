"""Do bins hold a numeric confounder fast? The prediction test of what is left of it within its bins.

Permutations within bins preserve a confounder only up to what it varies within a bin. If predictions are associated
with it there, given the response, the bins leave confounding behind: the p-value of the response test is then too
small, and the corrected metric too large. The values of the confounder are permuted within the levels of the response
and the combinations of bins and levels of all confounders, while the scores stay (see `prediction_test`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.values import check_row_order
from permconf.inference.joint_test import JointResult, joint_test
from permconf.inference.prediction_test import score_matrix
from permconf.inference.ranks import normalised_ranks
from permconf.inference.tested_rows import ranked_scores
from permconf.keywords import helpful
from permconf.options import whole_number
from permconf.permute.random_streams import Streams
from permconf.permute.units import Coded, crossed

NOTED = 0.01  # p-value up to which a note is made


@dataclass(frozen=True, repr=False, eq=False)
class WithinBinsTest(JointResult):
    """Evidence that predictions are associated with confounders within their bins (see `JointResult`)."""

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each confounder with an adjusted p-value of at most 0.01."""
        found = self.by_confounder[self.by_confounder["p"] <= NOTED]
        return tuple(
            f"predictions are associated with {name!r} within its bins (p = {p:.2g}), so the bins leave confounding"
            " behind; use more bins, or 'smooth'"
            for name, p in zip(found["confounder"], found["p"], strict=True)
        )


@helpful
def within_bins_test(
    scores: Any, y: Any, confounders: Any, *, confounder: Any, permutations: int = 999, seed: int = 0
) -> WithinBinsTest:
    """Test whether predictions on a test set are associated with binned confounders within their bins, given y.

    Arguments are those of `prediction_test`; `confounder` gives the bins. Confounders that are not in bins are kept as
    they are: those with levels by permuting within them, and numeric ones are left out.

    >>> import numpy as np
    >>> from permconf import within_bins_test
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(50, 10, 300)
    >>> ill = (age + rng.normal(0, 10, 300) > 50).astype(int)
    >>> within_bins_test(age, ill, age, confounder={"quantiles": 2}).p < 0.05
    True
    """
    check_row_order(scores=scores, y=y, confounders=confounders)
    response = Response.of(y).varying()
    confounders = Confounders.of(confounders, confounder, rows=len(response))
    S = score_matrix(scores, response)
    return within_bins_test_of(S, response, confounders, Streams(seed, "within_bins_test"), permutations)


def within_bins_test_of(
    S: np.ndarray, response: Response, confounders: Confounders, streams: Streams, permutations: int = 999
) -> WithinBinsTest:
    """`within_bins_test` of what has been checked, with scores (m, q)."""
    permutations = whole_number(permutations, "permutations", least=1)
    binned = [column for column in confounders.columns if column.unbinned is not None]
    if not binned:
        raise ValueError("no confounder is in bins; give confounder, for example {'quantiles': 5}")
    strata = crossed(confounders.codes, response.levels().codes)
    keys = streams.keys("within bins", permutations)
    if strata.counts.max() < 2:
        raise ValueError("nothing can be permuted: no two rows share a bin and a level of y; use fewer bins")
    A = ranked_scores(S, response, strata, Levels.single(len(S)))
    columns = [Coded(normalised_ranks(column.unbinned, strata)[:, None]) for column in binned]
    return WithinBinsTest(**joint_test(A, columns, strata, keys).fields(binned, permutations))
