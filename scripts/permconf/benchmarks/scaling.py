"""Growth of time and memory. Each case runs in its own process: `-m permconf.benchmarks.scaling permutations 1000`."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from permconf.benchmarks.problems import problem
from permconf.learners import make_learner
from permconf.method.assess import assess_split
from permconf.method.random_streams import Streams
from permconf.metrics import make_metric

SIZES = {
    "permutations": (1_000, 10_000, 100_000),
    "datasets": (100, 1_000, 10_000, 100_000),
    "rows": (1_000, 10_000, 100_000),
    "features": (10, 50, 200),
}


def _assess(split, permutations, number=0):
    engine = {"learner": make_learner("logistic"), "metrics": {"auc": make_metric("auc")}}
    streams = Streams(1, "scaling", number)
    return assess_split(split, permutations=permutations, nulls=["restricted"], streams=streams, **engine)


def run(kind, size):
    """Run one case; returns its number of permutations."""
    if kind == "permutations":
        _assess(problem(400, 2).split, size)
        return size
    if kind == "datasets":
        for number in range(size):
            _assess(problem(200, 2, seed=number).split, "test_size", number)
        return size * 100
    if kind == "rows":
        _assess(problem(size, 2).split, 64)
        return 64
    _assess(problem(2_000, 2, features=size).split, 128)
    return 128


def peak_memory():
    """Peak memory (MB) of this process; ru_maxrss would include that of the parent at its start."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(kind, size):
    """Seconds, permutations and peak memory (MB) of one case."""
    done = subprocess.run([sys.executable, "-m", __name__, kind, str(size)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    what, how_many = sys.argv[1], int(sys.argv[2])
    _assess(problem(200, 2).split, 10)  # kernels loaded
    start = time.perf_counter()
    permutations = run(what, how_many)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "permutations": permutations, "memory": peak_memory()}))
