"""Learners: one file each. A learner maps `(X_train, Y_train[n, b], X_test, keys[b])` to scores[m, b], one column per
permuted response.

Y holds class codes 0, 1, ... (uint8) for classification and values (float64) for regression. With two classes a
positive score means class 1; with more, a score is the predicted code; in regression it is the prediction. `keys` are
64-bit numbers, one per column, and the only source of randomness of a learner.

A learner whose scores do not depend on the response may also have `fixed_scores(X_test) -> scores[m]`. With a metric
that is linear in the response, its nulls then need no matrix of permuted responses.
"""

from permconf.method.contracts import Learner, Scores, make_learner

__all__ = ["Learner", "Scores", "make_learner"]
