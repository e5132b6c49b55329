"""The partial confounder test of mlconfound on predictions of the stress study (`make mlconfound`).

Runs in an environment of its own (envs/mlconfound.txt), so it imports nothing of permconf. Reads
results/stress/predictions.npz and writes results/stress/mlconfound.csv, one row per cell and data set. Finished cells
are kept in results/stress/mlconfound/, so that it goes on where it was stopped.
"""

import argparse
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path("results/stress")
SHUFFLES = 99  # with p = share of shuffles at least as large, p <= 0.05 happens in 5 of 100 ranks


def partial_test(y, yhat, c, number):
    """p-value and seconds of the partial confounder test for one data set."""
    from mlconfound.stats import partial_confound_test

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its models warn of things that do not matter here
        result = partial_confound_test(
            y, yhat, c, num_perms=SHUFFLES, cat_y=True, cat_c=True, n_jobs=1, random_state=int(number), progress=False
        )
    return result.p, time.perf_counter() - start


def cell_table(arrays, cell, pool):
    """One row per data set of a cell: p-values of permconf's tests and of mlconfound's."""
    columns = {name.removeprefix(f"{cell}/"): values for name, values in arrays.items() if name.startswith(f"{cell}/")}
    y, c, yhat = (columns.pop(name) for name in ("y", "c", "yhat"))
    p, seconds = zip(*pool.map(partial_test, y, yhat, c, columns["dataset"]), strict=True)
    return pd.DataFrame({"cell": cell, **columns, "mlconfound_p": p, "seconds": seconds})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=1)
    cores = parser.parse_args().cores
    arrays = dict(np.load(FOLDER / "predictions.npz"))
    cells = list(dict.fromkeys(name.split("/")[0] for name in arrays))
    (FOLDER / "mlconfound").mkdir(exist_ok=True)
    tables = []
    with ProcessPoolExecutor(cores) as pool:
        for cell in cells:
            path = FOLDER / "mlconfound" / f"{cell}.csv"
            done = pd.read_csv(path) if path.exists() else pd.DataFrame({"dataset": []})
            if list(done["dataset"]) != list(arrays[f"{cell}/dataset"]):
                done = cell_table(arrays, cell, pool)
                done.to_csv(path, index=False)
            tables.append(done)
            print(f"{cell}: {len(done)} data sets, {done['seconds'].mean():.2f} s each", flush=True)
    pd.concat(tables).to_csv(FOLDER / "mlconfound.csv", index=False)


if __name__ == "__main__":
    main()
