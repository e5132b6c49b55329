"""Measure everything and write docs/BENCHMARKS.md."""

import argparse
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from permconf.benchmarks.report import comparison, markdown, scaling_tables

DEFAULT_LEARNERS = ("logistic", "random_forest", "ridge_regression", "lda", "naive_bayes", "nearest_neighbours")
PACKAGES = ("numpy", "numba", "scikit-learn")


def main():
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("docs/BENCHMARKS.md"))
    parser.add_argument("--learners", nargs="*", default=DEFAULT_LEARNERS)
    parser.add_argument("--no-scaling", action="store_true", help="leave out the scaling tables")
    options = parser.parse_args()
    with threadpool_limits(1):
        rows = comparison(options.learners)
    scaling = {} if options.no_scaling else scaling_tables()
    about = {
        "date": date.today().isoformat(),
        "machine": f"{_processor()}, one core",
        "versions": ", ".join([f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in PACKAGES)]),
    }
    options.output.write_text(markdown(rows, scaling, about))
    print(f"Written to {options.output}.")


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    main()
