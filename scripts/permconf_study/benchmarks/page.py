"""The page of the benchmark, docs/BENCHMARKS.md, as Markdown."""

from permconf_study.benchmarks.comparisons import duration
from permconf_study.benchmarks.workers import MLCONFOUND_PERMUTATIONS
from permconf_study.markdown import table

INTRODUCTION = """
How fast the engine is; `permconf bench` writes this page in one run. Times are processor time summed over threads,
medians over rounds; a ratio is the competitor's time over the engine's in the same round (quartiles). Data are like
those of experiment 1; the test set is as large as the training set.
""".strip()
PER_PERMUTATION = """
## One permutation

- engine: permute the response within levels, fit, score, AUC; 1,000 permutations a call (10 with forests of 500 trees).
- scikit-learn: fit, score and `roc_auc_score` for a response already permuted; no penalty, the fastest solver at each
  size.
- `permutation_test_score` (n_jobs=1, `groups`): one split instead of five folds.
- R: `glm`, `randomForest` or `ranger` (one thread), `predict` and pROC for a response already permuted.

The table has the time of the engine, and below it how many times as long a competitor takes, by training rows x
features. The last column is the largest difference in AUC over the same responses; two forests differ by chance.
""".strip()
COMPLETE = f"""
## One complete answer

One answer with {MLCONFOUND_PERMUTATIONS:,} permutations, mlconfound's default. mlconfound and `prediction_test` test
the same null hypothesis on the same predictions; `assess` fits a logistic regression for every permutation.
""".strip()
GROWTH = """
## Growth

Logistic regression with 10 features, one process per line.
""".strip()
_HEADINGS = ("answer", "competitor", "training rows x features", "engine", "its time", "ratio (quartiles)")


def benchmark_page(about, missing, lines, answers, growth):
    """The page: what was measured where, what is missing, and the tables."""
    parts = ["# Benchmarks", INTRODUCTION, "\n".join(f"- {name}: {text}" for name, text in about.items())]
    parts += [*missing, PER_PERMUTATION, _ratios(lines)]
    if answers:
        times = [(line, duration(line.engine), duration(line.seconds)) for line in answers]
        rows = [[line.task, line.competitor, line.size, *both, line.ratio_text] for line, *both in times]
        parts += [COMPLETE, table(_HEADINGS, rows)]
    cases = [[f"{n:,}", f"{b:,}", duration(s), duration(s / b), f"{memory:.0f} MB"] for n, b, s, memory in growth]
    headings = ["training and test rows", "permutations", "time", "per permutation", "peak memory"]
    return "\n\n".join([*parts, GROWTH, table(headings, cases)]) + "\n"


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
