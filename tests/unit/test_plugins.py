import os
import subprocess
import sys
from pathlib import Path

import pytest

from permconf import plugins


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "brier.py").write_text("METRIC = 'my metric'\n")
    (tmp_path / "metrics" / "empty.py").write_text("x = 1\n")
    monkeypatch.delenv("PERMCONF_PLUGINS", raising=False)
    plugins.use_folder(tmp_path)
    yield tmp_path
    plugins._folders.remove(tmp_path.resolve())
    plugins.load.cache_clear()


def test_names_are_files():
    assert {"auc", "accuracy", "mse", "mae", "ccc", "correlation"} <= set(plugins.names("metrics"))
    assert "logistic_kernel" not in plugins.names("learners")


def test_a_users_folder_is_searched_too(folder):
    assert "brier" in plugins.names("metrics")
    assert plugins.load("metrics", "brier") == "my metric"
    assert plugins.path_of("metrics", "brier").parent.parent == folder.resolve()


@pytest.mark.usefixtures("folder")
def test_processes_started_later_search_it_too():
    code = "from permconf import plugins; print(plugins.load('metrics', 'brier'))"
    environment = os.environ | {"PYTHONPATH": str(Path(plugins.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "my metric\n"


@pytest.mark.usefixtures("folder")
def test_a_file_without_the_object_is_reported():
    with pytest.raises(plugins.UnknownName, match="defines no METRIC"):
        plugins.load("metrics", "empty")


def test_the_nearest_name_is_offered():
    with pytest.raises(plugins.UnknownName, match=r"unknown learner 'logistc', did you mean 'logistic'\?"):
        plugins.load("learners", "logistc")
    with pytest.raises(plugins.UnknownName, match="known are accuracy, auc"):
        plugins.load("metrics", "xyzzy")
