"""The audit of real data sets that come with scikit-learn, beside scikit-learn's own functions."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import PredefinedSplit, permutation_test_score, train_test_split

from permconf import audit


def breast_cancer():
    frame = datasets.load_breast_cancer(as_frame=True).frame
    c = pd.qcut(frame["mean radius"], 3, labels=["low", "middle", "high"])
    table = frame[["mean texture", "mean smoothness", "mean symmetry"]].assign(c=c, y=frame["target"])
    return table, LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000), ("logistic", "auc", "roc_auc")


def diabetes():
    frame = datasets.load_diabetes(as_frame=True).frame
    table = frame[["bmi", "bp", "s5", "sex", "target"]].set_axis(["bmi", "bp", "s5", "c", "y"], axis=1)
    return table, LinearRegression(), ("linear_regression", "r2", "r2")


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize("data", [breast_cancer, diabetes])
def test_metric_and_null_are_those_of_permutation_test_score(data):
    """Theirs permutes within `groups`, here the combinations of set and level of the confounder."""
    table, model, (learner, metric, scoring) = data()
    X, y, b = table.drop(columns=["y", "c"]), table["y"], 100
    train, test = train_test_split(np.arange(len(table)), test_size=0.5, random_state=0)
    options = {"learner": learner, "metric": metric, "split": (train, test), "permutations": 400}
    a = audit(table, response="y", confounders="c", **options)
    part = np.isin(np.arange(len(table)), test).astype(int)
    within = pd.factorize(pd.Series(part).astype(str) + table["c"].astype(str))[0]
    folds = PredefinedSplit(np.where(part, 0, -1))
    observed, draws, _ = permutation_test_score(
        model, X, y, groups=within, cv=folds, scoring=scoring, n_permutations=b, random_state=1
    )
    assert a.observed == pytest.approx(observed, abs=1e-12)
    assert abs(a.paper.restricted_mean - draws.mean()) < 4 * draws.std() * np.sqrt(1 / 400 + 1 / b)
    assert a.paper.restricted_sd / draws.std() == pytest.approx(1, abs=4 * np.sqrt(1 / 800 + 1 / (2 * b)))
