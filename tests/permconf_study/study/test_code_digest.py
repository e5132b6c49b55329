"""The code of a step: its script, everything it imports, and its plugins; what is reworded does not count."""

import subprocess
import sys
from pathlib import Path

import pytest

from permconf_study.study import code_digest
from permconf_study.study.code_digest import digest_of, imported, plugin_file, step_code

SCRIPTS = Path(__file__).parents[3] / "scripts"
LOADED = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("step", sys.argv[1])
spec.loader.exec_module(importlib.util.module_from_spec(spec))
print(*(m.__file__ for name, m in sys.modules.items() if name.startswith("permconf") and getattr(m, "__file__", None)))
"""


@pytest.fixture
def digest(tmp_path):
    """The digest of a file with this text."""

    def of(text, suffix=".py"):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}{suffix}"
        path.write_text(text)
        return digest_of(imported(path))

    return of


def test_what_is_computed_counts_and_words_do_not(digest):
    first = digest('"""Doc."""\ndef f(x):\n    """Old."""\n    log.info("a")\n    return x + 1\n')
    assert digest('"""Other."""\n# why\ndef f(x):\n    """New."""\n    log.info("b")\n    return x  +  1\n') == first
    assert digest("def f(x):\n    return x + 2\n") != first
    text = "def f(x):\n    if x:\n        raise ValueError('one')\n    return x\n"
    assert digest(text.replace("one", "two")) == digest(text)
    assert digest(text.replace("ValueError", "TypeError")) != digest(text)
    assert digest("p { color: red }", ".css") != digest("p { color: red; }", ".css")


@pytest.mark.parametrize("name", ["permutation_nulls", "claims"])
def test_the_closure_has_every_module_that_python_loads(name):
    command = [sys.executable, "-c", LOADED, SCRIPTS / f"{name}.py"]
    loaded = {Path(path) for path in subprocess.check_output(command, text=True).split()}
    loaded -= {SCRIPTS / top / "__init__.py" for top in ("permconf", "permconf_study")}  # they list public names
    assert loaded <= imported(SCRIPTS / f"{name}.py")


def test_an_edit_of_any_module_makes_exactly_those_steps_due_that_import_it(tmp_path, monkeypatch):
    """Every module of the library is edited in turn: a constant makes due, a docstring does not."""
    steps, read, closures, edited = [path.stem for path in SCRIPTS.glob("*.py")], code_digest._read, {}, {}
    monkeypatch.setattr(code_digest, "_read", lambda path: edited.get(path) or read(path))
    digests = {step: step_code.__wrapped__(step) for step in steps}
    for step in steps:
        with monkeypatch.context() as context:
            context.setattr(code_digest, "digest_of", lambda files, step=step: closures.setdefault(step, files))
            step_code.__wrapped__(step)
    for path in sorted(SCRIPTS.rglob("*.py")):
        for edit, counts in (('"""Another docstring."""\n{}', False), ("{}\nEDITED = 1\n", True)):
            copy = tmp_path / "edited.py"
            copy.write_text(edit.format(path.read_text()))
            edited = {path: code_digest._parsed(copy)}
            due = {step for step in steps if digest_of(closures[step]) != digests[step]}
            assert due == {step for step in steps if counts and path in closures[step]}, path
    for plugin in ("learners/logistic.py", "metrics/auc.py"):
        assert all(SCRIPTS / "permconf" / plugin in closures[step] for step in ("seed_spread", "test_costs"))


def test_what_a_run_keeps_holds_until_a_file_is_edited(tmp_path, monkeypatch):
    module, caches = tmp_path / "module.py", (code_digest._read, code_digest._kept)
    module.write_text("import math\nA = 1\n")
    monkeypatch.setattr(code_digest, "KEPT", tmp_path / "made/code")
    monkeypatch.setattr(code_digest, "_digested", set())
    first = code_digest._read(module)
    code_digest.keep_code()
    for cached in caches:
        cached.cache_clear()
    with monkeypatch.context() as unparsed:
        unparsed.delattr(code_digest, "_parsed")
        assert code_digest._read(module) == first
    module.write_text("import math\nA = 22\n")
    code_digest._read.cache_clear()
    assert code_digest._read(module) != first
    for cached in caches:
        cached.cache_clear()


def test_a_step_that_can_load_any_plugin_depends_on_all_of_them():
    every = step_code("seed_spread")
    assert every == step_code("seed_spread", "permconf.learners.logistic", "permconf.metrics.auc")
    assert every != step_code("seed_spread", plugins=(("learners", "logistic"),))
    assert step_code("aggregate") == step_code("aggregate", plugins=())


def test_a_class_of_the_users_own_counts_and_an_installed_one_does_not(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mymodels.py").write_text("from myhelpers import x\nclass Mine: pass\n")
    (tmp_path / "myhelpers.py").write_text("x = 1\n")
    names = {path.name for path in imported(plugin_file("learners", "mymodels.Mine"))}
    assert {"estimator.py", "mymodels.py", "myhelpers.py"} <= names
    assert imported(plugin_file("learners", "sklearn.svm.SVC")) == imported(plugin_file("learners", "estimator"))
