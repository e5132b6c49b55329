"""The least time logistic regression could take: its matrix products, exponentials and one sort, and nothing else."""

import numpy as np

from permconf.benchmarks.problems import median_seconds
from permconf.learners.logistic import Logistic, with_intercept


def logistic_floor(problem, *, repeats):
    """Seconds per permutation of the bare operations, for the number of Newton steps that the fits really take."""
    X, X_test = with_intercept(problem.split.X_train), with_intercept(problem.split.X_test)
    coefficients, steps, _ = Logistic().coefficients(problem.split.X_train, problem.Y_train)
    rows, columns = np.tril_indices(X.shape[1])
    products = np.ascontiguousarray((X[:, rows] * X[:, columns]).T)
    Xt = np.ascontiguousarray(X.T)
    passes = round(float(steps.mean()))

    def bare():
        for _ in range(passes):
            link = X @ coefficients
            weight = np.exp(link)
            products @ weight
            Xt @ weight
        np.sort(X_test @ coefficients, axis=0)

    return median_seconds(bare, repeats=repeats) / problem.b, passes
