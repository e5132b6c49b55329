"""Contract tests run over every learner, metric, generator and adjustment that the registry finds, those in a user's
own folder (`plugins` in config.yaml) included, and over every file of scenarios, of a grid the first and the last cell:
a new file is tested without a new test.
"""

import contextlib
from pathlib import Path

import pytest

from permconf import registry
from permconf_study.study.configuration import checked_settings, read_settings, scenarios_of
from permconf_study.study.paths import located, use_plugins
from permconf_study.study.scenario_files import read_drafts

KINDS = ("learners", "metrics", "generators", "adjustments")
NOT_BY_NAME = {"learners": ("estimator",), "metrics": ("scorer",)}  # they take objects; these stand for them instead:
DOTTED = {
    "learners": (
        "sklearn.tree.DecisionTreeClassifier",
        "sklearn.linear_model.Ridge",
        "sklearn.linear_model.LogisticRegression",
    ),
    "metrics": ("matthews_corrcoef", "neg_log_loss", "neg_mean_absolute_error"),
}


def settings(config):
    """config.yaml, with the folder of plugins given to pytest."""
    folder = config.getoption("--plugin-folder")
    given = {"plugins": str(Path(folder).resolve())} if folder else {}
    return checked_settings(read_settings() | given | {"datasets": None, "chunk": None})


@contextlib.contextmanager
def registered(config):
    """The user's folder in the registry, and only inside the block: other tests are about the package alone."""
    folders = list(registry._folders)
    use_plugins(settings(config))
    yield
    registry._folders[:] = folders
    registry.load.cache_clear()


@pytest.fixture(autouse=True)
def _registered(request):
    with registered(request.config):
        yield


def pytest_generate_tests(metafunc):
    """Arguments like `learner_name` stand for every file of that kind."""
    with registered(metafunc.config):
        for kind in KINDS:
            if f"{kind[:-1]}_name" in metafunc.fixturenames:
                names = [name for name in registry.names(kind) if name not in NOT_BY_NAME.get(kind, ())]
                metafunc.parametrize(f"{kind[:-1]}_name", [*names, *DOTTED.get(kind, ())])
        if "scenario_name" in metafunc.fixturenames:
            folder = located(settings(metafunc.config)["scenario_dir"])
            files: dict = {}
            for name, draft in read_drafts(folder).items():
                files.setdefault(draft.path, []).append((draft.place, name))
            ends = {name for cells in files.values() for _, name in (min(cells), max(cells))}
            metafunc.parametrize("scenario_name", sorted(ends))


@pytest.fixture(scope="session")
def scenarios(request):
    """Every scenario, checked and completed."""
    with registered(request.config):
        return scenarios_of(settings(request.config))


@pytest.fixture
def sentence():
    """Whether the message of an error is one line."""

    def is_one(error):
        return bool(str(error).strip()) and "\n" not in str(error)

    return is_one
