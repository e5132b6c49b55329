"""Apply the partial confounder test of mlconfound to the predictions of one cell of the stress study.

Runs in its own environment (envs/mlconfound.txt), which does not contain permconf:

    python compare_mlconfound.py PREDICTIONS.npz TABLE.csv
"""

import sys
import time
import warnings

import numpy as np
import pandas as pd

SHUFFLES = 39  # with p = share of shuffles at least as large, p <= 0.05 happens in 2 of 40 ranks


def partial_test(y, yhat, c, number):
    """p-value and seconds of the partial confounder test for one data set."""
    from mlconfound.stats import partial_confound_test

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence warnings of its models
        result = partial_confound_test(
            y, yhat, c, num_perms=SHUFFLES, cat_y=True, cat_c=True, n_jobs=1, random_state=int(number), progress=False
        )
    return result.p, time.perf_counter() - start


def main(predictions, table):
    """Write one row per data set: p-values of permconf's tests and of mlconfound's."""
    with np.load(predictions) as arrays:
        columns = dict(arrays)
    y, c, yhat = (columns.pop(name) for name in ("y", "c", "yhat"))
    p, seconds = zip(*map(partial_test, y, yhat, c, columns["dataset"]), strict=True)
    pd.DataFrame({**columns, "mlconfound_p": p, "seconds": seconds}).to_csv(table, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
