"""The estimators of a metric, by their column in the table of tests; the first truth is the one that each is for.

Truths are columns of `study.truth`. The interval of an estimator is in the columns `<name>_low` and `<name>_high`, and
`<name>_undefined` says why it is missing.
"""

ESTIMATORS = {
    "observed": ("as_trained",),
    "corrected": ("as_trained", "unconfounded"),
    "reweighted": ("as_trained",),
    "overlap": ("as_trained",),
    "retrained": ("unconfounded",),
}
