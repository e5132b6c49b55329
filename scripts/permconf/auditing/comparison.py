"""What was done about the confounder, judged: the same audit after each of several adjustments."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from permconf import registry
from permconf.auditing.audit import audit
from permconf.auditing.leakage import floors, leaks
from permconf.auditing.words import described_adjustment
from permconf.engine.adjustment import make_adjustment
from permconf.errors import one_line
from permconf.keywords import helpful

COLUMNS = (
    *("observed", "observed_low", "observed_high", "reweighted", "reweighted_low", "reweighted_high"),
    *("response_p", "association_p", "prediction_p", "confounding_p", "sign"),
)


@helpful
def compare_adjustments(data: Any, *, adjustments: Any = None, **options: Any) -> pd.DataFrame:
    """One row for each adjustment: metric, tests, and number of rows used and dropped.

    `adjustments` is a list of names, mappings with name and options, or adjustment objects (default: every one,
    and none). `options` are those of `audit`, with the same seed for each. An adjustment that cannot be used
    with these data is a row with its `error`. `floor` is the metric that the adjustment gives to shuffled features,
    with its Monte Carlo error; `leaks` if it is above chance, so that the adjustment itself shows the learner the
    confounders (`permconf.auditing.leakage`).

    >>> from permconf import compare_adjustments, example
    >>> options = {"response": "ill", "confounders": "site", "permutations": 19}
    >>> found = compare_adjustments(example(), adjustments=["none", "matching"], **options)
    >>> list(found["adjustment"]), list(found["rows"])
    (['none', 'matching (sets = both)'], [200, 82])
    """
    if adjustments is None:
        adjustments = ["none", *(name for name in registry.names("adjustments") if name != "none")]
    several = isinstance(adjustments, Iterable) and not isinstance(adjustments, str | Mapping)
    if not several or not (listed := list(adjustments)):
        raise ValueError(f"adjustments must be a list such as ['none', 'matching'], not {adjustments!r}")
    if "adjustment" in options:
        raise ValueError("compare_adjustments takes adjustments, a list, instead of adjustment")
    if isinstance(options.get("cv"), Iterator):  # which can be read once
        options["cv"] = list(options["cv"])
    made = [make_adjustment(adjustment) for adjustment in listed]
    audit(data, **options | {"permutations": 2})  # what is wrong with the data or the options is no row
    chance = floors(data, options)
    return pd.DataFrame([_row(data, adjustment, options, chance) for adjustment in made])


def _row(data, adjustment, options, chance):
    row = {"adjustment": described_adjustment(adjustment)}
    try:
        answer = audit(data, adjustment=adjustment, **options)
        values = floors(data, options | {"adjustment": adjustment})
    except ValueError as error:
        nothing = dict.fromkeys((*COLUMNS, "floor", "floor_error"), np.nan) | {"sign": "unclear", "leaks": False}
        return row | {"rows": 0, "dropped": 0} | nothing | {"error": one_line(error)}
    numbers = answer.to_frame().iloc[0]
    counts = {name: answer.counts[name] for name in ("rows", "dropped")}
    floor = {"floor": values.mean(), "floor_error": values.std(ddof=1) / np.sqrt(values.size)}
    floor["leaks"] = leaks(values, chance, larger_is_better=answer.headline.larger_is_better)
    return row | counts | {name: numbers[name] for name in COLUMNS} | floor | {"error": ""}
