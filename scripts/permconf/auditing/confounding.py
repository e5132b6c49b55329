"""The tests of confounding of an audit: association, predictions, and both links together."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from permconf.method.association_test import association_test
from permconf.method.combined_test import combined
from permconf.method.prediction_test import prediction_test

PERMUTATIONS = 9999


@dataclass(frozen=True)
class Links:
    """p-values of the two links and of both together, with their Monte Carlo errors, and a table of confounders."""

    association_p: float
    association_error: float
    prediction_p: float
    prediction_error: float
    confounding_p: float
    confounding_error: float
    sign: str
    by_confounder: pd.DataFrame


def links(y, confounders, scores, test_y, test_confounders, *, groups=None, test_groups=None, seed=0):
    """Both tests: of association on all rows, of predictions on the test rows."""
    association = association_test(y, confounders, groups=groups, permutations=PERMUTATIONS, seed=seed)
    prediction = prediction_test(
        scores, test_y, test_confounders, groups=test_groups, permutations=PERMUTATIONS, seed=seed
    )
    both = combined(prediction, association)
    table = both.by_confounder.assign(kind=prediction.by_confounder["kind"].to_numpy())
    return Links(
        association.p,
        association.p_error,
        prediction.p,
        prediction.p_error,
        both.p,
        float(np.sqrt(both.p * (1 - both.p) / PERMUTATIONS)),
        prediction.sign,
        table,
    )
