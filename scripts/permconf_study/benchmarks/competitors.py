"""What a user would write with scikit-learn: fit, score and AUC for one permuted response after the other."""

import numpy as np

from permconf_study.benchmarks.measuring import alternately, in_this_process

LOOPED = 20  # permutations of a loop in each round
FORESTS = 1  # and of one that takes a second for each


def sklearn_contenders(learner, task):
    """The loop with the fastest scikit-learn model and, for logistic regression, `permutation_test_score`."""
    b = FORESTS if learner == "random_forest" else LOOPED
    models = sklearn_models(learner)
    loops = {name: in_this_process(name, lambda b, m=model: aucs(m, task, b), b) for name, model in models.items()}
    fastest = next(iter(loops))
    if len(loops) > 1:
        fastest = list(loops)[alternately(list(loops.values()), 3)[0].sum(axis=0).argmin()]
    if learner != "logistic":
        return [loops[fastest]]
    name = fastest.replace("scikit-learn", "permutation_test_score")
    return [loops[fastest], in_this_process(name, lambda b: permutation_test(models[fastest], task, b), b)]


def sklearn_models(learner):
    """The scikit-learn counterparts of a learner; for logistic regression, every solver that can do without penalty."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    if learner == "logistic":
        solvers = ("lbfgs", "newton-cholesky", "newton-cg")
        return {f"scikit-learn ({solver})": LogisticRegression(C=np.inf, solver=solver) for solver in solvers}
    if learner == "nearest_neighbours":
        return {f"scikit-learn ({name})": KNeighborsClassifier(5, algorithm=name) for name in ("kd_tree", "brute")}
    model = {
        "random_forest": RandomForestClassifier(500, n_jobs=1),
        "ridge_regression": RidgeClassifier(),
        "lda": LinearDiscriminantAnalysis(),
        "naive_bayes": GaussianNB(),
    }[learner]
    return {"scikit-learn": model}


def aucs(model, task, b):
    """AUCs of the first b permuted responses."""
    from sklearn.metrics import roc_auc_score

    X_train, _, _, X_test, _, _ = task.sets
    values = []
    for k in range(b):
        model.fit(X_train, task.Y_train[:, k])
        linear = hasattr(model, "decision_function")
        scores = model.decision_function(X_test) if linear else model.predict_proba(X_test)[:, 1]
        values.append(roc_auc_score(task.Y_test[:, k], scores))
    return np.array(values)


def permutation_test(model, task, b):
    """`permutation_test_score` within the levels of the confounder, on one split: b fits, the first not permuted."""
    from sklearn.model_selection import permutation_test_score

    options = {"scoring": "roc_auc", "n_jobs": 1, "random_state": 1}
    permutation_test_score(model, task.X, task.y, groups=task.c, cv=[task.rows], n_permutations=b - 1, **options)
