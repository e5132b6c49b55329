import re
from pathlib import Path

import pytest

from permconf_study.study.code_digest import code_digest, script_digest


@pytest.fixture
def digest(tmp_path):
    """The digest of a file with this text."""

    def of(text, suffix=".py"):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}{suffix}"
        path.write_text(text)
        return code_digest(path)

    return of


def test_what_is_computed_counts_and_comments_do_not(digest):
    first = digest('"""Doc."""\ndef f(x):\n    """Old."""\n    return x + 1\n')
    assert digest('"""Other."""\n# why\ndef f(x):\n    """New."""\n    return x  +  1\n') == first
    assert digest("def f(x):\n    return x + 2\n") != first


def test_imports_within_the_package_count(digest):
    alone = digest("import numpy\n")
    assert digest("import numpy\nfrom permconf.permute.random_bits import below\n") != alone
    nulls = code_digest("permconf.engine.nulls")
    assert nulls == code_digest("permconf.engine.nulls", "permconf.permute.shuffles")  # nulls imports shuffles
    assert nulls != code_digest("permconf.engine.nulls", "permconf_study.study.rejection_rates")


def test_words_of_errors_and_logs_do_not_count(digest):
    text = "def f(x):\n    log.info('one')\n    if x:\n        raise ValueError('one')\n    return x\n"
    assert digest(text.replace("one", "two")) == digest(text)
    assert digest(text.replace("ValueError", "TypeError")) != digest(text)


def test_other_files_count_to_the_byte(digest):
    assert digest("p { color: red }", ".css") != digest("p { color: red; }", ".css")


def test_a_script_counts_by_its_content(tmp_path, monkeypatch):
    monkeypatch.setattr("permconf_study.study.code_digest.SCRIPTS", tmp_path)
    for name, text in {"a": "x = 1\n", "b": "x = 1  # one\n", "c": "x = 2\n"}.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert script_digest("a") == script_digest("b") != script_digest("c")


def test_every_step_with_a_script_depends_on_its_content():
    for path in (Path(__file__).parents[3] / "workflow/rules").glob("*.smk"):
        for rule in re.split(r"^(?=rule )", path.read_text(), flags=re.MULTILINE):
            for name in re.findall(r'script:\s+"../../scripts/(\w+).py"', rule):
                assert f'script=script_digest("{name}"),' in rule, name


def test_an_unknown_module_is_named():
    with pytest.raises(ValueError, match="not a module of permconf: 'nulls'"):
        code_digest("nulls")
