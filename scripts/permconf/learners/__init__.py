"""Learners: one file each. A learner maps `(X_train, Y_train[n, b], X_test, keys[b])` to scores[m, b], one column per
permuted response.

Y holds class codes 0, 1, ... (uint8) for classification and values (float64) for regression. With two classes a
positive score means class 1. With K > 2 classes scores are [m, b, K], and the class with the largest one is predicted
(predicted codes [m, b] are accepted too). In regression a score is the prediction. `keys` are 64-bit numbers, one per
column, and the only source of randomness of a learner. A file has the name of its learner and defines `LEARNER`, a
class with the method `scores(X_train, Y_train, X_test, keys)`; arguments of the class are options.

Attributes that a learner may have: `tasks`, a tuple with "classification" or "regression" if it is for one of them
only; `score_kind`, what its scores of two classes are: "log_odds", "probability", "probability_minus_half" or (default)
just a "value" (see `permconf.engine.scores`); with K > 2 classes, scores of any other kind than "value" are
probabilities; `takes_frames = True` to get a DataFrame as it is, with its column names, instead of a matrix;
`takes_missing = True` to get NaN; `encoding`, how columns of a DataFrame become numbers (`permconf.data.encoding`);
`weighted_scores(X_train, Y_train, weights[n, b], X_test, keys)`. It may return
`Scores(values, flagged, kind, probabilities)` instead of an array, to flag fits or to give probabilities of its own.

A learner whose scores do not depend on the response may also have `fixed_scores(X_test) -> scores[m]`. With a metric
that is linear in the response, its nulls then need no matrix of permuted responses.
"""

from permconf.engine.contracts import Learner, fitted_scores, make_learner
from permconf.engine.scores import Scores

__all__ = ["Learner", "Scores", "fitted_scores", "make_learner"]
