"""Times functions of the packages that are found on the path: python timed_calls.py FOLDER

The folder has arrays as CSV files. Each line of the input, such as "logistic 400" (a call and its permutations), is
answered by seconds (processor time) as JSON. Of permconf only functions whose arguments are stable are called, so that
any commit can answer; the environment of mlconfound does not contain it.
"""

import json
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np

OPTIONS = {"cat_y": True, "cat_c": True, "n_jobs": 1, "random_state": 1, "progress": False}  # of mlconfound


def _halves(X, y, c):
    half = len(y) // 2
    return [values[rows] for rows in (slice(half), slice(half, None)) for values in (X, y, c)]


def _permconf(call, b, X, y, c):
    """A call of permconf: `assess` by the name of a learner."""
    halves, functions = _halves(X, y, c), import_module("permconf")
    if call == "prediction_test":
        functions.prediction_test(halves[3][:, 0], *halves[4:], permutations=b)
    elif call == "audit":
        table = import_module("pandas").DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
        table = table.assign(y=y.astype(int), c=c.astype(int))
        functions.audit(table, response="y", confounders=["c"], permutations=b, seed=1)
    else:
        functions.assess(*halves, learner=call, permutations=b, seed=1)


def _mlconfound(_, b, y, yhat, c):
    warnings.simplefilter("ignore")  # convergence warnings of its models
    import_module("mlconfound.stats").partial_confound_test(y, yhat, c, num_perms=b, **OPTIONS)


def main(folder):
    """Answer until the input ends."""
    data = {path.stem: np.loadtxt(path, delimiter=",") for path in Path(folder).glob("*.csv")}
    for line in sys.stdin:
        call, b = line.split()
        start = time.process_time()
        (_mlconfound if call == "partial" else _permconf)(call, int(b), **data)
        print(json.dumps({"seconds": time.process_time() - start, "values": None}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
