import pytest

from permconf.study.code_digest import code_digest


def _module(path, text):
    path.write_text(text)
    code_digest.__globals__["_parsed"].cache_clear()
    code_digest.__globals__["_tree"].cache_clear()
    return code_digest(path)


def test_what_is_computed_counts_and_comments_do_not(tmp_path):
    path = tmp_path / "plugin.py"
    first = _module(path, '"""Doc."""\ndef f(x):\n    """Old."""\n    return x + 1\n')
    assert _module(path, '"""Other."""\n# why\ndef f(x):\n    """New."""\n    return x  +  1\n') == first
    assert _module(path, "def f(x):\n    return x + 2\n") != first


def test_imports_within_the_package_count(tmp_path):
    path = tmp_path / "plugin.py"
    alone = _module(path, "import numpy\n")
    assert _module(path, "import numpy\nfrom permconf.method.random_bits import below\n") != alone
    nulls = code_digest("method.nulls")
    assert nulls == code_digest("method.nulls", "method.shuffles")  # nulls imports shuffles
    assert nulls != code_digest("method.nulls", "study.rejection_rates")


def test_words_of_errors_and_logs_do_not_count(tmp_path):
    path = tmp_path / "plugin.py"
    text = "def f(x):\n    log.info('one')\n    if x:\n        raise ValueError('one')\n    return x\n"
    assert _module(path, text.replace("one", "two")) == _module(path, text)
    assert _module(path, text.replace("ValueError", "TypeError")) != _module(path, text)


def test_other_files_count_to_the_byte(tmp_path):
    path = tmp_path / "report.css"
    assert _module(path, "p { color: red }") != _module(path, "p { color: red; }")


def test_an_unknown_module_is_named():
    with pytest.raises(ValueError, match="no module of permconf: 'nulls'"):
        code_digest("nulls")
