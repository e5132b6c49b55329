"""The loops a user would write in scikit-learn and in R: shuffle within levels, fit, score and AUC, per permutation."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

R_SCRIPT = Path(__file__).with_name("competitors.R")
R_PACKAGES = ("pROC", "randomForest", "ranger")
R_METHODS = {"logistic": {"glm": 200}, "random_forest": {"randomForest": 20, "ranger": 20}}  # and permutations


def sklearn_loop(model, split, permutations, rng):
    """AUCs of a scikit-learn classifier under restricted permutation, one at a time."""
    from sklearn.base import clone
    from sklearn.metrics import roc_auc_score

    rows = {part: [np.flatnonzero(c == level) for level in np.unique(c)] for part, c in _confounders(split)}
    values = []
    for _ in range(permutations):
        y_train, y_test = split.y_train.copy(), split.y_test.copy()
        for part, y in (("train", y_train), ("test", y_test)):
            for level in rows[part]:
                y[level] = rng.permutation(y[level])
        fitted = clone(model).fit(split.X_train, y_train)
        values.append(roc_auc_score(y_test, _score(fitted, split.X_test)))
    return np.array(values)


def sklearn_values(model, problem, columns):
    """AUCs of the first label columns, to check that all competitors compute the same values."""
    from sklearn.base import clone
    from sklearn.metrics import roc_auc_score

    X_train, X_test = problem.split.X_train, problem.split.X_test
    fits = [clone(model).fit(X_train, problem.Y_train[:, k]) for k in range(columns)]
    return np.array([roc_auc_score(problem.Y_test[:, k], _score(fit, X_test)) for k, fit in enumerate(fits)])


def _confounders(split):
    return (("train", split.c_train), ("test", split.c_test))


def _score(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]


def models():
    """The scikit-learn counterparts of learners, by solver."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    solvers = ("lbfgs", "newton-cholesky", "newton-cg")  # those that can fit without penalty
    return {
        "logistic": {solver: LogisticRegression(C=np.inf, solver=solver) for solver in solvers},
        "random_forest": {"": RandomForestClassifier(500, n_jobs=1)},
        "ridge_regression": {"": RidgeClassifier()},
        "lda": {"": LinearDiscriminantAnalysis()},
        "naive_bayes": {"": GaussianNB()},
        "nearest_neighbours": {"": KNeighborsClassifier(5)},
    }


def r_available():
    """Whether R and the packages of the comparison are installed."""
    if shutil.which("Rscript") is None:
        return False
    check = "; ".join(f"stopifnot(requireNamespace('{package}', quietly = TRUE))" for package in R_PACKAGES)
    return subprocess.run(["Rscript", "-e", check], capture_output=True, check=False).returncode == 0


def r_seconds(problem, permutations):
    """Seconds per permutation in R and the mean AUC, by method, on the problem's labels."""
    split, columns = problem.split, max(permutations.values())
    arrays = {"x_train": split.X_train, "x_test": split.X_test}
    arrays |= {"y_train": problem.Y_train[:, :columns], "y_test": problem.Y_test[:, :columns]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem"
        for name, array in arrays.items():
            np.savetxt(f"{path}_{name}.csv", array, delimiter=",")
        arguments = [str(path), *(str(permutations.get(method, 1)) for method in ("glm", "randomForest", "ranger"))]
        done = subprocess.run(["Rscript", str(R_SCRIPT), *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
