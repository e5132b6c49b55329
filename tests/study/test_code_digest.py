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
    assert code_digest("nulls") == code_digest("nulls", "shuffles")  # nulls imports shuffles
    assert code_digest("nulls") != code_digest("nulls", "curves")
