"""What the predictions of the test rows show: whether they carry the confounders, and the metric without confounding.

The confounders are those of the data set, as they come: numbers are not cut into bins, and several are tested one by
one (`permconf.prediction_test`, `permconf.reweighted_metric`); `grouped_p` is that of the prediction test with numeric
ones in groups, which sees any shape of effect. Confounders and response are associated or not in all rows, whichever an
adjustment selects. What the data do not define, such as a reweighted metric
where a cell of response and confounder has no rows, is missing, with the reason in a column of its own; it does not
make the data set fail.
"""

import numpy as np

from permconf.data.response import RESPONSE_GROUPS
from permconf.errors import one_line
from permconf.inference.links import Rows, links
from permconf.inference.prediction_test import prediction_test_of
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_predictions

TESTED = {"prediction_p": np.nan, "prediction_sign": "", "association_p": np.nan, "combined_p": np.nan}
REWEIGHTED = {"reweighted": np.nan, "reweighted_low": np.nan, "reweighted_high": np.nan}
UNDEFINED_COLUMNS = ("prediction_undefined", "reweighted_undefined")  # why a test or a reweighted metric is missing
UNDEFINED = TESTED | REWEIGHTED | dict.fromkeys(UNDEFINED_COLUMNS, "")


def undefined(groups=None, **_):
    """The columns of a data set without any of the results."""
    return UNDEFINED | ({} if groups is None else {"grouped_p": np.nan})


def prediction_results(evaluation, sample, rows, *, permutations, bootstrap=0, bins=RESPONSE_GROUPS, groups=None):
    """The columns of `undefined` for each metric, by name; the tests are the same for all of them.

    `sample` is the data set of the evaluation, `rows` are its training and test rows. `permutations` are those of each
    test, `bootstrap` the draws behind the interval of the reweighted metric, which is left out without any. `bins` are
    the groups of a numeric response, `groups` those of a numeric confounder.
    """
    smooth, tested_rows = sample.treated("smooth"), evaluation.rows[evaluation.folds.folds[0].test]
    test, scores = smooth.take(tested_rows), evaluation.scores[0]
    seed = int(evaluation.streams.keys("predictions", 1)[0])
    everything = Rows.of(smooth.take(np.concatenate(rows)), np.repeat([0, 1], [len(part) for part in rows]))
    options = {"permutations": permutations, "bins": bins, "shape": "linear", "seed": seed}
    tested = undefined(groups) | tests_of(everything, Rows.of(test), scores.values[:, 0], **options)
    if groups is not None:
        tested["grouped_p"] = tested["prediction_p"]
        if not smooth.confounders.has_levels:
            tested |= grouped_of(smooth, tested_rows, scores.values, groups, **options)
    return {
        name: tested | (reweighted_of(test, scores, metric, bootstrap, seed) if bootstrap else {})
        for name, metric in evaluation.metrics.items()
    }


def in_groups(confounders, groups):
    """How confounders are analysed: numeric ones in this many quantile groups."""
    return [{"quantiles": groups} if one.levels is None else one.treatment for one in confounders.columns]


def tests_of(everything, tested, scores, **options):
    """p-values of the prediction test, of the association of confounders and response, and of both links."""
    try:
        return columns_of(links(everything, tested, scores, **options))
    except ValueError as error:
        return {"prediction_undefined": one_line(error)}


def grouped_of(smooth, tested_rows, scores, groups, **options):
    """p-value of the prediction test with numeric confounders in groups."""
    try:
        grouped = Rows.of(smooth.treated(in_groups(smooth.confounders, groups)).take(tested_rows))
        return {"grouped_p": prediction_test_of(scores, grouped, **options).p}
    except ValueError as error:
        return {"grouped_p": np.nan, "prediction_undefined": one_line(error)}


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
