"""Times the partial confounder test of mlconfound, in an environment that has it: python mlconfound_answers.py FOLDER

Each line of the input, such as "partial 1000" (permutations), is answered by seconds (processor time) as JSON.
"""

import importlib
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np


def main(folder):
    """Answer until the input ends."""
    stats = importlib.import_module("mlconfound.stats")
    y, yhat, c = (np.loadtxt(Path(folder, f"{name}.csv")) for name in ("y", "yhat", "c"))
    options = {"cat_y": True, "cat_c": True, "n_jobs": 1, "random_state": 1, "progress": False}
    warnings.simplefilter("ignore")  # convergence warnings of its models
    for line in sys.stdin:
        start = time.process_time()
        stats.partial_confound_test(y, yhat, c, num_perms=int(line.split()[1]), **options)
        print(json.dumps({"seconds": time.process_time() - start, "values": None}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
