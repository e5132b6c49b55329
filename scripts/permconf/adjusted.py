"""An estimator with an adjustment for confounding in front of it, as a scikit-learn estimator that can be deployed.

The audit and the arena judge adjustments; `AdjustedClassifier` and `AdjustedRegressor` apply one. They call the same
adjustment in the same way (`permconf.engine`), so a deterministic estimator gives the scores that were judged.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from permconf.data.encoding import unseen_levels
from permconf.data.features import Features
from permconf.data.sample import Sample
from permconf.data.values import check_row_order, plain_values
from permconf.engine.adjustment import check_adjustment, make_adjustment, selected_rows
from permconf.engine.contracts import check_task, fitted_scores, labelled, make_learner
from permconf.engine.evaluate import fold_fit
from permconf.engine.folds import Fold
from permconf.engine.scores import Scores, predicted_classes
from permconf.learners.estimator import Estimator
from permconf.permute.random_streams import Streams


class _KeptEstimator(Estimator):
    """An estimator that is fitted once, with its own `random_state`, and then only predicts."""

    kept: Any = None

    def _model(self, key):  # noqa: ARG002
        return clone(self.estimator)

    def _fitted_to_classes(self, X, y, key, given):
        if self.kept is None:
            self.kept = super()._fitted_to_classes(X, y, key, given)
        return self.kept

    def _fit(self, X, y, key, given, refusing=False):
        if self.kept is not None:
            return self.kept
        model = super()._fit(X, y, key, given, refusing)
        if "regression" in self.tasks:
            self.kept = model
        return model


class _Adjusted(BaseEstimator):
    """What the two estimators share."""

    _task = ""

    def __init__(
        self,
        estimator: Any = None,
        *,
        adjustment: Any = "spline_residuals",
        confounder: Any = "smooth",
        random_state: int = 0,
    ):
        self.estimator = estimator
        self.adjustment = adjustment
        self.confounder = confounder
        self.random_state = random_state

    def fit(self, X: Any, y: Any, confounders: Any = None) -> Any:
        """Fit to the rows of X (numbers or a DataFrame), with a row of `confounders` for each."""
        if not hasattr(X, "iloc"):  # a DataFrame may hold labels, which are encoded
            X, y = check_X_y(X, plain_values(y), ensure_all_finite="allow-nan", ensure_min_samples=2, estimator=self)
        if self._task == "classification":
            check_classification_targets(y)
        sample = Sample.of(X, y, _needed(confounders), task=self._task, treatment=self.confounder)
        if len(set(sample.response.values.tolist())) == 1:
            raise ValueError("y has one class or value only; there is nothing to predict")
        adjustment, learner = make_adjustment(self.adjustment), self._made()
        check_task(learner, self._task)
        check_adjustment(adjustment, learner, self._task, levels=sample.confounders.has_levels)
        sample.features.check(learner)
        if "train" in adjustment.selects:
            rng = Streams(self.random_state, "adjusted").rng("adjustment")
            sample = sample.take(selected_rows(adjustment, sample, sample, rng))
        self.learner_, self.adjustment_, self.train_ = labelled(learner, sample.response.labels), adjustment, sample
        self.n_features_in_ = sample.features.X.shape[1]
        if sample.features.is_frame:
            self.feature_names_in_ = np.asarray(sample.features.X.columns, object)
        if sample.response.labels is not None:
            self.classes_ = sample.response.labels
        first = sample.take([0])
        self._scores(first.features.X, first.confounders.given)
        return self

    def _made(self):
        if self.estimator is None or isinstance(self.estimator, str | dict):
            return make_learner(self.estimator or self._default)
        return _KeptEstimator(self.estimator)

    def _scores(self, X: Any, confounders: Any) -> Scores:
        """Scores of new rows; the adjustment is fitted to the training rows, as in the audit."""
        check_is_fitted(self, "train_")
        if not hasattr(X, "iloc"):
            X = check_array(X, ensure_all_finite="allow-nan", estimator=self)
            if X.shape[1] != self.n_features_in_:
                name, expected = type(self).__name__, self.n_features_in_
                raise ValueError(f"X has {X.shape[1]} features, but {name} is expecting {expected} features as input")
        train, n = self.train_, len(self.train_)
        both = Features.of_sets(train.features.X, X, ("the X of the fit", "X"))
        both.check(self.learner_)
        check_row_order(X=X, confounders=confounders)
        c = train.confounders.followed_by(_needed(confounders), rows=len(both) - n)
        everything = np.append(np.arange(n), np.zeros(len(both) - n, int))  # new rows have no response: any will do
        sample = Sample(both, train.response.take(everything), c)
        fold = Fold(slice(0, n), slice(n, None))
        if both.is_frame and not getattr(self.learner_, "takes_frames", False):
            for note in unseen_levels(both.X, [fold]):
                warnings.warn(note, stacklevel=3)
        fit = fold_fit(sample, fold, self.learner_, self.adjustment_)
        keys = Streams(self.random_state, "adjusted").keys("learner", 1)
        Y = train.response.values[:, None]
        return fitted_scores(fit.learner, fit.X_train, Y, fit.X_test, keys, classes=train.response.classes)


def _needed(confounders):
    if confounders is None:
        raise ValueError("confounders are needed, with a row for each row of X: fit(X, y, confounders=C)")
    return confounders


class AdjustedClassifier(ClassifierMixin, _Adjusted):
    """A classifier with an adjustment for confounding: any scikit-learn classifier, or a built-in learner by its name.

    `adjustment` is as in `audit`, `confounder` says how confounders are analysed (`permconf.data.confounders`), and
    `random_state` is the seed of an adjustment that selects rows. Give the confounders of the rows to `fit`, and those
    of new rows to `predict`; adjustments that only select or weight training rows do not use the latter. In a Pipeline
    or a search, scikit-learn's metadata routing passes them on (`set_fit_request(confounders=True)`).

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(size=200)
    >>> ill = (age + rng.normal(size=200) > 0).astype(int)
    >>> X = rng.normal(size=(200, 2)) + age[:, None]
    >>> from permconf import AdjustedClassifier
    >>> model = AdjustedClassifier(LogisticRegression(), adjustment="spline_residuals").fit(X, ill, confounders=age)
    >>> model.predict(X[:3], confounders=age[:3]).shape
    (3,)
    """

    _task, _default = "classification", "logistic"

    def predict(self, X: Any, confounders: Any = None) -> np.ndarray:
        """Predicted classes."""
        codes = predicted_classes(self._scores(X, confounders).needed("scores"))[:, 0]
        return self.classes_[codes.astype(int)]

    def predict_proba(self, X: Any, confounders: Any = None) -> np.ndarray:
        """Probabilities of the classes, if the classifier gives any."""
        found = self._scores(X, confounders).needed("probabilities")[:, 0]
        return found if found.ndim == 2 else np.column_stack([1 - found, found])

    def decision_function(self, X: Any, confounders: Any = None) -> np.ndarray:
        """Scores of the second of two classes, or of every class."""
        return self._scores(X, confounders).needed("scores")[:, 0]


class AdjustedRegressor(RegressorMixin, _Adjusted):
    """A regressor with an adjustment for confounding; see `AdjustedClassifier`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(size=100)
    >>> X = rng.normal(size=(100, 2)) + age[:, None]
    >>> from permconf import AdjustedRegressor
    >>> AdjustedRegressor().fit(X, X[:, 0] + age, confounders=age).predict(X[:3], confounders=age[:3]).shape
    (3,)
    """

    _task, _default = "regression", "linear_regression"

    def predict(self, X: Any, confounders: Any = None) -> np.ndarray:
        """Predicted numbers."""
        return self._scores(X, confounders).values[:, 0]
