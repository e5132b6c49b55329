"""A file in a user's folder is tested as it is found, without a new test: bad ones are caught."""

import re
import subprocess
import sys

import pytest

BAD = {
    "learners/leaky.py": """
class Leaky:
    def scores(self, X_train, Y_train, X_test, keys):
        scores = X_test @ (X_train.T @ (Y_train - Y_train.mean()))  # the mean of all columns
        return scores

LEARNER = Leaky
""",
    "learners/forgetful.py": """
import numpy as np

class Forgetful:
    def scores(self, X_train, Y_train, X_test, keys):
        return np.random.default_rng().standard_normal((len(X_test), keys.size))

LEARNER = Forgetful
""",
    "metrics/upside_down.py": """
import numpy as np
from permconf.metrics import Metric

METRIC = Metric(lambda Y, scores: np.mean((scores > 0) != Y, axis=0), task="classification")
""",
    "generators/careless.py": """
import numpy as np
from permconf.generators import Generator

def sample(rng, *, n, share):
    return np.random.standard_normal((n, 3)), rng.random(n) < share, rng.integers(0, 2, n)

GENERATOR = Generator(sample)
""",
}


@pytest.fixture(scope="module")
def outcome(request, tmp_path_factory):
    """Outcomes of the contract tests of all these files, by test and name, from a separate run of pytest."""
    folder = tmp_path_factory.mktemp("plugins")
    for name, text in (BAD).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    names = " or ".join(name.split("/")[1].removesuffix(".py") for name in BAD)
    files = [f"tests/contract/test_{kind}.py" for kind in ("learners", "metrics", "generators")]
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:xdist", "-p", "no:cacheprovider"]
    command += ["--plugin-folder", str(folder), "-k", names, *files]
    done = subprocess.run(command, cwd=request.config.rootpath, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.findall(r"::test_(\w+)\[(\w+)\] (PASSED|FAILED|ERROR|SKIPPED)", done.stdout)
    return {(test, name): result for test, name, result in found}


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("leaky", "a_batch_of_b_equals_b_batches_of_one"),
        ("forgetful", "the_same_keys_give_the_same_scores"),
        ("upside_down", "better_scores_have_better_values"),
        ("careless", "the_same_stream_gives_the_same_data_and_another_stream_other_data"),
        ("careless", "it_draws_from_its_stream_only"),
    ],
)
def test_bad_files_are_caught(outcome, name, test):
    assert outcome[test, name] in ("FAILED", "ERROR")
