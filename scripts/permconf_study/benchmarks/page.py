"""The marked parts of docs/BENCHMARKS.md."""

from permconf_study.benchmarks.comparisons import duration
from permconf_study.markdown import table

_HEADINGS = ("answer", "competitor", "training rows x features", "engine", "its time", "ratio (quartiles)")


def parts(about, lines, answers, growth):
    """The parts by name: what was measured where, and the tables."""
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
    return table(["learner", "competitor", *sizes, "AUCs differ by"], rows)
