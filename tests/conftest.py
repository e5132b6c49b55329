"""Data shared by the tests."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from permconf_study.study.scenario import load_scenarios

DATA = Path(__file__).parent / "reference"
ROOT = Path(__file__).parents[1]


def pytest_addoption(parser):
    """Another folder of plugins than that of config.yaml for the contract tests."""
    parser.addoption(
        "--plugin-folder", default=None, help="folder of plugins for tests/contract (default: config.yaml)"
    )


class Reference(NamedTuple):
    """A data set analysed in R: features, response, confounder, training rows, 50 permuted responses, R's results."""

    X: np.ndarray
    y: np.ndarray
    c: np.ndarray
    train: np.ndarray
    labels: np.ndarray
    label_results: pd.DataFrame
    glm: dict

    @property
    def parts(self):
        """X, y, c of the training rows, then of the test rows."""
        return tuple(v[rows] for rows in (self.train, ~self.train) for v in (self.X, self.y, self.c))


@pytest.fixture
def readable_in_print(monkeypatch):
    """Texts of all figures that a test draws have at least 7 points in print (sub- and superscripts have less)."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from permconf.plotting import style

    made, original = [], Figure.__init__

    def recorded(self, *args, **options):
        original(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(Figure, "__init__", recorded)
    yield
    for figure in made:
        scale = min(1, style.PAGE / figure.get_figwidth())
        with style.context():  # in which figures are saved: labels of ticks are made late
            texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        sizes = {text.get_text(): scale * text.get_fontsize() for text in texts}
        assert min(sizes.values(), default=7) >= 7, sizes


@pytest.fixture(scope="session")
def reference():
    """Load reference data set DNN."""
    results = json.loads((DATA / "classification" / "glm.json").read_text())

    def load(name):
        folder = DATA / "classification"
        table = pd.read_csv(folder / f"{name}.csv")
        return Reference(
            X=table.filter(regex=r"^f\d+$").to_numpy(),
            y=table["y"].to_numpy(),
            c=table["c"].to_numpy(),
            train=(table["split"] == "train").to_numpy(),
            labels=pd.read_csv(folder / f"{name}_labels.csv").to_numpy(),
            label_results=pd.read_csv(folder / f"{name}_labels_auc.csv"),
            glm=results[name],
        )

    return load


@pytest.fixture(scope="session")
def association():
    """Load data set TNN: x, y, c, and R's results for them."""
    results = json.loads((DATA / "association" / "theorems.json").read_text())

    def load(name):
        table = pd.read_csv(DATA / "association" / f"{name}.csv")
        return (*(table[v].to_numpy() for v in "xyc"), results[name])

    return load


@pytest.fixture(autouse=True)
def _logging():
    """A command that silences the log does so for one test."""
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def rng():
    """A fresh, seeded generator."""
    return np.random.default_rng(20180518)


@pytest.fixture(scope="session")
def scenarios():
    """Every shipped scenario, checked and completed, with few data sets."""
    return load_scenarios(ROOT / "workflow" / "scenarios", {"datasets": 4})


@pytest.fixture(scope="session")
def assessed_row():
    """A row of a table of tests with round numbers, some of them changed."""
    row = {
        "dataset": 0,
        "metric": "auc",
        "n_train": 80,
        "n_test": 100,
        "n_permutations": 500,
        "observed": 0.9,
        "restricted_mean": 0.7,
        "restricted_sd": 0.02,
        "baseline_mean": 0.5,
        "baseline_sd": 0.05,
        "response_p": 0.01,
        "status": "ok",
    }
    return lambda **changes: SimpleNamespace(**row | changes)


@pytest.fixture(scope="session")
def baseline_row(assessed_row):
    """The same of baseline sets with another mean and standard deviation."""
    baseline = {"n_train": 50, "restricted_mean": 0.6, "restricted_sd": 0.04}
    return lambda **changes: assessed_row(**baseline | changes)
