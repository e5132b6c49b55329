"""Any scikit-learn compatible estimator: the fallback, with one fit per permutation."""

import importlib

import numpy as np

from permconf.errors import one_line


class Estimator:
    """Wraps an estimator, given as an object or as a dotted name such as `sklearn.svm.SVC` with arguments."""

    def __init__(self, estimator, **arguments):
        self.estimator = _from_dotted_name(estimator, arguments) if isinstance(estimator, str) else estimator

    def scores(self, X_train, Y_train, X_test, keys):
        """Decision values (or probabilities minus 1/2) of class 1; class codes with more classes; predictions."""
        columns = [self._column(X_train, Y_train[:, k], X_test, key) for k, key in enumerate(keys)]
        return np.stack(columns, axis=1) if columns else np.empty((X_test.shape[0], 0))

    def weighted_scores(self, X_train, Y_train, weights, X_test, keys):
        """As `scores`, with a weight (n, b) for every training row and response."""
        columns = zip(Y_train.T, keys, weights.T, strict=True)
        return np.stack([self._column(X_train, y, X_test, key, sample_weight=w) for y, key, w in columns], axis=1)

    @property
    def takes_weights(self):
        """Whether the estimator's `fit` accepts sample_weight."""
        from sklearn.utils.validation import has_fit_parameter

        return has_fit_parameter(self.estimator, "sample_weight")

    def _column(self, X_train, y, X_test, key, **weights):
        from sklearn.base import clone

        model = clone(self.estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(key & np.uint64(0x7FFFFFFF)))
        model.fit(X_train, y, **weights)
        classes = getattr(model, "classes_", None)
        if classes is None or len(classes) != 2:
            return model.predict(X_test).astype(np.float64)
        if hasattr(model, "decision_function"):
            return model.decision_function(X_test)
        return model.predict_proba(X_test)[:, 1] - 0.5


def _from_dotted_name(name, arguments):
    module, _, attribute = name.rpartition(".")
    try:
        made = getattr(importlib.import_module(module), attribute)
        if not (isinstance(made, type) and hasattr(made, "fit")):  # never call arbitrary code
            raise TypeError("it is not a class with a method fit")
        return made(**arguments)
    except Exception as error:
        raise ValueError(f"learner {name!r} cannot be created: {one_line(error)}") from error


LEARNER = Estimator
