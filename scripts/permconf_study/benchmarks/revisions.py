"""This working copy beside another commit: `permconf bench --compare REV` shows a loss of speed before it lands."""

import io
import subprocess
import tarfile
import tempfile
from contextlib import contextmanager
from pathlib import Path

from permconf_study.benchmarks.comparisons import Line
from permconf_study.benchmarks.measuring import alternately
from permconf_study.benchmarks.problems import problem
from permconf_study.benchmarks.workers import revision_worker

SCRIPTS = Path(__file__).parents[2]
CASES = (  # call, rows, features and permutations
    ("logistic", 400, 10, 200),
    ("logistic", 1_000, 30, 500),
    ("random_forest", 200, 10, 10),
    ("prediction_test", 1_000, 10, 999),
)


def compared(revision, *, cases=CASES, rounds=9):
    """Lines of the comparison, as they are measured: the engine is this copy, the competitor is the other commit."""
    with _checked_out(revision) as other:
        for call, rows, features, b in cases:
            task = problem(rows, 1, features=features)
            with revision_worker("this copy", SCRIPTS, task) as ours, revision_worker(revision, other, task) as theirs:
                seconds, _ = alternately([ours(call, b), theirs(call, b)], rounds)
            yield Line.of_rounds(call, revision, task.size, *(seconds.T / b))


@contextmanager
def _checked_out(revision):
    """The folder `scripts` of a commit, in a temporary folder."""
    archive = subprocess.run(["git", "archive", revision, "."], cwd=SCRIPTS, capture_output=True, check=False)
    if archive.returncode:
        raise ValueError(f"{revision} cannot be checked out: {archive.stderr.decode().strip().splitlines()[-1]}")
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
        yield Path(folder)
