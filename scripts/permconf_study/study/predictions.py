"""What the predictions of the test rows show: whether they carry the confounders, and the metric without confounding.

The confounders are those of the data set, as they come: numbers are not cut into bins, and several are tested one by
one (`permconf.prediction_test`, `permconf.reweighted_metric`). What the data do not define, such as a reweighted metric
where a cell of response and confounder has no rows, is missing; it does not make the data set fail.
"""

import numpy as np

from permconf.data.confounders import joined
from permconf.data.response import RESPONSE_GROUPS
from permconf.engine.nulls import observed_scores
from permconf.inference.association_test import association_test
from permconf.inference.combined import combined
from permconf.inference.prediction_test import prediction_test
from permconf.reweight.metric import reweighted_metric

TESTED = {"prediction_p": np.nan, "prediction_sign": "", "association_p": np.nan, "combined_p": np.nan}
REWEIGHTED = {"reweighted": np.nan, "reweighted_low": np.nan, "reweighted_high": np.nan}
UNDEFINED = TESTED | REWEIGHTED


def prediction_results(split, learner, metrics, streams, *, permutations, bootstrap=0, bins=RESPONSE_GROUPS):
    """The columns of UNDEFINED for each metric, by name; the tests are the same for all of them.

    `permutations` are those of each test, `bootstrap` the draws behind the interval of the reweighted metric, which is
    left out without any. `bins` are the groups of a numeric response.
    """
    scores = observed_scores(split, learner, streams)
    seed = int(streams.keys("predictions", 1)[0])
    tested = TESTED | links(split, scores.values[:, 0], permutations=permutations, bins=bins, seed=seed)
    return {
        name: tested | REWEIGHTED | reweighted(split, scores, metric, bootstrap=bootstrap, seed=seed)
        for name, metric in metrics.items()
    }


def links(split, scores, *, permutations, bins, seed):
    """p-values of the prediction test, of the association of confounders and response, and of both links."""
    sets = split.y_train, split.y_test
    parts = np.repeat([0, 1], [len(y) for y in sets])
    confounders = joined(split.confounders_train, split.confounders_test)
    groups = np.concatenate([split.groups_train, split.groups_test]) if split.has_groups else None
    options = {"permutations": permutations, "seed": seed}
    of_test_rows = {"groups": split.groups_test, "bins": bins}
    try:
        association = association_test(np.concatenate(sets), confounders, parts=parts, groups=groups, **options)
        prediction = prediction_test(scores, split.y_test, split.confounders_test, **of_test_rows, **options)
    except ValueError:
        return {}
    return {
        "prediction_p": prediction.p,
        "prediction_sign": prediction.sign,
        "association_p": association.p,
        "combined_p": combined(prediction, association).p,
    }


def reweighted(split, scores, metric, *, bootstrap, seed):
    """The metric of the learner as trained where confounders and response are independent, with a 95 % interval."""
    if not bootstrap:
        return {}
    options = {"metric": metric, "bootstrap": bootstrap, "groups": split.groups_test, "seed": seed}
    try:
        found = reweighted_metric(split.y_test, scores, split.confounders_test, **options)
    except ValueError:
        return {}
    return {"reweighted": found.value, "reweighted_low": found.low, "reweighted_high": found.high}
