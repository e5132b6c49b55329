"""The examples of docstrings, README.md and docs/ run, and print what the pages say (SCENARIOS: test_documentation)."""

import doctest
import inspect
import json
import re

import pytest

import permconf
from permconf_study.pages import api, examples

NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")


@pytest.mark.parametrize("name", permconf.__all__)
def test_every_public_name_has_an_example_that_runs(name):
    item = getattr(permconf, name)
    tests = doctest.DocTestFinder(recurse=False).find(item, name, globs={})
    assert tests, f"{name} has no docstring"
    assert tests[0].examples, f"{name} has no example"
    assert any(name in example.source for example in tests[0].examples) or inspect.isclass(item)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(tests[0]).failed == 0


def test_every_public_name_is_on_the_page(request):
    assert sorted(name for names in api.TOPICS.values() for name in names) == sorted(permconf.__all__)
    page = (request.config.rootpath / "docs/API.md").read_text()
    assert api.parts(None, None)["names"] in page, "docs/API.md is out of date; run permconf page api"


@pytest.mark.slow
@pytest.mark.parametrize("page", ["AUDIT", "TUTORIAL"])
def test_a_page_prints_what_it_says(page, request, tmp_path):
    text = (request.config.rootpath / f"docs/{page}.md").read_text()
    printed = examples.run_examples(text, tmp_path)
    marked = dict(re.findall(r"<!-- table: (\w+) -->\n(.*?)\n<!-- end -->", text, re.DOTALL))
    assert marked.keys() == printed.keys()
    for name, block in marked.items():
        alike(printed[name], block)
    if page == "AUDIT":
        assert {"audit.html", "audit.png"} <= {path.name for path in tmp_path.iterdir()}
    else:
        written = json.loads((request.config.rootpath / "docs/TUTORIAL.ipynb").read_text())
        assert written == examples.notebook(text), "the notebook is out of date; run permconf page tutorial"


@pytest.mark.slow
def test_the_readme_says_what_its_example_finds(request, tmp_path, monkeypatch, capsys):
    section = (request.config.rootpath / "README.md").read_text().partition("## Your own data")[2]
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", section, re.DOTALL)[1], {})
    answer = " ".join(capsys.readouterr().out.split("\n\n")[1].split())
    quoted = " ".join(line.removeprefix("> ") for line in section.splitlines() if line.startswith("> "))
    alike(answer[: len(quoted)], quoted)
    assert (tmp_path / "audit.html").exists()


@pytest.mark.slow
def test_calls_with_data_of_the_reader_run(request, tmp_path, monkeypatch):
    """They print nothing; no page but these and SCENARIOS has Python that another test would not run."""
    table = permconf.example()
    readers = {
        "VALIDITY": {"scores": table["marker"], "y_test": table["ill"], "confounders_test": table[["site", "age"]]},
        "ADJUSTMENTS": {"patients": table.rename(columns={"ill": "diagnosis"})},
    }
    monkeypatch.chdir(tmp_path)
    pages = {page.stem: page.read_text() for page in (request.config.rootpath / "docs").glob("*.md")}
    assert {name for name, text in pages.items() if "```python" in text} == {"AUDIT", "TUTORIAL", "SCENARIOS", *readers}
    for name, given in readers.items():
        (code,) = re.findall(r"```python\n(.*?)```", pages[name], re.DOTALL)
        exec(code, given)
    assert (tmp_path / "adjustments.png").exists()


def alike(found, expected):
    """The same words, and numbers that agree up to rounding on another machine."""
    assert NUMBER.sub("#", found) == NUMBER.sub("#", expected)
    numbers = [[float(text.replace(",", "")) for text in NUMBER.findall(one)] for one in (found, expected)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.011)
