"""Growth of time and memory. A process for each case: `-m permconf_study.benchmarks.scaling ROWS PERMUTATIONS`."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from permconf.metrics import make_metric
from permconf_study.benchmarks.comparisons import null_aucs
from permconf_study.benchmarks.problems import problem

CASES = ((400, 1_000), (400, 100_000), (400, 1_000_000), (10_000, 1_000), (100_000, 100))  # rows and permutations


def measured(rows, permutations):
    """Processor time and peak memory (MB) of one case."""
    command = [sys.executable, "-m", __name__, str(rows), str(permutations)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def peak_memory():
    """Peak memory (MB) of this process; ru_maxrss would include that of the parent at its start."""
    status = Path("/proc/self/status")
    if status.exists():
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    n, b = map(int, sys.argv[1:])
    evaluation = problem(n, 1).evaluated("logistic", {"auc": make_metric("auc")})
    null_aucs(evaluation, 2)  # kernels loaded
    start = time.process_time()
    null_aucs(evaluation, b)
    print(json.dumps([time.process_time() - start, peak_memory()]))
