"""The audit of the real data sets that come with scikit-learn, beside scikit-learn's own functions."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import PredefinedSplit, permutation_test_score, train_test_split

from permconf import audit

SCORINGS = {"auc": "roc_auc", "r2": "r2"}


def real(name):
    """A table with response y, confounder c and a few features of one of the data sets, and learner and metric."""
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    if name == "linnerud":
        frame = frame.assign(y=(frame["Waist"] > 35).astype(int), c=frame["Weight"] > 175)
        return frame[["Chins", "Situps", "y", "c"]], "logistic", "auc"
    features = {
        "breast_cancer": ["mean texture", "mean smoothness", "mean symmetry"],
        "iris": ["sepal length (cm)", "petal length (cm)"],
        "wine": ["alcohol", "hue", "magnesium"],
        "digits": ["pixel_2_2", "pixel_3_4", "pixel_5_3"],
        "diabetes": ["bmi", "bp", "s5"],
    }[name]
    columns = {"breast_cancer": "mean radius", "iris": "sepal width (cm)", "wine": "ash", "digits": "pixel_4_4"}
    if name == "diabetes":
        return frame[[*features, "sex", "target"]].set_axis([*features, "c", "y"], axis=1), "linear_regression", "r2"
    c = pd.qcut(frame[columns[name]], 3, labels=["low", "middle", "high"])
    y = frame["target"] > (4 if name == "digits" else 0)
    return frame[features].assign(y=np.where(y, "one", "none"), c=c), "logistic", "auc"


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine", "digits", "diabetes", "linnerud"])
def test_the_same_as_scikit_learn(name):
    """The observed metric to 1e-12."""
    frame, learner, metric = real(name)
    X, y = frame.drop(columns=["y", "c"]), frame["y"]
    train, test = train_test_split(np.arange(len(frame)), test_size=0.5, random_state=0, stratify=frame[["c"]])
    test = np.sort(test)
    a = audit(frame, response="y", confounders="c", learner=learner, metric=metric, split=(train, test))
    if metric == "r2":
        expected = r2_score(y[test], LinearRegression().fit(X.iloc[train], y[train]).predict(X.iloc[test]))
    else:
        expected = roc_auc_score(y[test], a.predictions["score"].to_numpy())
    assert a.observed == pytest.approx(expected, abs=1e-12)
    assert a.predictions["row"].tolist() == test.tolist()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize("name", ["breast_cancer", "diabetes"])
def test_the_null_of_permutation_test_score(name):
    """Theirs permutes within `groups`, here the combinations of set and level of the confounder."""
    frame, learner, metric = real(name)
    X, y = frame.drop(columns=["y", "c"]), frame["y"]
    train, test = train_test_split(np.arange(len(frame)), test_size=0.5, random_state=0)
    a = audit(
        frame, response="y", confounders="c", learner=learner, metric=metric, split=(train, test), permutations=400
    )
    part = np.isin(np.arange(len(frame)), test).astype(int)
    within = pd.factorize(pd.Series(part).astype(str) + frame["c"].astype(str))[0]
    model = LinearRegression() if metric == "r2" else LogisticRegression(C=np.inf)
    split = PredefinedSplit(np.where(part, 0, -1))
    labels = y if metric == "r2" else (y == "one").astype(int)
    _, draws, _ = permutation_test_score(
        model, X, labels, groups=within, cv=split, scoring=SCORINGS[metric], n_permutations=400, random_state=1
    )
    assert abs(a.paper.restricted_mean - draws.mean()) < 4 * draws.std() * np.sqrt(2 / 400)
    assert a.paper.restricted_sd / draws.std() == pytest.approx(1, abs=4 / np.sqrt(400))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine", "digits", "diabetes", "linnerud"])
def test_p_values_do_not_move_with_the_seed(name):
    """The standard deviation of every p-value over ten seeds, on one split, is below 0.02."""
    frame, learner, metric = real(name)
    rows = np.random.default_rng(0).permutation(len(frame))
    split = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    options = {"response": "y", "confounders": "c", "learner": learner, "metric": metric, "split": split}
    answers = [audit(frame, **options, seed=seed).to_frame() for seed in range(10)]
    spread = pd.concat(answers)[["response_p", "association_p", "prediction_p", "confounding_p"]].std()
    assert spread.max() < 0.02, spread
