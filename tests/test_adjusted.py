"""Adjustments as scikit-learn estimators: the scores that the engine gives, and scikit-learn's own checks."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from permconf import AdjustedClassifier, AdjustedRegressor, registry
from permconf.engine.contracts import make_metric
from permconf.engine.evaluate import evaluate
from permconf.engine.folds import paper_split
from permconf.permute.random_streams import Streams

RNG = np.random.default_rng(3)
SITE = RNG.integers(0, 3, 160)
Y = (0.3 * SITE + RNG.uniform(size=160) > 0.7).astype(int)
X = RNG.normal(size=(160, 4)) + (Y + SITE)[:, None]
TRAIN, TEST = slice(0, 100), slice(100, None)
LOGISTIC_ONLY = {"confounder_penalty"}
SELECTING = {"matching", "propensity_matching"}  # they drop test rows too, which new rows cannot be


@pytest.mark.parametrize("adjustment", sorted(set(registry.names("adjustments")) - SELECTING))
def test_scores_are_those_that_the_engine_judges(adjustment):
    learner = "logistic" if adjustment in LOGISTIC_ONLY else LogisticRegression(C=0.3)
    model = AdjustedClassifier(learner, adjustment=adjustment, confounder="levels")
    sample, folds = paper_split(
        (X[TRAIN], Y[TRAIN], SITE[TRAIN]), (X[TEST], Y[TEST], SITE[TEST]), task="classification", treatment="levels"
    )
    judged = evaluate(
        sample,
        folds,
        learner=learner,
        metrics={"auc": make_metric("auc")},
        adjustment=adjustment,
        streams=Streams(0, "adjusted"),
    )
    found = model.fit(X[TRAIN], Y[TRAIN], confounders=SITE[TRAIN])
    if adjustment in ("resampling", "propensity_resampling"):  # random rows: the stream has another name
        assert found.decision_function(X[TEST], confounders=SITE[TEST]).shape == (60,)
        return
    expected = judged.scores[0]
    np.testing.assert_allclose(
        found.decision_function(X[TEST], confounders=SITE[TEST]), expected.needed("scores")[:, 0], rtol=1e-12
    )
    np.testing.assert_allclose(
        found.predict_proba(X[TEST], confounders=SITE[TEST])[:, 1],
        expected.needed("probabilities")[:, 0],
        rtol=1e-10,
    )


def test_new_rows_are_treated_one_by_one():
    """A row is predicted the same alone and among others, and levels that training rows lack are possible."""
    model = AdjustedClassifier(LogisticRegression()).fit(X[TRAIN], Y[TRAIN], confounders=SITE[TRAIN])
    together = model.decision_function(X[TEST], confounders=SITE[TEST])
    alone = [model.decision_function(X[[i]], confounders=SITE[[i]])[0] for i in range(100, 110)]
    np.testing.assert_allclose(together[:10], alone, rtol=1e-12)
    assert np.isfinite(model.decision_function(X[TEST], confounders=np.full(60, 7))).all()


def test_the_estimator_is_fitted_once():
    model = AdjustedClassifier(RandomForestClassifier(5)).fit(X, Y, confounders=SITE)
    first = model.predict_proba(X, confounders=SITE)
    np.testing.assert_array_equal(first, model.predict_proba(X, confounders=SITE))
    np.testing.assert_array_equal(first, pickle.loads(pickle.dumps(model)).predict_proba(X, confounders=SITE))


def test_labels_frames_and_several_confounders():
    labels = np.where(Y == 1, "ill", "well")
    frame = pd.DataFrame(X, columns=list("abcd"))
    confounders = pd.DataFrame({"site": SITE.astype(str), "age": RNG.normal(size=160)})
    model = AdjustedClassifier(LogisticRegression()).fit(frame, labels, confounders=confounders)
    assert set(model.predict(frame, confounders=confounders)) == {"ill", "well"}
    reordered = model.predict(frame[list("dcba")], confounders=confounders)
    np.testing.assert_array_equal(reordered, model.predict(frame, confounders=confounders))


def test_regression_removes_the_confounder():
    age = RNG.normal(size=300)
    Z = RNG.normal(size=(300, 2)) + age[:, None] ** 2
    model = AdjustedRegressor(Ridge()).fit(Z, 3 * age**2 + Z[:, 0], confounders=age)
    residual = model.predict(Z, confounders=age)
    assert abs(np.corrcoef(residual, age**2)[0, 1]) < 3 / np.sqrt(300)


def test_in_a_pipeline_with_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        adjusted = AdjustedClassifier(LogisticRegression()).set_fit_request(confounders=True)
        for method in ("predict", "decision_function", "predict_proba"):
            getattr(adjusted, f"set_{method}_request")(confounders=True)
        pipeline = make_pipeline(StandardScaler(), adjusted)
        pipeline.fit(X[TRAIN], Y[TRAIN], confounders=SITE[TRAIN])
        assert pipeline.predict(X[TEST], confounders=SITE[TEST]).shape == (60,)


NAMED = pd.DataFrame({"site": SITE, "age": RNG.normal(size=160)})


@pytest.mark.parametrize(
    "confounders",
    [NAMED, NAMED[["age"]], NAMED["site"].map(str), list("abcd" * 40), NAMED["site"].astype("category")],
    ids=["frame", "one column", "text", "list", "categories"],
)
def test_the_confounders_of_the_fit_are_understood_and_matched_by_name(confounders):
    model = AdjustedClassifier(LogisticRegression()).fit(X, Y, confounders=confounders)
    expected = model.decision_function(X, confounders=confounders)
    for same in (pd.DataFrame(confounders).iloc[:, ::-1], np.asarray(confounders)):
        np.testing.assert_array_equal(model.decision_function(X, confounders=same), expected)


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (None, "confounders are needed"),
        (NAMED[:5], "confounders have 5 rows where 160 are needed"),
        (NAMED[::-1], "X and confounders have the same row labels in a different order"),
        (NAMED.rename(columns={"age": "ages"}), "confounders have no column 'age'; give those of the fit: site, age"),
        (NAMED.assign(sex=1), "confounders have a new column 'sex'; give those of the fit: site, age"),
        (NAMED.assign(age=[None, *SITE[1:]]), "confounder 'age' has missing .* in 1 of 160 rows, the first is row 0"),
        (NAMED.assign(age="old"), "confounder 'age' was numeric in the fit, but some new values are not numbers"),
    ],
)
def test_what_is_wrong_with_new_confounders_is_one_sentence(new, message):
    model, rows = AdjustedClassifier().fit(X, Y, confounders=NAMED), pd.DataFrame(X)
    with pytest.raises(ValueError, match=message):
        model.predict(rows, confounders=new)
    if new is None:
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda rows: rows.rename(columns={"x1": "x_1"}), "^X has no column 'x1', which the X of the fit has, did you"),
        (lambda rows: rows.assign(x9=1.0), "^the X of the fit has no column 'x9', which X has$"),
        (lambda rows: rows.assign(x1=np.nan), "^X has missing values in column 'x1', which Logistic does not take"),
        (lambda rows: rows.assign(x1=["1.5", "3,5"] * 80), "^column 'x1' holds numbers in the X of the fit, but '3,5'"),
    ],
)
def test_what_is_wrong_with_new_features_is_one_sentence(changed, message):
    rows = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = AdjustedClassifier().fit(rows, Y, confounders=NAMED)
    with pytest.raises(ValueError, match=message):
        model.predict(changed(rows), confounders=NAMED)
    labelled = rows.assign(ward=list("abcd" * 40))
    with pytest.warns(UserWarning, match="Level 'B' of feature 'ward' has no training rows; all indicators"):
        model.fit(labelled, Y, confounders=NAMED).predict(labelled.replace("b", "B"), confounders=NAMED)


class OwnConfounder(AdjustedClassifier):
    """The confounder is made of the features, so that scikit-learn's checks, which know none, can run."""

    def fit(self, X, y):
        return super().fit(X, y, confounders=_parity(X))

    def predict(self, X):
        return super().predict(X, confounders=_parity(X))

    def predict_proba(self, X):
        return super().predict_proba(X, confounders=_parity(X))

    def decision_function(self, X):
        return super().decision_function(X, confounders=_parity(X))


def _parity(X):
    """A level that hardly depends on the features; what is no matrix of numbers is refused by the estimator itself."""
    try:
        values = np.real(np.asarray(X)).astype(float)
        return (np.nan_to_num(values.reshape(len(values), -1).sum(axis=1)) * 1e4).astype(int) % 2
    except (TypeError, ValueError):
        return np.zeros(X.shape[0] if hasattr(X, "shape") else len(X), int)


@pytest.mark.parametrize(
    ("estimator", "check"),
    list(
        estimator_checks_generator(
            OwnConfounder(LogisticRegression()),
            legacy=True,
            mark="xfail",
            expected_failed_checks={"check_estimators_nan_inf": "the message says 'missing values', not 'NaN'"},
        )
    ),
    ids=lambda one: getattr(getattr(one, "func", one), "__name__", ""),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
