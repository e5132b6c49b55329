import pytest

from permconf import registry
from permconf.errors import nearest
from permconf.metrics import make_metric


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "brier.py").write_text("METRIC = 'my metric'\n")
    (tmp_path / "metrics" / "empty.py").write_text("x = 1\n")
    (tmp_path / "learners").mkdir()
    (tmp_path / "learners" / "instance.py").write_text("LEARNER = object()\n")
    (tmp_path / "metrics" / "ending.py").write_text("import sys\nsys.exit(0)\n")
    registry.use_folder(tmp_path)
    yield tmp_path
    registry._folders.remove(tmp_path.resolve())
    registry.load.cache_clear()


def test_a_users_folder_is_searched_too(folder):
    assert "brier" in registry.names("metrics")
    assert registry.load("metrics", "brier") == "my metric"
    assert registry.path_of("metrics", "brier").parent.parent == folder.resolve()


@pytest.mark.usefixtures("folder")
def test_a_file_without_the_object_is_reported():
    with pytest.raises(registry.UnknownName, match="defines no METRIC"):
        registry.load("metrics", "empty")


@pytest.mark.usefixtures("folder")
def test_an_object_of_another_type_is_reported_with_its_file():
    with pytest.raises(registry.BrokenPlugin, match=r"brier.py: METRIC is of type str; write METRIC = Metric\(...\)"):
        make_metric("brier")
    with pytest.raises(registry.BrokenPlugin, match=r"instance.py: LEARNER is of type object; a class is needed"):
        registry.made("learners", "instance", {})


@pytest.mark.usefixtures("folder")
def test_a_file_that_ends_the_process_is_reported():
    with pytest.raises(registry.BrokenPlugin, match=r"ending.py cannot be imported: SystemExit: 0"):
        registry.load("metrics", "ending")


def test_the_nearest_name_is_offered():
    with pytest.raises(registry.UnknownName, match=r"unknown learner 'logistc', did you mean 'logistic'\?"):
        registry.load("learners", "logistc")
    with pytest.raises(registry.UnknownName, match="choose from accuracy, auc"):
        registry.load("metrics", "xyzzy")


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        ([], ""),
        ("ba", "; choose from a, b"),
        ("abcdefghijklmno", "; choose from a, b, c, d, e, f, g, h, i, j, k, l, m, n, o"),
        ("abcdefghijklmnop", "; choose from a, b, c, d, e, f, g, h, i, j, and 6 more"),
    ],
)
def test_few_names_are_listed_and_the_first_of_many(known, hint):
    assert nearest("xyzzy", known) == hint
