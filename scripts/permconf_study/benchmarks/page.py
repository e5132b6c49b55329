"""The page of the benchmark, docs/BENCHMARKS.md, as Markdown."""

from permconf_study.benchmarks.comparisons import duration
from permconf_study.benchmarks.workers import MLCONFOUND_PERMUTATIONS
from permconf_study.markdown import table

INTRODUCTION = """
How fast is the engine? Written by `permconf bench` in one run. Times are processor time summed over threads, medians
over rounds; a ratio is the competitor's time over the engine's in the same round (quartiles). Data are like those of
experiment 1; the test set is as large as the training set.
""".strip()
PER_PERMUTATION = """
## One permutation

- engine: permute the response within levels, fit, score, AUC; 1,000 permutations a call (10 with forests of 500 trees).
- scikit-learn: fit, score and `roc_auc_score` for a response already permuted; no penalty, the fastest solver at each
  size.
- `permutation_test_score` (n_jobs=1, `groups`): one split instead of five folds.
- R: `glm`, `randomForest` or `ranger` (one thread), `predict` and pROC for a response already permuted.

The last column is the largest difference in AUC over the same responses. Two forests differ by chance.
""".strip()
COMPLETE = f"""
## One complete answer

One answer with {MLCONFOUND_PERMUTATIONS:,} permutations, mlconfound's default. mlconfound and `prediction_test` test
the same null hypothesis on the same predictions; `assess` fits a logistic regression for every permutation.
""".strip()
GROWTH = """
## Growth

Logistic regression with 10 features, each line in a process of its own.
""".strip()
_HEADINGS = ("competitor", "training rows x features", "engine", "its time", "ratio (quartiles)", "AUCs differ by")


def benchmark_page(about, missing, lines, answers, growth):
    """The page: what was measured where, what is missing, and the tables."""
    parts = ["# Benchmarks", INTRODUCTION, "\n".join(f"- {name}: {text}" for name, text in about.items())]
    parts += [*missing, PER_PERMUTATION]
    for learner in dict.fromkeys(line.task for line in lines):
        parts += [f"### {learner}", _ratios([line for line in lines if line.task == learner])]
    if answers:
        parts += [COMPLETE, table(["answer", *_HEADINGS[:-1]], [[line.task, *_entries(line)[:-1]] for line in answers])]
    cases = [[f"{n:,}", f"{b:,}", duration(s), duration(s / b), f"{memory:.0f} MB"] for n, b, s, memory in growth]
    headings = ["training and test rows", "permutations", "time", "per permutation", "peak memory"]
    return "\n\n".join([*parts, GROWTH, table(headings, cases)]) + "\n"


def _ratios(lines):
    """The table of a learner, competitor by competitor."""
    kinds = list(dict.fromkeys(line.kind for line in lines))
    return table(_HEADINGS, map(_entries, sorted(lines, key=lambda line: kinds.index(line.kind))))


def _entries(line):
    difference = "" if line.difference is None else f"{line.difference:.1e}"
    return line.competitor, line.size, duration(line.engine), duration(line.seconds), line.ratio_text, difference
