"""Run all benchmarks and write docs/BENCHMARKS.md: `permconf bench`."""

import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from permconf.benchmarks.report import comparison, markdown, scaling_tables

LEARNERS = ("logistic", "random_forest", "ridge_regression", "lda", "naive_bayes", "nearest_neighbours")
PAGE = Path("docs/BENCHMARKS.md")
PACKAGES = ("numpy", "numba", "scikit-learn")


def main(options):
    """Run the benchmarks; a quick run is only printed."""
    with threadpool_limits(1):
        rows = comparison(LEARNERS[:1] if options.quick else LEARNERS)
    if options.quick:
        return
    about = {
        "date": date.today().isoformat(),
        "machine": f"{_processor()}, one core",
        "versions": ", ".join([f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in PACKAGES)]),
    }
    PAGE.write_text(markdown(rows, scaling_tables(), about))
    print(f"Wrote {PAGE}.")


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
