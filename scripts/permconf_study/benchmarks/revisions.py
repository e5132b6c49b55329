"""This working copy compared with another commit: `permconf bench --compare REV` shows a loss of speed before it lands.

The other commit is kept in results/revisions with its compiled kernels, which take a minute or two the first time.
"""

import io
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from permconf_study.benchmarks.comparisons import Line
from permconf_study.benchmarks.measuring import alternately
from permconf_study.benchmarks.problems import problem
from permconf_study.benchmarks.workers import revision_worker

SCRIPTS = Path(__file__).parents[2]
KEPT = Path("results/revisions")
CASES = (  # call, rows, features and permutations
    ("logistic", 400, 10, 200),
    ("logistic", 1_000, 30, 500),
    ("logistic", 2_000, 100, 1_000),
    ("random_forest", 200, 10, 10),
    ("prediction_test", 1_000, 10, 999),
    ("audit", 400, 10, 199),
)
QUICK = (CASES[0], CASES[3], CASES[5])


def compared(revision, *, cases=CASES, rounds=5):
    """Lines of the comparison, as they are measured: the engine is this copy, the competitor is the other commit."""
    other = _checked_out(revision)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda case: _compiled(other, case), {case[0]: case for case in cases[::-1]}.values()))
    for call, rows, features, b in cases:
        task = problem(rows, 1, features=features)
        with revision_worker("this copy", SCRIPTS, task) as ours, revision_worker(revision, other, task) as theirs:
            seconds, _ = alternately([ours(call, b), theirs(call, b)], rounds)
        yield Line.of_rounds(call, revision, task.size, *(seconds.T / b))


def _compiled(folder, case):
    """Have a commit compile what a call needs."""
    call, rows, features, _ = case
    with revision_worker("", folder, problem(rows, 1, features=features)) as worker:
        worker(call, 2).run(2)


def _checked_out(revision):
    """The folder `scripts` of a commit."""
    commit = _git(revision, "rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    folder = (KEPT / commit).resolve()
    if not folder.exists():
        with tarfile.open(fileobj=io.BytesIO(_git(revision, "archive", commit, "."))) as files:
            files.extractall(folder, filter="data")
    return folder


def _git(revision, *arguments):
    done = subprocess.run(["git", *arguments], cwd=SCRIPTS, capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"{revision} cannot be checked out: {done.stderr.decode().strip().splitlines()[-1]}")
    return done.stdout
