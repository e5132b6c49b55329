"""The estimators of a metric, by their column in the table of tests; the first truth is the one that each is for.

Truths are columns of `study.truth`; `independent` is `as_trained` in fewer rows. The interval of an estimator is in the
columns `<name>_low` and `<name>_high`, and `<name>_undefined` says why it is missing.
"""

from permconf.generators import make_generator

WORLD = "unconfounded"  # of a generator, in which truths are computed
COLUMNS = ("as_trained", "unconfounded", "retrained")  # of truths, unless a scenario names worlds
WORLDS = {  # column of truths: world of the training rows (None: the data set's own), world and random stream of others
    "independent": (None, WORLD, "arena/independent"),
    "reversed": (None, "reversed", "arena/reversed"),
    "ideal": ("unacting", "ideal", "arena/independent"),
}
ESTIMATORS = {
    "observed": ("as_trained", "independent"),
    "corrected": ("as_trained", "unconfounded"),
    "reweighted": ("as_trained", "independent"),
    "overlap": ("as_trained",),
    "retrained": ("unconfounded",),
}


def has_truth(scenario):
    """Whether the truth of a scenario's metrics can be known: its generator declares the world without confounding."""
    if scenario["table"] or scenario["split"]["name"] in ("population", "none"):
        return False
    return WORLD in make_generator(scenario["data"]["generator"]).worlds and truth_datasets(scenario) > 0


def truth_columns(scenario):
    """The columns of the truth of a scenario's metrics."""
    return tuple(scenario.get("truth", {}).get("worlds", COLUMNS))


def truth_datasets(scenario):
    """The number of data sets of a scenario whose truth is computed."""
    return min(scenario["datasets"], scenario.get("truth", {}).get("datasets", scenario["datasets"]))
