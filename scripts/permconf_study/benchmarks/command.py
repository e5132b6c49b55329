"""Run the benchmark and write its page: `permconf bench`."""

import os
from datetime import date
from pathlib import Path

from threadpoolctl import threadpool_limits

from permconf import __version__
from permconf.versions import processor, versions
from permconf_study.benchmarks import workers
from permconf_study.benchmarks.comparisons import (
    LEARNERS,
    SIZES,
    complete_answers,
    duration,
    per_permutation,
    whole_calls,
)
from permconf_study.benchmarks.revisions import CASES as COMMITS
from permconf_study.benchmarks.revisions import QUICK, compared
from permconf_study.benchmarks.scaling import CASES, measured
from permconf_study.markdown import table, update

PAGE = Path("docs/BENCHMARKS.md")
NO_R = "R with pROC, randomForest and ranger is not installed: its lines are left out."
NO_MLCONFOUND = (
    "mlconfound is not installed: its lines are left out"
    " (`permconf run results/stress/mlconfound_environment/versions.txt` installs it)."
)
LIMIT = 1.5  # times as slow as the other commit is worth a look; less may be the machine
SLOWER = f" | more than {LIMIT} times as slow as before"
_HEADINGS = ("answer", "competitor", "training rows x features", "engine", "its time", "ratio (quartiles)")


def main(options):
    """Run the benchmark; a quick one (logistic regression, one size) or one of two commits is only printed."""
    if options.compare:
        for line in compared(options.compare, cases=QUICK if options.quick else COMMITS):
            print(f"{line}{SLOWER if line.ratio[0] < 1 / LIMIT else ''}", flush=True)
        return
    learners, sizes, rounds = (LEARNERS[:1], SIZES[:1], 3) if options.quick else (LEARNERS, SIZES, 9)
    in_r, (python, mlconfound) = workers.r_versions(), workers.mlconfound_python()
    missing = [text for text, found in ((NO_R, in_r), (NO_MLCONFOUND, mlconfound)) if not found]
    for text in missing:
        print(text)
    ours = [f"{name} {number}" for name, number in {"permconf": __version__, **versions()}.items()]
    about = {
        "date": date.today().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, of which one is used",
        "versions": ", ".join(filter(None, [*ours, in_r, mlconfound])),
    }
    before = os.getloadavg()[0]
    with threadpool_limits(1):
        lines = list(map(_printed, whole_calls(sizes, rounds=rounds)))
        lines += map(_printed, per_permutation(learners, sizes, with_r=bool(in_r), rounds=rounds))
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


def parts(about, lines, answers, growth):
    """The marked parts of the page: what was measured where, and the tables."""
    times = [(line, duration(line.engine), duration(line.seconds)) for line in answers]
    rows = [[line.task, line.competitor, line.size, *both, line.ratio_text] for line, *both in times]
    cases = [[f"{n:,}", f"{b:,}", duration(s), duration(s / b), f"{memory:.0f} MB"] for n, b, s, memory in growth]
    headings = ["training and test rows", "permutations", "time", "per permutation", "peak memory"]
    return {
        "about": "\n".join(f"- {name}: {text}" for name, text in about.items()),
        "per_permutation": _ratios(lines),
        "complete": table(_HEADINGS, rows),
        "growth": table(headings, cases),
    }


def _ratios(lines):
    """For each learner the times of the engine, and the ratios of each competitor, by size."""
    sizes, rows = list(dict.fromkeys(line.size for line in lines)), []
    for learner in dict.fromkeys(line.task for line in lines):
        here = [line for line in lines if line.task == learner]
        engine = {line.size: duration(line.engine) for line in here}
        rows.append([learner, "engine", *(engine.get(size, "") for size in sizes), ""])
        for kind in dict.fromkeys(line.kind for line in here):
            found = {line.size: line for line in here if line.kind == kind}
            differences = [line.difference for line in found.values() if line.difference is not None]
            ratios = [found[size].ratio_text if size in found else "" for size in sizes]
            rows.append(["", kind, *ratios, f"{max(differences):.1e}" if differences else ""])
    return table(["call or learner", "competitor", *sizes, "AUCs differ by"], rows)
