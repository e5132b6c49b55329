"""Run the benchmark and write its page: `permconf bench`."""

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from permconf.versions import processor
from permconf_study.benchmarks import workers
from permconf_study.benchmarks.comparisons import LEARNERS, SIZES, complete_answers, per_permutation
from permconf_study.benchmarks.page import parts
from permconf_study.benchmarks.revisions import compared
from permconf_study.benchmarks.scaling import CASES, measured
from permconf_study.markdown import update

PAGE = Path("docs/BENCHMARKS.md")
PACKAGES = ("permconf", "numpy", "numba", "scikit-learn")
NO_R = "R with pROC, randomForest and ranger is not installed: its lines are left out."
NO_MLCONFOUND = (
    "mlconfound is not installed: its lines are left out"
    " (`permconf run results/stress/mlconfound_environment/versions.txt` installs it)."
)


def main(options):
    """Run the benchmark; a quick one (logistic regression, one size) or one of two commits is only printed."""
    if options.compare:
        for line in compared(options.compare):
            _printed(line)
        return
    learners, sizes, rounds = (LEARNERS[:1], SIZES[:1], 3) if options.quick else (LEARNERS, SIZES, 9)
    in_r, (python, mlconfound) = workers.r_versions(), workers.mlconfound_python()
    missing = [text for text, found in ((NO_R, in_r), (NO_MLCONFOUND, mlconfound)) if not found]
    for text in missing:
        print(text)
    ours = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)]
    about = {
        "date": date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, of which one is used",
        "versions": ", ".join(filter(None, [*ours, in_r, mlconfound])),
    }
    before = os.getloadavg()[0]
    with threadpool_limits(1):
        lines = list(map(_printed, per_permutation(learners, sizes, with_r=bool(in_r), rounds=rounds)))
        if options.quick:
            return
        answered = complete_answers((SIZES[0], *SIZES[3:]), python, rounds=3) if python else ()
        answers = list(map(_printed, answered))
    growth = [(*case, *measured(*case)) for case in CASES]
    about["load"] = f"{before:.1f} before, {os.getloadavg()[0]:.1f} after (the benchmark itself is 1.0)"
    about |= {"missing": " ".join(missing)} if missing else {}
    update(PAGE, parts(about, lines, answers, growth))
    print(f"Wrote {PAGE}.")


def _printed(line):
    print(line, flush=True)
    return line
