"""The page of the benchmark, docs/BENCHMARKS.md, as Markdown."""

from permconf_study.benchmarks.comparisons import duration
from permconf_study.benchmarks.workers import MLCONFOUND_PERMUTATIONS
from permconf_study.markdown import table

INTRODUCTION = """
Written by `permconf bench`, which measured everything on this page in one run. Times are processor time (medians over
rounds), summed over threads, so that nothing is gained by using several cores. In every round the engine and its
competitors run one after the other. A ratio is the competitor's time divided by the engine's in the same round: median
(quartiles) over rounds. Data are like those of experiment 1; the test set is as large as the training set.
""".strip()
PER_PERMUTATION = """
## One permutation

What each does per permutation:

- engine: permute the response within the levels of the confounder in the training and the test set, fit, score the test
  set, compute the AUC. One call makes 1,000 permutations (10 with forests, which have 500 trees).
- scikit-learn: fit, score and `roc_auc_score` for a response already permuted. Logistic regression has no penalty and
  the fastest of the solvers lbfgs, newton-cholesky and newton-cg, nearest neighbours the faster of kd_tree and brute:
  all are timed at each size.
- `permutation_test_score` (scikit-learn, n_jobs=1): permute all rows within the levels of the confounder (`groups`),
  fit, score, compute the AUC. It is given one split instead of its usual five folds, which would need five fits.
- R: `glm`, `randomForest` or `ranger` (500 trees, one thread), `predict` and the AUC of pROC for a response already
  permuted.

The last column is the largest difference in AUC between engine and competitor over the same permuted responses. Two
forests differ by chance.
""".strip()
COMPLETE = f"""
## One complete answer

The partial confounder test of mlconfound takes predictions, fits a model of the confounder given the response, and
permutes the confounder by a Markov chain. Each time is that of one answer with {MLCONFOUND_PERMUTATIONS:,}
permutations, mlconfound's default. `prediction_test` tests the same null hypothesis on the same predictions. `assess`
is the paper's method, which also fits a logistic regression for every permutation.
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
