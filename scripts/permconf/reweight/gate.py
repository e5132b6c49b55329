"""When weights do not carry a value."""

import numpy as np

from permconf.reweight.bootstrap import Limits
from permconf.wording import count

BALANCE_LIMIT = 0.05  # how far the AUC of the confounders' index may be from 1/2 in weighted rows
OVERLAP_LIMIT = 0.1  # the same with overlap weights, which are exact unless confounders separate the classes
MOST_SPREAD = 3.0  # standard deviation of bootstrap samples over what their quartiles suggest
FEWEST_UNITS, MOST_NEEDED = 3, 100  # effective number of rows (or subjects) of a class: always, and at most
LEAST_SHARE, BEYOND = 0.3, 25  # share of rows beyond so many: where weights are worth less, classes do not overlap

MOST_EXPLAINED = 0.3  # share of the variance of a numeric response


def reason_against(
    limits: Limits,
    balance: float = 0.5,
    explained: float = 0.0,
    limit: float = BALANCE_LIMIT,
    share: float = LEAST_SHARE,
) -> str:
    """Why weights with this balance and these limits carry no value; "" if they do."""
    if explained > MOST_EXPLAINED:
        return f"the confounders explain {explained:.0%} of the variance of the response, too much to weigh rows by"
    if not abs(balance - 0.5) <= limit:
        return (
            "cases and controls differ too much in the confounders: with weights, confounders alone still have an AUC"
            f" of {max(balance, 1 - balance):.2f} instead of 0.50"
        )
    size = limits.freedom + 1
    if size < np.clip(share * (limits.units - BEYOND), FEWEST_UNITS, MOST_NEEDED):
        return f"the weight of a class lies on too few rows: it is worth {count(max(round(size), 1), 'row')}"
    return ""


def is_unstable(draws: np.ndarray) -> bool:
    """Whether bootstrap samples have no standard deviation to speak of: some are far beyond all others."""
    draws = draws[np.isfinite(draws)]
    if draws.size < 2:
        return False
    low, high = np.quantile(draws, [0.25, 0.75])
    return bool(high > low and np.std(draws) > MOST_SPREAD * (high - low) / 1.349)
