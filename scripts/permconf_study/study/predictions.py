"""What the predictions of the test rows show: whether they carry the confounders, and the metric without confounding.

The confounders are those of the data set, as they come: numbers are not cut into bins, and several are tested one by
one (`permconf.prediction_test`, `permconf.reweighted_metric`). What the data do not define, such as a reweighted metric
where a cell of response and confounder has no rows, is missing, with the reason in a column of its own; it does not
make the data set fail.
"""

import numpy as np

from permconf.data.response import RESPONSE_GROUPS
from permconf.errors import one_line
from permconf.inference.links import Rows, links
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_predictions

TESTED = {"prediction_p": np.nan, "prediction_sign": "", "association_p": np.nan, "combined_p": np.nan}
REWEIGHTED = {"reweighted": np.nan, "reweighted_low": np.nan, "reweighted_high": np.nan}
UNDEFINED_COLUMNS = ("prediction_undefined", "reweighted_undefined")  # why a test or a reweighted metric is missing
UNDEFINED = TESTED | REWEIGHTED | dict.fromkeys(UNDEFINED_COLUMNS, "")


def prediction_results(evaluation, sample, *, permutations, bootstrap=0, bins=RESPONSE_GROUPS):
    """The columns of UNDEFINED for each metric, by name; the tests are the same for all of them.

    `sample` is the data set of the evaluation. `permutations` are those of each test, `bootstrap` the draws behind the
    interval of the reweighted metric, which is left out without any. `bins` are the groups of a numeric response.
    """
    used, (train, _) = sample.treated("smooth").take(evaluation.rows), evaluation.folds.folds[0]
    test, scores = used.take(evaluation.folds.folds[0].test), evaluation.scores[0]
    seed = int(evaluation.streams.keys("predictions", 1)[0])
    parts = (np.arange(len(used)) >= train.stop).astype(np.int64)
    options = {"permutations": permutations, "bins": bins, "shape": "linear", "seed": seed}
    tested = UNDEFINED | tests_of(Rows.of(used, parts), Rows.of(test), scores.values[:, 0], **options)
    return {
        name: tested | (reweighted_of(test, scores, metric, bootstrap, seed) if bootstrap else {})
        for name, metric in evaluation.metrics.items()
    }


def tests_of(everything, tested, scores, **options):
    """p-values of the prediction test, of the association of confounders and response, and of both links."""
    try:
        return columns_of(links(everything, tested, scores, **options))
    except ValueError as error:
        return {"prediction_undefined": one_line(error)}


def columns_of(found):
    """The columns of both links."""
    return {
        "prediction_p": found.prediction_p,
        "prediction_sign": found.sign,
        "association_p": found.association_p,
        "combined_p": found.confounding_p,
    }


def reweighted_of(test, scores, metric, bootstrap, seed):
    """The metric of the learner as trained where confounders and response are independent, with a 95 % interval."""
    rows = test.response, test.confounders, test.subjects
    options = {"bootstrap": bootstrap, "streams": Streams(seed, "reweighting")}
    try:
        found = reweighted_predictions(scores, metric, *rows, **options)
    except ValueError as error:
        return {"reweighted_undefined": one_line(error)}
    return {"reweighted": found.value, "reweighted_low": found.low, "reweighted_high": found.high}
