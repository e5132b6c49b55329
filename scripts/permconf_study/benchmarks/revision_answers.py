"""Times public functions of the permconf that is found on the path: python revision_answers.py FOLDER

Each line of the input, such as "logistic 400" (permutations), is answered by seconds (processor time) as JSON. Only
functions whose arguments are stable are called, so that any commit can answer.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from permconf import assess, audit, prediction_test

CALLS = {
    "logistic": lambda halves, b: assess(*halves, permutations=b, seed=1),
    "random_forest": lambda halves, b: assess(*halves, learner="random_forest", permutations=b, seed=1),
    "prediction_test": lambda halves, b: prediction_test(halves[3][:, 0], *halves[4:], permutations=b),
    "audit": lambda halves, b: audit(_table(halves), response="y", confounders=["c"], permutations=b, seed=1),
}


def _table(halves):
    X, y, c = (np.concatenate(parts) for parts in zip(halves[:3], halves[3:], strict=True))
    return pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]).assign(y=y.astype(int), c=c.astype(int))


def main(folder):
    """Answer until the input ends."""
    X, y, c = (np.loadtxt(Path(folder, f"{name}.csv"), delimiter=",") for name in "Xyc")
    half = len(y) // 2
    halves = [values[rows] for rows in (slice(half), slice(half, None)) for values in (X, y, c)]
    for line in sys.stdin:
        call, b = line.split()
        start = time.process_time()
        CALLS[call](halves, int(b))
        print(json.dumps({"seconds": time.process_time() - start, "values": None}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
