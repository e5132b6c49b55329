"""Every command of ours on every page exists: its options, and the scenarios, claims and targets that it names.

Python examples on pages are run by tests/permconf_study/pages. The changelog is left out: it names commands that no
longer exist.
"""

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
import yaml

from permconf.__main__ import parser
from permconf_study.paper.claims.catalogue import load_claims
from permconf_study.study.scenario_files import read_drafts

ROOT = Path(__file__).parents[1]
PAGES = [
    path
    for pattern in ("*.md", "docs/*.md", "[!d]*/README.md", "workflow/published/*.md")
    for path in sorted(ROOT.glob(pattern))
    if path.name != "CHANGELOG.md"
]
PLACEHOLDERS = {"<scenario>": "exp1", "ID": "fig8a-power-exp1", "N": "20", "DIR": "results", "KEY=VALUE": "seed=1"}
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def commands(text):
    """The words of every command of make or permconf: in lines of blocks without a language, and in spans of code."""
    text = text.replace("\\\n", " ")
    blocks = [line for _, language, block in BLOCK.findall(text) if not language for line in block.splitlines()]
    for line in (*blocks, *SPAN.findall(BLOCK.sub("", text))):
        for command in re.split(r" && | with ", line.partition(" #")[0]):
            command = re.sub(r"^(\$ )?([A-Z]+=\S+ |nice )*(\.venv/bin/)?", "", command.strip())
            if re.match(r"(make|permconf)( |$)", command):
                yield shlex.split(command)


@cache
def names():
    """What commands may name: the names of scenarios and their files, of claims, and of targets besides scenarios."""
    drafts = read_drafts(ROOT / "workflow/scenarios")
    new = {name for page in PAGES for name in re.findall(r"permconf new (\w+)", page.read_text())}
    groups = re.findall(r"^rule (\w+):", (ROOT / "Snakefile").read_text(), re.MULTILINE)
    return {
        "scenarios": {*drafts, *(draft.path.stem for draft in drafts.values()), *new},
        "ids": {claim["id"] for claim in load_claims(ROOT / "workflow/claims.yaml")},
        "targets": {*groups, *yaml.safe_load((ROOT / "workflow/figures.yaml").read_text())},
    }


def checked(words):
    """Raise if a command cannot be run; it may be named without its arguments."""
    program, *arguments = words
    if program == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(arguments) <= set(targets)
        return
    if not arguments or arguments[0] in ("--help", "--version"):
        return
    assert arguments[0] in parser()._subparsers._group_actions[0].choices
    if len(arguments) == 1:
        return
    options = vars(parser().parse_args([PLACEHOLDERS.get(word, word) for word in arguments if word != "..."]))
    scenarios, ids, targets = names().values()
    assert {*options.get("scenarios", ()), *filter(None, [options.get("scenario")])} <= scenarios
    assert set(options.get("ids", ())) <= ids
    for target in options.get("targets", ()):
        path = Path(re.sub(r"<\w+>|\{[\d,]+\}", "1", target))
        assert {target, path.stem, path.parent.name} & (scenarios | targets) or "<" in target
    if profile := options.get("profile"):
        assert (ROOT / profile / "config.yaml").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_exist(page):
    wrong = []
    for command in commands(page.read_text()):
        try:
            checked(command)
        except (AssertionError, SystemExit, ValueError):
            wrong.append(" ".join(command))
    assert not wrong


@pytest.mark.parametrize(
    "command",
    ["make bench", "permconf verfy", "permconf run nothing", "permconf plan exp99 exp1", "permconf claims fig99"],
)
def test_a_command_that_does_not_exist_is_found(command):
    (words,) = commands(f"Call `{command}`.")
    with pytest.raises((AssertionError, SystemExit)):
        checked(words)


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([\w./-]+\.(?:md|cff|yml|json))(#[\w-]+)?\)", page.read_text()):
            linked = page.parent / target
            assert linked.exists(), f"{page.name} links to {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
                anchors = ["#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
                assert anchor in anchors, f"{page.name} links to {target}{anchor}"


def test_the_settings_are_documented_key_by_key():
    page = (ROOT / "docs/CONFIGURATION.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)
    schema = yaml.safe_load((ROOT / "workflow/schemas/config.schema.yaml").read_text())["properties"]
    values = yaml.safe_load((ROOT / "config.yaml").read_text())
    assert [key for key, _, _ in rows] == list(schema) == list(values)
    for key, default, allowed in rows:
        assert yaml.safe_load(default) == values[key]
        assert allowed == schema[key]["description"]
